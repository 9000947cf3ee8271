"""The notebooks in docs: each runs from the top folder, and prints what is kept in it."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_there_is_a_notebook():
    assert NOTEBOOKS


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_is_kept_in_it(notebook, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(ROOT)
    names = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
        kept = "".join(line for output in cell["outputs"] for line in output["text"])
        assert printed.getvalue() == kept, f"{cell['id']} prints something else: run the notebook again"
