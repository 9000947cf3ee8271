"""Packet tags: taken off the end of a question, and read as category and people."""

from __future__ import annotations

import pytest

from quizwriter.formats.packet_tags import LONGEST_TAG, MOST_TAGS, PacketTag, lone_name, read_tags, split_tags
from tests.helpers.processor_time import seconds


@pytest.mark.parametrize(
    ("text", "bare", "tags"),
    [
        ("Name it. <Doe, Literature>", "Name it.", ("Doe, Literature",)),
        ("Name it.\n<JD>  <Ed. Roe>\n", "Name it.", ("JD", "Ed. Roe")),
        ("Brahms [or Johannes Brahms]<Music - Doe>", "Brahms [or Johannes Brahms]", ("Music - Doe",)),
        ("a line with <i>italics</i>", "a line with <i>italics</i>", ()),
        ("x < y > ", "x < y > ", ()),
        ("<Literature>", "<Literature>", ()),
        ("text <>", "text <>", ()),
        ("text <1>", "text <1>", ()),
        ("text >", "text >", ()),
        ("", "", ()),
        ("Name it. <Doe, Arts>.", "Name it.", ("Doe, Arts",)),
        ("Name it. <<Doe, Arts>>", "Name it.", ("Doe, Arts",)),
        ("Name it. \uff1cDoe, Arts\uff1e", "Name it.", ("Doe, Arts",)),
        ("Name it. \u2039Doe\u203a", "Name it.", ("Doe",)),
        ("Name it. {Doe, Arts}", "Name it.", ("Doe, Arts",)),
        ("the {Danube}", "the {Danube}", ()),
        ("the art of {jazz}", "the art of {jazz}", ()),
        ("a < b and c>.", "a < b and c>.", ()),
        ("Brahms &lt;Doe, History&gt;", "Brahms", ("Doe, History",)),
        ("Brahms (CL, Science)", "Brahms", ("CL, Science",)),
        ("Brahms [JD - Science].", "Brahms", ("JD - Science",)),
        ("Faust (opera – Charles Gounod)", "Faust (opera – Charles Gounod)", ()),
        ("Emma [novel – Jane Austen]", "Emma [novel – Jane Austen]", ()),
        ("Mars (Roman mythology – War God)", "Mars (Roman mythology – War God)", ()),
        ("York [Byzantine Rome - Eastern Europe]", "York [Byzantine Rome - Eastern Europe]", ()),
        ("Brahms [Jane Doe - Science]", "Brahms [Jane Doe - Science]", ()),
        ("Brahms (Science, ed. Roe)", "Brahms", ("Science, ed. Roe",)),
        ("Brahms (CL, Science, ed. Roe)", "Brahms", ("CL, Science, ed. Roe",)),
        ("Brahms (Doe, Science, ed. Roe)", "Brahms (Doe, Science, ed. Roe)", ()),
        ("Brahms <Drama, JD> [Edited]", "Brahms", ("Drama, JD",)),
        ("Brahms [Edited.]", "Brahms", ()),
        ("Brahms <Edited>", "Brahms", ()),
        ("[Edited]", "[Edited]", ()),
        ("Carmen (opera, Bizet)", "Carmen (opera, Bizet)", ()),
        ("Mars [Ares, Greek]", "Mars [Ares, Greek]", ()),
        ("Rocky (II, film)", "Rocky (II, film)", ()),
        ("Rocky [Jr., film]", "Rocky [Jr., film]", ()),
        ("Brahms <Poetry - Roe> [Ed. Doe]", "Brahms", ("Poetry - Roe", "Ed. Doe")),
        ("Brahms (written by JD)", "Brahms", ("written by JD",)),
        ("Hamlet (written by William Doe)", "Hamlet (written by William Doe)", ()),
        ("Brahms [accept Doe, Science]", "Brahms [accept Doe, Science]", ()),
        ("Brahms [or Doe; prompt on Art]", "Brahms [or Doe; prompt on Art]", ()),
        ("Brahms (by Jane Doe)", "Brahms (by Jane Doe)", ()),
        ("Brahms (CL)", "Brahms (CL)", ()),
        ("Euclid [air, earth, fire, water]", "Euclid [air, earth, fire, water]", ()),
        ("Name it. (*)", "Name it. (*)", ()),
        ("Name it (“BRAHMS, art”).", "Name it (“BRAHMS, art”).", ()),
    ],
)
def test_tags_at_the_end_come_off_and_nothing_else(text, bare, tags):
    if bare == text.rstrip() and not tags:
        bare = text
    assert split_tags(text) == (bare, tags)


@pytest.mark.parametrize(
    ("tag", "category", "people"),
    [
        ("Doe, Literature", ("Literature",), ("Doe",)),
        ("Long Fiction — Doe/Roe", ("Long Fiction",), ("Doe", "Roe")),
        ("AB and CD, World History", ("World History",), ("AB", "CD")),
        ("American Literature", ("American Literature",), ()),
        ("History European 1400-1914 - Doe", ("History European 1400-1914",), ("Doe",)),
        (" Jane Doe | Long-Form Literature ", ("Long-Form Literature",), ("Jane Doe",)),
        ("ed. JD", (), ("JD",)),
        ("edited by Jane Doe", (), ("Jane Doe",)),
        ("Written by: Jane  Doe", (), ("Jane Doe",)),
        ("Doe, Science - Biology - Slimes", ("Science", "Biology", "Slimes"), ("Doe",)),
        ("Science - Biology - Slimes, Doe", ("Science", "Biology", "Slimes"), ("Doe",)),
        ("JD, Biology: Slimes", ("Biology", "Slimes"), ("JD",)),
        ("Social Science: Slimes, JD", ("Social Science", "Slimes"), ("JD",)),
        ("Science - Biology - Doe", ("Science", "Biology"), ("Doe",)),
        ("Literature - Doe, edited by Jane Roe", ("Literature",), ("Doe", "Jane Roe")),
        ("History - Doe, Roe", ("History",), ("Doe", "Roe")),
        ("Doe - Roe, History", ("History",), ("Doe", "Roe")),
        (
            "The above question is for the category Arts Painting and was written by Jane Doe",
            ("Arts Painting",),
            ("Jane Doe",),
        ),
        ("The above question is for the category Trash", ("Trash",), ()),
        ("JD/Science", ("Science",), ("JD",)),
        ("Science / Jane Doe", ("Science",), ("Jane Doe",)),
        ("Author: JD, Category: Science", ("Science",), ("JD",)),
        ("JD/", (), ("JD",)),
        ("Cl. Science", ("Science",), ("Cl",)),
        ("CL Social Science", ("Social Science",), ("CL",)),
        ("Brit. Lit, JD", ("Brit. Lit",), ("JD",)),
        ("JD, Org. Chemistry", ("Org. Chemistry",), ("JD",)),
        ("JD, Inv. Chemistry", ("Inv. Chemistry",), ("JD",)),
        ("MLB Sports | Doe", ("MLB Sports",), ("Doe",)),
        ("CL Science, ed. Roe", ("Science",), ("CL", "Roe")),
        ("Can. Lit", ("Can. Lit",), ()),
        ("NBA Sports", ("NBA Sports",), ()),
        ("US History", ("US History",), ()),
    ],
)
def test_a_tag_says_category_and_people(tag, category, people):
    said = read_tags((tag,))
    assert (said.category, said.named) == (category, people)


@pytest.mark.parametrize(
    ("tag", "writers", "editors"),
    [
        ("Ben Osei, Literature; edited by Jane Roe", ("Ben Osei",), ("Jane Roe",)),
        ("Written by Ben Osei, edited by Jane Roe", ("Ben Osei",), ("Jane Roe",)),
        ("Lit - BO - ed. JR", ("BO",), ("JR",)),
        ("BO | Lit | Editor: Jane Roe", ("BO",), ("Jane Roe",)),
        ("Eds: JR & CL", (), ("JR", "CL")),
        ("Edith Roe, History", ("Edith Roe",), ()),
        ("Ed Smith, History", ("Ed Smith",), ()),
        ("Biology - ED", ("ED",), ()),
        ("ED/BO, Biology", ("ED", "BO"), ()),
        ("ed JR, Biology", (), ("JR",)),
        ("Ed. Jane Roe - Biology - BO", ("BO",), ("Jane Roe",)),
    ],
)
def test_who_edited_a_question_is_no_writer(tag, writers, editors):
    said = read_tags((tag,))
    assert (said.people, said.editors) == (writers, editors)


def test_several_tags_say_each_thing_once():
    assert read_tags(("JD, Music", "Music", "ed. JD")) == PacketTag(("Music",), ("JD",), ("JD",))


@pytest.mark.parametrize(
    ("text", "bare", "name"),
    [
        ("Brahms (CL)", "Brahms", "CL"),
        ("Brahms {Jane Doe}.", "Brahms", "Jane Doe"),
        ("Brahms [or JB] - CL", "Brahms [or JB]", "CL"),
    ],
)
def test_a_name_alone_at_the_end_may_be_a_writer(text, bare, name):
    assert lone_name(text) == (bare, name)


@pytest.mark.parametrize(
    "text",
    [
        "Brahms (art)",
        "Brahms [or Bach]",
        "Brahms (the waltzes)",
        "(CL)",
        "Brahms <CL>",
        "Brahms - op",
        "Brahms [VAY-bur]",
        "Brahms (HIN-duh-mit)",
        "Brahms (SHAY-muss HEE-nee)",
        "Brahms (Jr.)",
        "Brahms (JR)",
        "Brahms (BC)",
        "Brahms (Sr)",
        "Brahms (III)",
        "Elizabeth - II",
        "Brahms [BY]",
        "Brahms (By Jane Doe)",
        "Brahms (Description Acceptable)",
    ],
)
def test_what_is_no_name_alone_at_the_end(text):
    assert lone_name(text) is None


def test_hostile_tags_cost_nothing():
    def read():
        for text in (
            "<" * 20_000 + ">",
            "<a>" * 20_000,
            "x <" + "a" * 20_000 + ">",
            "> " * 20_000,
            "x" + "<" * 20_000 + ">" * 20_000,
            "x {" + "a, " * 60 + "}",
            "x (" + "A, art, " * 24 + ")",
            "x &lt;" * 5_000 + "&gt;" * 5_000,
            "x " + "- " * 20_000,
        ):
            lone_name(text)
            _, tags = split_tags(text)
            assert len(tags) <= MOST_TAGS
            assert all(len(tag) <= LONGEST_TAG for tag in tags)
        read_tags(("The above question is for the category " + " and was written by" * 500,))

    assert seconds(read, 0.5) < 0.5
