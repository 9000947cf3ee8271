"""Files of people's buzzes: JSON lines, QBJ, tables, and folders of games."""

from __future__ import annotations

import json
import lzma
import random
from pathlib import Path

from quizwriter.formats.buzz_files import read_rooms
from quizwriter.formats.question_files import ReadReport
from tests.fuzz import mutation
from tests.fuzz.target import Target

_BUZZ = {
    "team": {"name": "Alpha"},
    "player": {"name": "Ann"},
    "buzz_position": {"word_index": 40},
    "result": {"value": 10},
}
_QUESTION = {"question_number": 1, "tossup_question": {"question_number": 1}, "buzzes": [_BUZZ, _BUZZ]}
_MATCH = {"packets": "Packet 1", "tossups_read": 20, "match_questions": [_QUESTION, {**_QUESTION, "x": []}]}
_WRAPPED = {
    "version": "2.1.1",
    "objects": [
        {"type": "Team", "id": "t1", "name": "Alpha"},
        {"type": "Packet", "id": "k1", "$ref": "k1", "name": "Packet 1"},
        {"type": "Match", "id": "m1", **_MATCH, "packets": [{"$ref": "k1"}]},
        {"id": "m2", "match_questions": [{**_QUESTION, "buzzes": [{**_BUZZ, "team": {"$ref": "t1"}}]}]},
    ],
}
_ROW = {
    "bq": "q1", "game": "g1", "team": "a", "player": "p", "pos": 5, "n_words": 90, "value": 10,
    "correct": True,
}  # fmt: skip
_TABLE = (
    "question_id,token_position,guess,confidence,buzz,correct\nq1,4,Ohm,0.5,True,False\nq2,9,Volt,1,1,1\n"
)
_GAMES = "game,round,question,team,player,opponent,a,b,c,position,value\n7,2,3,Alpha,Ann,Beta,,,,44,10\n"
_INDEX = {"name": "Cup", "set": "Set", "rounds": [{"number": 2, "packet": "Packet B"}]}


class BuzzFiles(Target):
    """Files and folders with people's buzzes."""

    name = "buzz files"

    def make(self, draw: random.Random, case: Path) -> None:
        kind = draw.choice(("lines", "match", "wrapped", "table", "folder"))
        if kind == "lines":
            raw = mutation.json_lines(draw, "\n".join([json.dumps(_ROW)] * 4).encode())
            packed = draw.random() < 0.3
            (case / f"buzzes.jsonl{'.xz' if packed else ''}").write_bytes(
                lzma.compress(raw) if packed else raw
            )
        elif kind == "table":
            text = mutation.text(draw, _TABLE)
            (case / "robot.buzz.csv").write_bytes(text.encode("utf-8", "surrogatepass"))
        elif kind == "folder":
            folder = case / "games"
            folder.mkdir()
            (folder / "Round_1.qbj").write_bytes(mutation.json_bytes(draw, json.dumps(_MATCH).encode()))
            text = mutation.text(draw, _GAMES)
            (folder / "buzzes.csv").write_bytes(text.encode("utf-8", "surrogatepass"))
            (folder / "index.json").write_bytes(mutation.json_bytes(draw, json.dumps(_INDEX).encode()))
        else:
            seed = json.dumps(_MATCH if kind == "match" else _WRAPPED).encode()
            (case / "game.qbj").write_bytes(mutation.json_bytes(draw, seed))

    def read(self, case: Path) -> None:
        (path,) = case.iterdir()
        report = ReadReport(str(path))
        for room in read_rooms(path, report):
            repr(room).encode()
        json.dumps(report.as_json()).encode()
