"""200 forms of names, written before the rules: how many are found, and how many questions stopped."""

from __future__ import annotations

import json
import lzma
import random
from collections import Counter
from pathlib import Path

import pytest

from quizwriter.challenge.name_search import NameScanner
from quizwriter.domain.review import Person

PLANTED = json.loads((Path(__file__).parents[1] / "data" / "planted_names.json").read_text(encoding="utf-8"))
PEOPLE = [Person(f"{number:032}", name, address) for number, (name, address) in enumerate(PLANTED["people"])]
SCANNER = NameScanner(PEOPLE)


def is_found(who, place, text, scanner=SCANNER):
    person = PEOPLE[who]
    found = scanner.search(text, place, remark=place == "remark", subject="Danube")
    return any(match.name in {person.name, person.email} for match in found)


def test_at_least_195_of_200_planted_forms_are_found():
    planted, found = Counter(), Counter()
    for kind, who, place, text in PLANTED["forms"]:
        planted[kind] += 1
        found[kind] += is_found(who, place, text)

    assert sum(planted.values()) == 200
    assert sum(found.values()) >= 195, planted - found


def test_at_most_one_in_a_hundred_published_tossups_is_stopped(shared_data):
    with lzma.open(shared_data / "tossups.jsonl.xz", "rt", encoding="utf-8") as lines:
        published = random.Random(7).sample([json.loads(line) for line in lines], 2_000)
    stopped = [
        row["id"]
        for row in published
        if any(
            match
            for text in (row["text"], row["answer"])
            for match in SCANNER.search(text, "", subject=row["page"] or row["answer_main"] or "")
        )
    ]

    assert len(stopped) <= len(published) / 100


@pytest.mark.parametrize(
    ("who", "text"),
    [
        (0, "Ulysses S. Grant won at Shiloh."),
        (0, "[accept Ulysses S. Grant; prompt on Grant]"),
        (0, "Margaret Atwood and Cary Grant (\"GRAHNT\")"),
        (1, "Li Bai and the element lithium (Li) in the LI region"),
        (1, "[Note to moderator: read the Chinese name as \"lee\"]"),
        (2, "Virginia Woolf saw a wolf; Tobias Smollett did not."),
        (3, "Eleanor Roosevelt grew a rose. [prompt on Eleanor]"),
        (3, "Eleanor of Aquitaine [or Eleanor, Duchess of Aquitaine; accept rose]"),
        (4, "the Tran dynasty and Bao Dai"),
        (7, "carbon monoxide is a gas; COs serve. Christopher Wren built it."),
        (8, "Fionn mac Cumhaill and the FMCG industry"),
    ],
)  # fmt: skip
def test_who_is_asked_for_is_no_writer(who, text):
    assert not is_found(who, "text", text)


@pytest.mark.parametrize(
    ("person", "place", "text"),
    [
        ('Robert "Bobby" O\'Sullivan Jr.', "text", "Bob O'Sullivan wrote it."),
        ("Katarzyna Wójcik-Hale", "text", "Kasia Wojcik-Hale wrote it."),
        ("Дмитрий Соколов", "text", "Dmitri Sokolov wrote it."),
        ("Дмитрий Соколов", "text", "the clue of Дмитрия Соколова"),
        ("Дмитрий Соколов", "remark", "sokolov_p4.docx"),
        ("Jordan Schwartzmann", "text", "The clue (JS) is new."),
        ("Jordan Schwartzmann", "remark", "jordans packet.docx"),
        ("Jordan Schwartzmann", "remark", "#jordanpicks"),
        ("Jordan Schwartzmann", "answer", "Emma [Note to Jordan: accept Austen]"),
        ("Jordan Schwartzmann", "text", "Schwartzmann prefers this clue."),
        ("Nguyễn Thị Minh Khai", "text", "Nguyen Thi Minh Khai wrote it."),
        ("Ben Ortiz", "remark", "ben.docx"),
    ],
)
def test_forms_of_earlier_attacks_are_found(person, place, text):
    scanner = NameScanner([Person("a" * 32, person)])

    assert list(scanner.search(text, place, remark=place == "remark"))


ORDERS = json.loads((Path(__file__).parents[1] / "data" / "planted_orders.json").read_text(encoding="utf-8"))
"""Fifty forms more, of ten other people: in other orders, in small letters, spoken to, last names alone."""


@pytest.mark.parametrize(
    "text",
    [
        "Jordan, could you check this? It flows east.",
        "It flows east. Jordan: shorten this line.",
        "hey kasia, is this new? It flows east.",
        "TODO jordan: year. It flows east.",
        "@katarzyna please swap.",
        "It flows east. Thank you, Jordan.",
        "Katarzyna - change the lead-in, it is stale.",
        "(jordan) It flows east.",
        "Danube [hey Jordan, is Ister fine?]",
        "Danube [Jordan?? Ister]",
    ],
)
def test_who_is_spoken_to_is_found(text):
    scanner = NameScanner(
        [Person("a" * 32, "Jordan Schwartzmann"), Person("b" * 32, "Katarzyna Wójcik-Hale")]
    )

    assert list(scanner.search(text, "", subject="Danube"))


@pytest.mark.parametrize(
    "text",
    [
        "It flows east. [JS+KW]",
        "It flows east. (KW & JS)",
        "It flows east. KWH/JS",
        "It flows east. JS",
        "It /* Jordan: year? */ flows east.",
        "It flows east. (Jordan's ending)",
        "It flows east. // Kasia: cut",
        "It flows east. ^^Jordan pls fix",
        "It [Jordan?] flows east.",
        "It flows east. Thanks to Jordan for the lead-in.",
        "It flows east. Clue from Kasia.",
        "Jordan wrote this one. It flows east.",
        "Danube [or Ister] - Jordan S.",
        "It flows east%2520Jordan%2520Schwartzmann.",
    ],
)
def test_who_wrote_it_is_found(text):
    scanner = NameScanner(
        [Person("a" * 32, "Jordan Schwartzmann"), Person("b" * 32, "Katarzyna Wójcik-Hale")]
    )

    assert list(scanner.search(text, "", subject="Danube"))


@pytest.mark.parametrize(
    "text",
    [
        "In one novel, Jordan, this man's friend, cheats at golf.",
        "The kingdom of Jordan: this country's river.",
        "Eleanor, the queen of this king, rode to Damascus.",
        "He thanks Jordan River guides for water.",
        "Thanks to Jordan, this king won. **Eleanor Roosevelt** wrote this work. (JSTOR, 1999)",
        "Peace with Jordan was signed by this man. Eleanor wrote this letter from the UK/US.",
        "This country (Jordan) fought in 1967. [prompt on eleanor]",
        "Written by Jordan Lee, this song has a chorus. Author Eleanor Catton won a prize for it.",
    ],
)
def test_who_is_spoken_of_is_not(text):
    scanner = NameScanner([Person("a" * 32, "Jordan Schwartzmann"), Person("b" * 32, "Eleanor Rose")])

    assert not list(scanner.search(text, "", subject="Danube"))


MESSAGES = json.loads(
    (Path(__file__).parents[1] / "data" / "planted_messages.json").read_text(encoding="utf-8")
)
CODES = json.loads((Path(__file__).parents[1] / "data" / "planted_codes.json").read_text(encoding="utf-8"))
SIGNATURES = json.loads(
    (Path(__file__).parents[1] / "data" / "planted_signatures.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    ("planted", "least"),
    [
        pytest.param(ORDERS, 46, id="other orders"),
        pytest.param(MESSAGES, 47, id="messages, logs, paths"),
        pytest.param(SIGNATURES, 61, id="signatures"),
        pytest.param(CODES, 74, id="codes, alphabets, slips"),
    ],
)
def test_forms_that_were_written_after_the_rules_are_found(planted, least):
    """A last name that texts have, too, is not looked for alone. Of the messages 44 and of the
    signatures 45 were found at first, of the codes 61."""
    people = [Person(f"{number:032}", *person) for number, person in enumerate(planted["people"])]
    scanner = NameScanner(people)
    found = sum(
        any(
            match.name in {people[who].name, people[who].email}
            for match in scanner.search(text, place, remark=place in {"remark", "file"}, subject="Danube")
        )
        for _, who, place, text in planted["forms"]
    )

    assert len(planted["forms"]) >= 50
    assert found >= least


@pytest.mark.parametrize(
    "text", ["For 10 points, name this river - Danube", "It ends in a delta. — Danube, in German"]
)
def test_what_stands_behind_a_dash_signs_nothing(text):
    scanner = NameScanner([Person("1" * 32, "Danube Sea", "")])
    assert not list(scanner.search(text, "text"))
    assert list(scanner.search("It ends in a delta. — Danube S.", "text"))


@pytest.mark.parametrize(
    "text", ["It holds lim inf of x.", "the Black Canyon of the Gunnison", "machine-gunning the crowd"]
)
def test_short_handles_are_no_parts_of_words(text):
    scanner = NameScanner([Person("1" * 32, "李明", ""), Person("2" * 32, "Gunnar Berg", "gunni@example.is")])
    assert not list(scanner.search(text, ""))
