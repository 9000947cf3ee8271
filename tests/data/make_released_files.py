"""Make the files of ``releases``: all that the program of one commit writes, by the code of that commit.

``python tests/data/make_released_files.py COMMIT`` checks the commit out in the system's temporary folder,
runs this script with its code, and packs what it wrote into ``tests/data/releases``. Modules are imported by
the names that they have there.
"""

from __future__ import annotations

import json
import lzma
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import closing, redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path

DATA = Path(__file__).parent
REPOSITORY = DATA.parents[1]
RESOURCES = REPOSITORY / "resources"

PAGES = (
    "johannes-brahms", "macbeth", "madama-butterfly", "hadrian", "liver", "uranus", "enrico-fermi",
    "leo-tolstoy", "thor", "aristotle",
)  # fmt: skip
DRAFTS = ("johannes-brahms", "macbeth", "hadrian", "uranus")


# -- what runs with the code of the commit


def examples() -> dict[str, dict[str, str]]:
    """The example set by its ids, without the beginning they share."""
    lines = (RESOURCES / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    rows = map(json.loads, lines)
    return {row["id"].removeprefix("qw-example-"): row for row in rows}


def bundle_files(folder: Path) -> tuple[Path, Path]:
    """Questions on the answers of some examples, and articles; those of each fold where folds are known."""
    wanted = {examples()[name]["page"] for name in PAGES}
    rows, articles = [], []
    for file in sorted((RESOURCES / "starter" / "tossups").glob("*.jsonl")):
        found = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        rows += [{**row, "fold": "guesstrain"} for row in found if row["page"] in wanted]
    for file in sorted((RESOURCES / "starter" / "articles").glob("*.jsonl")):
        found = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        articles += [row for row in found if row["page"] in wanted]
    for row in articles:
        sentences = row["text"].split(". ")
        name = row["page"].replace("_", " ")
        for number, fold in enumerate(("buzztrain", "guessdev")):
            half = ". ".join(sentences[number::2]).replace(name, "it")
            held = {
                "id": f"{row['page']} {fold}",
                "text": f"{half}. For 10 points, name it.",
                "page": row["page"],
            }
            rows.append({**held, "answer": name, "fold": fold})
    questions, encyclopedia = folder / "questions.jsonl", folder / "articles.jsonl"
    for path, found in ((questions, rows), (encyclopedia, articles)):
        path.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), encoding="utf-8"
        )
    return questions, encyclopedia


def write_release(folder: Path) -> None:
    """A database, a small bundle, a pack and a challenge set, and what commands said of them."""
    from index_builder.__main__ import main as index_builder
    from quizwriter.cli import main as quizwriter

    def run(*arguments: object) -> str:
        said = StringIO()
        with redirect_stdout(said):
            assert quizwriter([*map(str, arguments)]) == 0
        return said.getvalue()

    home, bundle = folder / "home", folder / "bundle"
    home.mkdir()
    os.environ["QUIZWRITER_HOME"] = str(home)
    profile = f'profile_id = "{"b" * 32}"\nprofile_name = "Ben Osei"\n'
    (home / "settings.toml").write_text(profile, encoding="utf-8")
    (home / "pseudonyms.key").write_text(f"{'5' * 64}\n", encoding="ascii")
    questions, articles = bundle_files(folder)
    build = ["build", "--questions", questions, "--wiki", articles, "--out", bundle]
    assert index_builder([*map(str, build)]) == 0
    drafts, of_bundle = folder / "drafts.jsonl", ("--bundle", bundle)
    rows = [examples()[name] for name in DRAFTS]
    drafts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ids = json.loads(run("import", drafts, "--set", "Autumn Open", *of_bundle, "--json"))["added"]
    reason = "It is an example."
    override = [f"--override={name}={reason}" for name in ("length", "past", "page")]
    run("status", *ids, "--set", "accepted", "--in-steps", *override, *of_bundle)
    run("consent", *ids, "--set", "yes", "--reason", "By e-mail.")
    run("play", "--all", *of_bundle)
    run("pack", folder / "autumn.qwpack", *ids)
    how = ("--title", "Autumn Set", "--histories", "--date", "2031-10-16")
    run("export", "--out", folder / "autumn-1.0", *of_bundle, *how)
    said = {}
    for row in rows:
        text = folder / "draft.txt"
        text.write_text(f"{row['text']}\nANSWER: {row['answer']}\n", encoding="utf-8")
        said[row["page"]] = json.loads(run("play", text, *of_bundle, "--json"))
    for name, found in (("plays", said), ("list", json.loads(run("list", "--json")))):
        (folder / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
    for path in (questions, articles, drafts, folder / "draft.txt"):
        path.unlink()
    for path in (home / "quizwriter.db", home / "plays.db"):
        with closing(sqlite3.connect(path)) as db:
            db.execute("pragma wal_checkpoint(truncate)")
            db.execute("pragma journal_mode = delete")


# -- what packs it


def checkout(commit: str, work: Path) -> Path:
    """The files of ``commit``."""
    folder = work / commit
    if not folder.exists():
        archive = subprocess.run(
            ["git", "archive", commit], cwd=REPOSITORY, capture_output=True, check=True
        ).stdout
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
    return folder


def pack_folder(folder: Path, to: Path) -> None:
    """``folder``, every byte of its files, in ``to``."""
    raw = BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as files:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                entry.size = path.stat().st_size
                with path.open("rb") as content:
                    files.addfile(entry, content)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(lzma.compress(raw.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def main(commits: Sequence[str]) -> None:
    """Pack what each of the ``commits`` writes; ``--run FOLDER`` writes it with the code at hand."""
    if commits[:1] == ["--run"]:
        write_release(Path(commits[1]))
        return
    work = Path(tempfile.gettempdir()) / "quizwriter-released"
    for commit in commits:
        out = work / "releases" / commit
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        environment = {**os.environ, "PYTHONPATH": str(checkout(commit, work)), "PYTHONHASHSEED": "0"}
        subprocess.run(
            [sys.executable, "-P", __file__, "--run", str(out)], env=environment, cwd=work, check=True
        )
        pack_folder(out, DATA / "releases" / f"{commit}.tar.xz")


if __name__ == "__main__":
    main(sys.argv[1:])
