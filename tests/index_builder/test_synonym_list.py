"""The list of synonyms that What if offers: how it is made, and that ours is whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from index_builder.__main__ import main
from index_builder.synonym_list import LISTED, MOST_SYNONYMS, read_wordnet, synonym_lines
from quizwriter.system.resource_files import resource_lines, resources_folder

LICENCE = "  1 This software and database is being provided to you  \n"
DEBIAN = Path("/usr/share/wordnet")

# number, file, kind, words, then each word and its number, pointers, and for verbs the frames
NOUNS = """
00000001 03 n 02 author 0 writer 0 000 | someone who writes
00000002 03 n 01 writer 1 000 | one who can write
00000003 03 n 03 story 0 tale 0 long_story 0 000 | a message
00000004 03 n 02 story 1 lie 0 000 | a trivial lie
00000005 03 n 02 house 0 Bauhaus 0 000 | a dwelling
00000006 03 n 02 meal 0 grub 0 001 ;u 00000009 n 0000 | informal food
"""
VERBS = """
00000011 36 v 03 write 0 compose 0 pen 0 000 02 + 08 00 + 09 02 | produce a text
00000012 36 v 02 hurry 0 rush 0 000 01 + 02 00 | move fast
00000013 36 v 02 rush 1 dash 0 000 01 + 02 00 | step on it
00000014 36 v 02 run 0 hurry 1 000 01 + 02 00 | move by foot
"""
COUNTS = """
author%1:18:00:: 1 20
writer%1:18:00:: 1 15
story%1:10:00:: 1 40
story%1:10:01:: 2 1
tale%1:10:00:: 1 9
lie%1:10:00:: 1 9
meal%1:13:00:: 1 9
grub%1:13:00:: 1 9
house%1:06:00:: 1 9
run%1:06:00:: 1 9
write%2:36:00:: 1 20
compose%2:36:00:: 1 9
pen%2:36:00:: 1 9
hurry%2:38:00:: 1 9
rush%2:38:00:: 1 9
run%2:38:00:: 1 9
"""
KNOWN = frozenset(
    """
    author authors writer writers story stories tale tales lie lies meal grub write writes wrote written
    compose composes composed composing pen pens penned hurry hurries hurried hurrying rush
    rushes rushed rushing house run
    """.split()  # noqa: SIM905
)


def index(rows: dict[str, str], kind: str) -> str:
    return "".join(f"{word} {kind} {len(keys.split())} 0 1 1 {keys}\n" for word, keys in rows.items())


@pytest.fixture
def wordnet(tmp_path):
    folder = tmp_path / "wordnet"
    folder.mkdir()
    noun, verb = "00000001", "00000011"
    files = {
        "data.noun": NOUNS,
        "data.verb": VERBS,
        "data.adj": "",
        "data.adv": "",
        "index.noun": index(
            {
                "author": noun, "writer": f"{noun} 00000002", "story": "00000003 00000004",
                "tale": "00000003", "lie": "00000004", "house": "00000005", "meal": "00000006",
                "grub": "00000006", "run": "00000005",
            },
            "n",
        ),
        "index.verb": index(
            {
                "write": verb, "compose": verb, "pen": verb, "hurry": "00000012 00000014",
                "rush": "00000012 00000013", "run": "00000014",
            },
            "v",
        ),
        "index.adj": "",
        "index.adv": "",
        "noun.exc": "",
        "verb.exc": "wrote write\nwritten write\npenned pen\n",
        "cntlist.rev": COUNTS.lstrip(),
    }  # fmt: skip
    for name, text in files.items():
        own = "" if name.endswith((".exc", ".rev")) else LICENCE
        (folder / name).write_text(own + text.lstrip(), encoding="utf-8")
    return folder


def listed(wordnet, known=KNOWN):
    lines = (line.split() for line in synonym_lines(read_wordnet(wordnet), known))
    return {word: others for word, *others in lines}


def test_a_word_has_the_synonyms_of_its_frequent_senses_in_its_own_form(wordnet):
    found = listed(wordnet)
    assert found["author"] == ["writer"]
    assert found["authors"] == ["writers"]
    assert found["story"] == ["tale"]  # a lie is a rare sense
    assert found["hurries"] == ["rushes"]
    assert found["hurried"] == ["rushed"]
    assert found["hurrying"] == ["rushing"]


def test_an_irregular_past_may_be_replaced_and_is_never_offered(wordnet):
    found = listed(wordnet)
    assert found["wrote"] == found["written"] == ["composed", "penned"]
    assert not any("wrote" in others for others in found.values())


def test_a_verb_must_fit_into_the_same_sentences(wordnet):
    found = listed(wordnet)
    assert found["write"] == ["compose", "pen"]
    assert found["pen"] == ["write", "compose"]
    assert "compose" not in found


def test_slang_names_and_what_may_be_two_words_are_left_out(wordnet):
    found = listed(wordnet)
    assert not {"meal", "house", "run"} & found.keys()
    assert not any(other in ("Bauhaus", "run", "grub") for others in found.values() for other in others)


def test_words_that_no_dictionary_has_are_left_out(wordnet):
    assert "stories" not in listed(wordnet, KNOWN - {"tales"})
    assert "stories" not in listed(wordnet, KNOWN - {"stories"})


@pytest.mark.parametrize("name", ["data.noun", "index.verb", "cntlist.rev", "verb.exc"])
def test_what_is_no_wordnet_is_refused_and_nothing_is_written(tmp_path, wordnet, capsys, name):
    (wordnet / name).write_text("nothing of\nthe kind, and x\n", encoding="utf-8")
    if name == "verb.exc":
        (wordnet / name).unlink()
    assert main(["synonyms", str(wordnet), "--out", str(tmp_path / "out")]) == 1
    assert "WordNet" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_list_that_comes_with_us_is_in_its_form():
    lines = resource_lines(f"synonyms/{LISTED}")
    assert len(lines) > 5_000
    assert lines == sorted(lines, key=lambda line: line.split()[0])
    for line in lines:
        word, *others = line.split(" ")
        assert 0 < len(others) <= MOST_SYNONYMS
        assert word not in others
        assert len(set(others)) == len(others)
        assert all(re.fullmatch("[a-z]{3,24}", one) for one in (word, *others))


def test_words_of_several_kinds_and_words_of_grammar_are_not_listed():
    listed = {line.split()[0]: line.split()[1:] for line in resource_lines(f"synonyms/{LISTED}")}
    assert listed.keys().isdisjoint(("but", "except", "being", "use", "features", "retreat"))
    offered = {other for others in listed.values() for other in others}
    assert offered.isdisjoint(("but", "except", "however", "just"))
    assert offered.isdisjoint(
        ("croaked", "croaks", "croaking", "ejaculated", "kids", "nabbed", "retardation")
    )
    assert listed["died"] == ["perished"]


@pytest.mark.skipif(not DEBIAN.is_dir(), reason="the package wordnet-base is not installed")
def test_the_list_that_comes_with_us_is_of_wordnet(tmp_path):
    assert main(["synonyms", str(DEBIAN), "--out", str(tmp_path)]) == 0
    ours = (resources_folder() / "synonyms" / LISTED).read_text(encoding="utf-8")
    assert (tmp_path / LISTED).read_text(encoding="utf-8") == ours, "run make synonyms"
