"""The table of a line, and the small matcher that looks answers up in it, held against the judge."""

from __future__ import annotations

import json
import lzma
import random

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.judging.judge import Verdict, judge
from quizwriter.judging.spoken_words import spoken_words
from quizwriter.judging.verdict_table import verdict_table
from tests.helpers.node import in_node, needs_node
from tests.helpers.shared_data import SHARED, not_here


def shared(name):
    """The file ``name`` of the shared data."""
    if not (SHARED / name).exists():
        not_here(f"{name} is not beside the repository")
    return SHARED / name


LINES = {
    "Johannes <u>Brahms</u>": [
        "brahms",
        "Johannes Brahms",
        "J. Brahms",
        "Johannes",
        "Brams",
        "Bruckner",
        "Brahms, Johannes",
    ],
    "<u>eel</u>s [prompt on <u>fish</u> by asking “what kind of fish?”; reject “carp”]": [
        *("eel", "eels", "the eels", "fish", "carp", "an eel", "trout", ""),
    ],
    "<u>spacewalk</u>s": ["space walk", "space walks", "spacewalks", "spacewalk s", "“spacewalk”s", "space"],
    "<u>Carla Amalia Valentinian</u>": [
        *("Carla Amalia Valentinian", "CarlaAmalia Valentinian", "Carla Valentinian", "Carla Valen"),
    ],
    "Franklin Delano <u>Roosevelt</u> [or <u>FDR</u>; prompt on <u>Roosevelt</u>]": [
        *("FDR", "Franklin Roosevelt", "Roosevelt", "President Roosevelt", "Theodore Roosevelt"),
    ],
    "<u>Iraq</u>": ["Republic of Iraq", "Iraq war", "Iran"],
    "<u>Gilbert</u> AND <u>Sullivan</u>": [
        "Gilbert and Sullivan",
        "Sullivan & Gilbert",
        "Gilbert",
        "Gilbert and Smith",
    ],
    "<u>Great Britain</u> AND <u>Egypt</u> [prompt on <u>England</u>]": [
        *(
            "England and Egypt",
            "England and Peru",
            "Egypt, England",
            "Egypt",
            "Great Britain, Egypt, England",
        ),
    ],
    "<u>C# minor</u>": ["C minor", "C♯ minor", "C sharp minor", "c# minor", "D# minor", "A♭ minor"],
    "<u>100 million</u>": ["one hundred million", "100000000", "100", "100 million", "hundred million"],
    "World War <u>II</u> [or <u>World War Two</u>]": ["WWII", "world war 2", "ww1", "second world war"],
    "<u>Madama Butterfly</u>": ["Madame Butterfly", "Madam Butterfly", "Madonna Butterfly"],
    "<u>Hamburg</u>": ["Homburg", "hambourg", "Hambrug"],
    "<u>nineteen eighty-four</u>": ["1984", "nineteen eighty four", "1985"],
}


def compared(rows, judged=in_node):
    """For each of ``rows``, a line and what is typed, the verdicts of the judge and those of the page.

    ``judged`` runs the page's judge on each table.
    """
    tables = [
        {"do": "judge", "table": verdict_table(Tossup("x", Answer(line))), "typed": typed}
        for line, typed in rows
    ]
    for (line, typed), found in zip(rows, judged(tables), strict=True):
        for one, there in zip(typed, found, strict=True):
            here = judge(line, one)
            yield (
                line,
                one,
                (here.verdict.value, here.ask if here.verdict is Verdict.PROMPT else ""),
                (there["said"], there["ask"]),
            )


@needs_node
def test_the_page_says_what_the_judge_says():
    for line, typed, here, there in compared(list(LINES.items())):
        assert there == here, f"{typed!r} for {line}"


@needs_node
def test_the_page_splits_answers_as_the_judge_does():
    texts = [
        *(
            "Nineteen Eighty-Four",
            "Henry VIII",
            "d'Artagnan’s",
            "three quarters",
            "1,000 men",
            "V. I. Lenin",
            "Øresund",
        ),
        *(
            "the women of Troy",
            "2nd",
            "10mm",
            "Mohammed",
            "\N{MINUS SIGN}5",
            "naïve café",
            "\N{GREEK SMALL LETTER ALPHA} particle",
            "one hundred and two",
            "U.S.A.",
            "√2",
            "pe\u180eru\u2069\ufe0f in\u2060 a cafe\u0301",
            "\U000e0061x\u1dc4y",
        ),
    ]
    (found,) = in_node([{"do": "words", "texts": texts}])
    for text, there in zip(texts, found, strict=True):
        assert there == [[one.text, one.raw, one.number] for one in spoken_words(text)], text


@needs_node
def test_what_a_line_accepts_until_something_is_read():
    line = "<u>eel</u>s [accept <u>fish</u> until “Sargasso” is read]"
    tossup = Tossup("This one swims to the Sargasso Sea to breed.", Answer(line))
    table = verdict_table(tossup)
    assert [one.word for one in table.stages] == [0, 6]
    rows = [
        {"do": "judge", "table": table, "typed": ["fish", "eel"], "heard": heard} for heard in (0, 5, 6, 9)
    ]
    said = [[one["said"] for one in row] for row in in_node(rows)]
    assert said == [["accept", "accept"]] * 2 + [["reject", "accept"]] * 2


def test_a_tossup_without_an_answer_has_an_empty_table():
    assert verdict_table(Tossup("x")).stages == ()


@needs_node
def test_all_published_cases():
    check_published_cases(in_node)


def check_published_cases(judged, every=1):
    """All, or one of every so many, are judged as the judge does."""
    rows = [json.loads(line) for line in shared("answer_check_tests.jsonl").read_text().splitlines()]
    cases = [(row["answerline"], [row["given"]]) for row in rows]
    assert len(rows) == 241
    different = [
        (typed, line) for line, typed, here, there in compared(cases[::every], judged) if here != there
    ]
    assert different == []


@needs_node
def test_thousands_of_answers_to_shared_lines():
    check_shared_lines(in_node)


def check_shared_lines(judged, lines=300):
    """At least 97 % the same, every prompt with its question, and hardly anything accepted that is wrong."""
    draw = random.Random(5)
    with lzma.open(shared("answerlines.jsonl.xz"), "rt") as file:
        drawn = draw.sample([json.loads(line) for line in file], lines)
    rows = []
    for line in drawn:
        typed = []
        for name in draw.sample(
            names := [*line["accept"], *line["prompt"], *line["reject"]], min(3, len(names))
        ):
            words = name.split() or ["x"]
            typed += [
                name,
                slipped(name, draw),
                words[-1],
                draw.choice(words),
                f"the {name}",
                f"Sir {name}",
                f"{name} war",
                f"“{name}”s",
            ]
        other = draw.choice(drawn)["accept"]
        rows.append((line["formatted"], [*typed, *other[:2]][:10]))
    found = list(compared(rows, judged))
    same = sum(here == there for _, _, here, there in found)
    rejected = [there for _, _, here, there in found if here[0] == "reject"]
    assert len(found) >= 6 * lines
    assert same >= 0.97 * len(found)
    assert sum(there[0] == "accept" for there in rejected) * 200 <= len(rejected)


def slipped(name, draw):
    """``name`` with a letter too few, too many, or turned round."""
    at = draw.randrange(1, max(2, len(name) - 1))
    return draw.choice(
        (
            name[:at] + name[at + 1 :],
            name[:at] + draw.choice("aeiourst") + name[at:],
            name[:at] + name[at : at + 2][::-1] + name[at + 2 :],
        )
    )
