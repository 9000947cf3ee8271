"""``quizwriter buzzes``, as scripts use it."""

from __future__ import annotations

import json


def test_what_a_fit_left_out_is_told_to_scripts_too(command, tmp_path):
    rooms = [
        {"bq": str(at), "game": "g", "pos": 5 + at, "correct": at % 3 > 0, "n_words": 40} for at in range(12)
    ]
    path = tmp_path / "buzzes.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in [*rooms, rooms[0], {"bq": "no buzz"}]))
    out = tmp_path / "curves.json"

    told = command("buzzes", "fit", path, "--out", out)
    assert sorted(told["left_out"].values()) == [1, 1]
    assert {**json.loads(out.read_text(encoding="utf-8")), "left_out": told["left_out"]} == told
