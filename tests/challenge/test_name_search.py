"""The search for names: every form in which people leave one, and not the names that questions are about."""

from __future__ import annotations

import json
import lzma
import random
import re
from collections import Counter

import pytest

from quizwriter.challenge.name_forms import SearchedText, initials_in
from quizwriter.challenge.name_search import (
    NameScanner,
)
from quizwriter.domain.review import Person
from quizwriter.services.look_alikes import plain_letters
from tests.helpers.processor_time import seconds

JANE = Person("a" * 32, "Jane Doe", "pyramid.owl77@example.org")
PROSE = "This author set {} beside a river in the first of her novels. For 10 points, name this author."
LOOK_ALIKES = str.maketrans("aeopcxyABEHKMOPTX", "аеорсхуАВЕНКМОРТХ")  # noqa: RUF001
FIRST = "Jane Ada Wei Priya Carlos Zoë Noor Björn Siobhán Will Mark Grace Hana Kit Ibrahim Łukasz Anna-Lena"
LAST = "Doe Novák Zhang Ramaswamy García O'Brien Smith-Jones Brown Lee King Hunt Osei Kowalski Nguyen Wójcik"


def in_prose(form, people=(JANE,), **how):
    return list(NameScanner(people).search(PROSE.format(form), "the text", **how))


def letters(text):
    return re.sub(r"[^\w]", "", text)


def forms(first, last, handle):
    """Ways to leave a name in prose, by what each is called."""
    f, l = letters(first), letters(last)  # noqa: E741
    return {
        "tag": f"<{last}, Literature>",
        "initials in a tag": f"<{first[0]}{last[0]}>",
        "underscore": f"({first}_{last})",
        "camel case": f"{f}{l}",
        "camel case, reversed": f"{l}{f}",
        "capitals of the last name": l.upper(),
        "capitals": f"{first} {last}".upper(),
        "small letters": f"{first} {last}".lower(),
        "initial and last name": f"{f[0]}{l}".lower(),
        "last name and initial": f"{l}{f[0]}".lower(),
        "invisible characters": f"{first[:2]}\u200b{first[2:]} {last[:1]}\u2060{last[1:]}",
        "look-alikes": f"{first} {last}".translate(LOOK_ALIKES),
        "wide letters": "".join(
            chr(ord(c) + 0xFEE0) if c.isascii() and c.isalpha() else c for c in f"{f} {l}"
        ),
        "hyphen": f"{first}-{last}".lower(),
        "reversed": f"{last}, {first}",
        "reversed without comma": f"{last} {first}",
        "initial": f"{first[0]}. {last}",
        "initial behind": f"{last}, {first[0]}.",
        "initial with a full stop": f"{f[0]}.{l}".lower(),
        "middle initial": f"{first} Q. {last}",
        "number behind": f"{f}{l}99".lower(),
        "two lines": f"{first}\n{last}",
        "spaced": " ".join(f + l),
        "full stop": f"{first}.{last}",
        "possessive": f"{first} {last}'s",
        "digits for letters": f"{first} {last}".replace("o", "0").replace("e", "3"),
        "handle": handle,
        "handle in capitals": handle.upper(),
        "address": f"{handle}@example.org",
    }


@pytest.mark.parametrize(
    ("own", "typed"), [("Ben", "Benny"), ("Benny", "Benji"), ("Meg", "Peggy"), ("Kate", "Katie")]
)
def test_another_short_form_of_the_same_name_is_found(own, typed):
    person = Person("c" * 32, f"{own} Ortiz")

    assert [match.name for match in in_prose(f"{typed} Ortiz", (person,))] == [f"{own} Ortiz"]
    assert not in_prose("Bruno Ortiz", (person,))


@pytest.mark.parametrize(
    ("own", "typed"),
    [
        ("Ada Kowal", "Ada Cowal"),
        ("Ada Cowal", "Ada Kowal"),
        ("Konstantin Kowal", "Kostya Cowal"),
        ("Konstantin Kowal", "Konst Cowal"),
    ],
)
def test_a_last_name_of_another_spelling_is_found_behind_each_form_of_the_first(own, typed):
    assert [match.found for match in in_prose(typed, (Person("c" * 32, own),))] == [typed]


def test_planted_names_are_found():
    chance = random.Random(11)
    missed = Counter()
    for number in range(3 * len(forms("A", "B", "c"))):
        first, last = chance.choice(FIRST.split()), chance.choice(LAST.split())
        handle = f"{chance.choice(['quiz', 'the', 'x'])}{chance.choice(['owl', 'fan'])}{number}"
        writer = Person("b" * 32, f"{first} {last}", f"{handle}@example.org")
        others = [Person(f"{at:032}", f"Other{at} Person{at}") for at in range(3)]
        called, form = list(forms(first, last, handle).items())[number // 3]
        if not in_prose(form, (*others, writer)):
            missed[called, form] += 1

    assert not missed


@pytest.mark.parametrize(
    "form",
    [
        "a doe and a deer",
        "Jane Austen",
        "John Doe",
        "A Doe",
        "jane",
        "the doe",
        "Dr. Doe",
        "B. J. Doe",
        "Jane a Doe",
        "<Literature> Doe",
        "1984",
    ],
)
def test_a_part_of_a_name_says_nothing_in_prose(form):
    assert not in_prose(form)


@pytest.mark.parametrize(
    "form", ["Jane said so", "ask Doe", "Doe", "by Jane", "Jane D. knows", "janed", "DOE"]
)
def test_a_part_of_a_name_counts_where_people_write_about_the_work(form):
    found = in_prose(form, remark=True)

    assert found
    assert all(one.name == "Jane Doe" for one in found)


def test_an_initial_behind_the_end_of_a_sentence_is_a_first_one():
    assert in_prose("the Tiber. J. Doe")


def test_capitals_say_who_wrote_unless_most_of_a_long_text_has_them():
    scanner = NameScanner((JANE,))

    assert [*scanner.search("LIT DOE", "the text")]
    assert not [*scanner.search("A DOE AND A DEER SEE THE SAME RIVER", "the text")]
    assert [*NameScanner((Person("b" * 32, "Ada Weiß"),)).search("LIT WEIẞ", "the text")]


def test_a_text_that_names_nobody_is_remembered_for_no_other():
    scanner = NameScanner((JANE,))
    text = PROSE.format("a long, long book of letters")

    assert not [*scanner.search(text, "the text")]
    assert [*scanner.search(f"{text} Jane Doe", "the text")]
    assert not [*scanner.search("the Doe", "the text")]
    assert [*scanner.search("the Doe", "the text", remark=True)]
    assert not [*scanner.search(f"{text} \ud800", "the text")]
    for _ in range(2):
        assert [*scanner.search(f"by {JANE.id}", "the text")]


@pytest.mark.parametrize(("between", "found"), [(" -- ", True), (" --- ", False)])
def test_the_parts_of_a_name_stand_at_most_four_characters_apart(between, found):
    assert bool(in_prose(f"Jane{between}Doe")) is found


def test_a_text_is_the_name_of_a_file_only_where_people_write_about_the_work():
    scanner = NameScanner((JANE,))

    assert [*scanner.search("doe.docx", "the text", remark=True)]
    assert not [*scanner.search("doe.docx", "the text")]


@pytest.mark.parametrize("form", ["a doe", "they will hunt", "mark this", "grace"])
def test_words_are_no_names_in_remarks_either(form):
    people = (JANE, Person("c" * 32, "Will Hunt"), Person("d" * 32, "Mark Grace"))

    assert not [one for one in in_prose(form, people, remark=True) if one.found.islower() and one.alone]


def test_the_person_a_question_asks_for_may_have_a_writers_name_but_not_in_a_tag():
    adams = (Person("e" * 32, "John Adams"),)
    line = "John Adams [prompt on Adams]"

    assert in_prose(line, adams)
    assert not in_prose(line, adams, subject="John_Adams")
    assert in_prose("<John Adams, History>", adams, subject="John_Adams")


def test_names_without_spaces_and_of_other_alphabets_are_found():
    people = (Person("f" * 32, "王小明"), Person("1" * 32, "Пётр Иванов"), Person("2" * 32, "owlfan"))

    assert [one.name for one in in_prose("我是王小明的", people)] == ["王小明"]
    assert [one.name for one in in_prose("Петр Иванов", people)] == ["Пётр Иванов"]
    assert [one.name for one in in_prose("Owlfan", people)] == ["owlfan"]


def test_look_alikes_become_letters_and_all_else_stays():
    assert plain_letters("Łukasz \uff24\u043e\u0435\u200b, naïve \ufb01g") == "Lukasz Doe, naive fig"
    assert plain_letters("plain") == "plain"


def test_values_of_json_and_csv_are_searched_as_what_they_are(tmp_path):
    scanner = NameScanner([JANE])
    row = {"text": "Jane Austen wrote this.", "page": "Jane_Austen", "source": "Open", "tags": []}
    told = {**row, "source": "Doe's packet"}
    (tmp_path / "a.json").write_text(json.dumps({"questions": [row]}))
    (tmp_path / "b.json").write_text(json.dumps({"questions": [told]}))
    (tmp_path / "c.jsonl").write_text("\n".join(json.dumps(one, ensure_ascii=True) for one in (row, told)))
    (tmp_path / "d.csv").write_text('text,source\n"Jane, of ""x""",Open\nsome,by Jane\n')
    (tmp_path / "e.md").write_text("# Sheet\n\nBy Jane\nDoe.\n")
    (tmp_path / "f.json").write_text('{"text": "Jane Doe')

    places = {path.name: [one.place for one in scanner.search_file(path)] for path in tmp_path.iterdir()}

    assert places == {
        "a.json": [],
        "b.json": ["b.json"],
        "c.jsonl": ["c.jsonl, line 2"],
        "d.csv": ["d.csv, line 3"],
        "e.md": ["e.md, line 3"],
        "f.json": ["f.json"],
    }


def test_published_tossups_about_people_are_hardly_ever_stopped(shared_data):
    """Writers whose first and last names are those of people that many questions ask for."""
    file = shared_data / "tossups.jsonl.xz"
    chance = random.Random(3)
    named = re.compile(r"([A-Z][a-z]+) (?:[A-Z]\. )?([A-Z][a-z]+)")
    about = []
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        published = [json.loads(line) for line in lines]
    for row in published:
        found = named.fullmatch(row["answer_main"] or "")
        if found and row["category"] in {"History", "Literature", "Philosophy"}:
            about.append((found[1], found[2], row))
    firsts = [name for name, _ in Counter(first for first, _, _ in about).most_common(60)]
    lasts = [name for name, _ in Counter(last for _, last, _ in about).most_common(120)]
    real = {(first, last) for first, last, _ in about}
    pairs = [(chance.choice(firsts), chance.choice(lasts)) for _ in range(60)]
    writers = [pair for pair in pairs if pair not in real][:40]
    scanner = NameScanner(Person(f"{at:032}", " ".join(pair)) for at, pair in enumerate(writers))
    same = [row for first, last, row in about if any(first == one or last == two for one, two in writers)][
        :2_000
    ]
    stopped = [
        row
        for row in same
        if any(scanner.search(row["text"], "the text", subject=row["answer_main"]))
        or any(scanner.search(row["answer"], "the answer", subject=row["answer_main"]))
    ]

    assert len(same) > 1_000
    assert len(stopped) < len(same) / 50


def test_initials_alone_count_in_tags_and_remarks_only():
    people = (Person("3" * 32, "JD"),)

    assert not in_prose("JD Salinger", people)
    assert in_prose("<JD, Literature>", people)
    assert in_prose("as JD says", people, remark=True)


def test_two_writers_initials_sign_a_question_and_any_number_is_looked_through_at_once():
    assert list(NameScanner([JANE]).search("This river is long. XY+JD", "the text"))
    for hostile in ("JD+" * 7_000 + "x", "(JD) " * 4_000 + "x"):
        assert (
            seconds(lambda text=hostile: list(initials_in(SearchedText.of(text, remark=False), {"jd"})), 0.3)
            <= 0.3
        )
