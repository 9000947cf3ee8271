"""Finding a page by what people type, at once, among all there are."""

import random

import numpy as np
import pytest

from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.tossup import Answer
from quizwriter.engine.bundle import Bundle, publishing
from quizwriter.engine.pages import LONGEST_ALIAS, Alias, Completion, Pages, read_pages
from quizwriter.errors import QuizwriterError
from tests.helpers.steps import steps_of


def pages(**weights):
    return made(weights)


def made(weights, aliases=()):
    """Pages with how often each is asked for; an alias is a name, a page, and its numbers."""
    names = list(weights)
    known = [Alias(name, answer_key(name), names.index(page), *numbers) for name, page, *numbers in aliases]
    return Pages(names, [answer_key(page) for page in names], list(weights.values()), known)


def test_of_pages_that_share_a_key_the_one_asked_for_most_is_found_and_the_first_of_equals():
    among = pages(The_Alder=2, Alder=5, Birch=1, THE_BIRCH=1, Cedar=3)

    assert (among.find("alder"), among.find("birch"), among.find("cedar")) == ("Alder", "Birch", "Cedar")


def test_the_pages_that_are_right_are_the_own_one_and_those_that_the_line_accepts_by_name():
    among = pages(Samuel_Clemens=1, Mark_Twain=9, Huckleberry_Finn=3)

    right = among.right(Answer("Mark Twain [or Samuel Clemens]", Page("Mark_Twain")))

    assert [among.all[row] for row in right] == ["Mark_Twain", "Samuel_Clemens"]
    assert among.right(None) == among.right(Answer("Emma")) == ()


def offered(among, typed, limit=12):
    return tuple(completion.page for completion in among.complete(typed, limit))


def test_pages_that_share_a_key_are_offered_once_as_they_are_counted_once():
    among = made({"Hawaii": 7, "Hawai'i": 9, "Hawaii_(island)": 1})

    assert [one.page for one in among.complete("hawaii")] == ["Hawai'i", "Hawaii_(island)"]
    assert among.asked("Hawaii") == among.asked("Hawai'i") == 9


LAKES = made(
    {
        "Lake_Baikal": 5,
        "Baikal": 1,
        "Baikal_seal": 9,
        "The_Baikal_Affair": 7,
        "Mount_Baikalsk": 2,
        "Abaikal": 50,
        "Éire": 3,
        "Catch-22": 4,
        "Hawaiʻi": 2,
        "!!!": 1,
        "C++": 6,
    }
)


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("Lake_Baikal", "Lake_Baikal"),
        ("lake baikal", "Lake_Baikal"),
        ("The Lake Baikal", "Lake_Baikal"),
        (" BAIKAL ", "Baikal"),
        ("eire", "Éire"),
        ("Catch 22", "Catch-22"),
        ("Hawai'i", "Hawaiʻi"),
        ("Baikal Affair", "The_Baikal_Affair"),
        ("!!!", "!!!"),
        ("Lake", None),
        ("Lake Baikals", None),
        ("", None),
        ("  ", None),
        ("?", None),
    ],
)
def test_a_name_means_the_page_that_is_called_so(name, page):
    assert LAKES.find(name) == page


def test_where_pages_share_a_key_the_name_means_the_one_asked_for_most():
    shared = pages(the_nose=1, Nose=5, NOSE=3)

    assert shared.find("nose") == "Nose"
    assert offered(shared, "nos") == ("Nose",)


def test_the_exact_page_comes_first_then_those_that_begin_or_end_so_by_how_often_they_are_asked_for():
    assert offered(LAKES, "baikal") == (
        "Baikal",
        "Baikal_seal",
        "The_Baikal_Affair",
        "Lake_Baikal",
        "Mount_Baikalsk",
        "Abaikal",  # perhaps a slip
    )


def test_pages_asked_for_equally_often_come_in_their_order():
    assert offered(pages(Lima_A=1, Lima_B=1, Lima_C=1), "lima") == ("Lima_A", "Lima_B", "Lima_C")


PEOPLE = made(
    {
        "Johannes_Brahms": 40,
        "A_German_Requiem_(Brahms)": 6,
        "Brahms_Piano_Concerto_No._1": 3,
        "Brahma": 8,
        "John_F._Kennedy": 140,
        "JFK": 2,
        "Kennedy_family": 3,
        "Gospel_of_Luke": 11,
        "Luke_Perry": 1,
        "Madama_Butterfly": 20,
        "T._S._Eliot": 22,
        "George_Eliot": 21,
        "Vincent_van_Gogh": 23,
        "Henry_VIII_of_England": 10,
        "Henry_IV_of_France": 9,
        "Macbeth": 10,
        "Martin_Luther_King_Jr.": 7,
        "Martin_Luther": 12,
        "Immanuel_Kant": 58,
        "Kant": 1,
        "Cold_War": 30,
        "Korean_War": 20,
        "War": 1,
        "Japan": 88,
    },
    [
        ("JFK", "John_F._Kennedy", 30, 30),
        ("Jack Kennedy", "John_F._Kennedy", 3, 3),
        ("Cio-Cio-San", "Madama_Butterfly", 14, 14),
        ("Nippon", "Japan", 36, 36),
        ("Luke", "Gospel_of_Luke", 4, 4),
        ("mlk", "Martin_Luther_King_Jr.", 0, 0, True),
    ],
)


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("brahms", "Johannes_Brahms"),  # before his works
        ("brah", "Johannes_Brahms"),
        ("joha bra", "Johannes_Brahms"),
        ("bra joha", "Johannes_Brahms"),
        ("johanes brams", "Johannes_Brahms"),
        ("brhmas", "Johannes_Brahms"),  # a letter at another place
        ("jonahnes brahms", "Johannes_Brahms"),
        ("hohannes brahms", "Johannes_Brahms"),
        ("ohannes brahms", "Johannes_Brahms"),
        ("JFK", "John_F._Kennedy"),
        ("jfk", "John_F._Kennedy"),
        ("kennedy", "John_F._Kennedy"),
        ("luke", "Gospel_of_Luke"),
        ("cio cio san", "Madama_Butterfly"),
        ("cio-cio", "Madama_Butterfly"),
        ("cio cio sann", "Madama_Butterfly"),
        ("ts eliot", "T._S._Eliot"),
        ("vangogh", "Vincent_van_Gogh"),
        ("van gogh", "Vincent_van_Gogh"),
        ("henry 8", "Henry_VIII_of_England"),
        ("mac beth", "Macbeth"),
        ("mlk", "Martin_Luther_King_Jr."),
        ("king", "Martin_Luther_King_Jr."),
        ("luther", "Martin_Luther"),
        ("kant", "Immanuel_Kant"),
        ("nippon", "Japan"),
    ],
)
def test_a_page_is_found_as_people_ask_for_it(typed, page):
    assert offered(PEOPLE, typed)[0] == page


def test_a_page_found_by_another_name_says_which():
    assert PEOPLE.complete("cio cio")[0] == Completion("Madama_Butterfly", "Cio-Cio-San")
    assert PEOPLE.complete("madama")[0] == Completion("Madama_Butterfly", "")


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("JFK", "John_F._Kennedy"),  # two tossups have the page JFK
        ("Kant", "Immanuel_Kant"),
        ("Cio-Cio-San", "Madama_Butterfly"),
        ("MLK", "Martin_Luther_King_Jr."),
        ("War", "War"),  # many pages end so
        ("Brahma", "Brahma"),
        ("Kennedy family", "Kennedy_family"),
        ("Kennedy", None),
        ("", None),
        (" ", None),
    ],
)
def test_a_nickname_means_the_real_page(name, page):
    assert PEOPLE.meant(name) == page


def test_a_nickname_is_recognised_by_its_initials_alone():
    bundle = pages(**{"John_F._Kennedy": 140, "JFK": 2, "Public_Broad_Service": 19, "PBS": 0})

    assert bundle.meant("JFK") == "John_F._Kennedy"
    assert offered(bundle, "jfk") == ("John_F._Kennedy", "JFK")
    assert bundle.meant("PBS") is None  # too little is asked to say which is meant


def test_a_surname_or_initials_that_nobody_asks_for_mean_no_page_beside_the_one_that_is_asked_for():
    """Also in a bundle that knows no other names, and however rarely the real page is asked for."""
    bundle = pages(**{
        "JFK": 0, "John_F._Kennedy": 8, "Jack_French_Kemp": 1, "RFK": 0, "Robert_F._Kennedy": 4,
        "Einstein": 0, "Albert_Einstein": 12, "Alfred_Einstein": 5, "Wren": 2, "Sir_Wren": 3,
        "Bach": 2, "Johann_Sebastian_Bach": 37, "Carl_Philipp_Emanuel_Bach": 20,
        "Ida": 0, "Iron_Dragon_Army": 9,
    })  # fmt: skip

    for typed in ("JFK", "rfk", "Einstein", "bach"):
        assert bundle.meant(typed) is None, typed
    assert offered(bundle, "jfk")[:2] == ("John_F._Kennedy", "JFK")
    assert offered(bundle, "einstein")[0] == "Albert_Einstein"
    assert bundle.meant("Wren") == "Wren"  # asked for nearly as often
    assert bundle.meant("ida") == "Ida"  # a word, and no initials


def test_a_page_that_is_asked_for_often_is_no_nickname():
    bundle = made({"Hera": 27, "Juno": 5}, [("Juno", "Hera", 14, 14)])

    assert bundle.meant("juno") == "Juno"


def test_a_given_name_that_is_rarely_asked_for_means_no_page_beside_the_names_that_have_it():
    bundle = made({"Luke": 2, "Gospel_of_Luke": 6, "Luke_Skywalker": 1, "Emma": 10, "Emma_Lazarus": 40})

    assert bundle.meant("luke") is None
    assert offered(bundle, "luke")[0] == "Luke"  # and yet it can be picked
    assert bundle.meant("emma") == "Emma"
    assert made({"Luke": 2, "Luke_Skywalker": 1}).meant("luke") == "Luke"


def test_a_name_that_stands_beside_others_answers_is_no_nickname():
    bundle = made({"Trial_of_Socrates": 24, "Socrates": 1}, [("Socrates", "Trial_of_Socrates", 20, 0)])

    assert bundle.meant("Socrates") == "Socrates"


def test_a_name_of_several_pages_means_none_of_them():
    mercury = [("mercury", "Mercury_(element)", 16), ("Mercury", "Hermes", 13)]
    bundle = made({"Mercury_(element)": 11, "Hermes": 24}, mercury)

    assert bundle.meant("Mercury") is None
    assert set(offered(bundle, "mercury")) == {"Mercury_(element)", "Hermes"}


def test_the_map_of_answers_decides_between_several_pages():
    bundle = made(
        {"Hermes": 24, "Mercury_(element)": 11},
        [("Hg", "Hermes", 9), ("Hg", "Mercury_(element)", 1, 0, True)],
    )

    assert bundle.meant("hg") == "Mercury_(element)"


def test_how_often_a_page_is_asked_for():
    assert PEOPLE.asked("john f kennedy") == 140
    assert PEOPLE.asked("Nobody") == 0


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("BAI", True),
        ("bai", True),
        ("the baikal", True),
        ("seal", False),
        ("lake b", False),
        ("aikal", True),  # a letter is missing
        ("baikal affair x", False),
    ],
)
def test_only_the_beginnings_of_words_count(typed, found):
    assert ("The_Baikal_Affair" in offered(LAKES, typed)) is found


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("eir", "Éire"),
        ("ÉIR", "Éire"),
        ("catch 2", "Catch-22"),
        ("hawai'", "Hawaiʻi"),
        ("!!!", "!!!"),
        ("c++", "C++"),
    ],
)
def test_accents_and_punctuation_do_not_matter(typed, page):
    assert offered(LAKES, typed)[0] == page


WORKS = pages(
    **{"Symphony_No._9_(Beethoven)": 9, "Symphony_No._5_(Mahler)": 3, "Violin_Concerto_(Brahms)": 3},
    **{"Symphony_No._2_(Sibelius)": 2, "Hamlet": 20, "William_Shakespeare": 30, "Ludwig_van_Beethoven": 40},
)


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("Beethoven's Symphony No. 9", "Symphony_No._9_(Beethoven)"),
        ("Beethoven’s Ninth", "Symphony_No._9_(Beethoven)"),
        ("Mahler’s fifth symphony", "Symphony_No._5_(Mahler)"),
        ("Brahms's Violin Concerto", "Violin_Concerto_(Brahms)"),
        ("Sibelius' Second Symphony", "Symphony_No._2_(Sibelius)"),
        ("Shakespeare's Hamlet", "Hamlet"),
        ("Shakespeare’s Ham", "Hamlet"),
    ],
)
def test_a_work_completes_behind_its_maker(typed, page):
    assert offered(WORKS, typed)[0] == page


@pytest.mark.parametrize("typed", ["", " ", "zzz", ".*", "(", "[", "?!", "q" * 5_000, "q " * 500])
def test_what_begins_no_word_completes_to_nothing(typed):
    assert LAKES.complete(typed) == ()


def test_no_more_than_the_limit_are_offered():
    many = made({f"Lima_{number}": number for number in range(30)})

    assert offered(many, "lima", limit=2) == ("Lima_29", "Lima_28")
    assert len(many.complete("lima")) == 12


def test_a_key_never_runs_from_one_page_into_the_next():
    assert pages(Lake=1, Baikal=1).complete("lake baikal") == ()


def test_no_pages_at_all_are_no_trouble():
    none = pages()
    none.prepare()

    assert (len(none), none.find("a"), none.meant("a"), none.complete("a")) == (0, None, None, ())


def test_rows_number_the_pages():
    assert LAKES.rows[answer_key("Baikal")] == LAKES.all.index("Baikal") == 1
    assert len(LAKES) == 11


def test_the_work_for_a_key_hardly_depends_on_the_number_of_pages():
    dice = random.Random(7)
    syllables = [a + b for a in "bcdfghklmnprstvw" for b in "aeiou"]
    word = lambda: "".join(dice.choices(syllables, k=dice.randint(1, 4))).title()  # noqa: E731
    titles = list(dict.fromkeys("_".join(word() for _ in range(dice.randint(1, 3))) for _ in range(25_000)))
    few, many = (made(dict.fromkeys([*titles[:count], "Zx_alone"], 1)) for count in (2_000, 20_000))
    few.prepare()
    many.prepare()

    assert offered(many, titles[0])[0] == titles[0]
    for typed in ("z", "zx", "zx alone"):  # few pages of either begin so
        assert offered(few, typed)[0] == offered(many, typed)[0] == "Zx_alone"
        assert steps_of(lambda typed=typed: many.complete(typed)) <= 3 * steps_of(
            lambda typed=typed: few.complete(typed)
        )


# -- aliases in a bundle


def bundle_with(folder, names, keys, numbers):
    with publishing(folder, {"title": "Two pages"}) as writer:
        writer.lines("pages.txt", ["John_F._Kennedy", "Lake_Baikal"])
        writer.lines("page_keys.txt", ["john f kennedy", "lake baikal"])
        writer.array("pages_asked.npy", np.asarray([7, 5], np.int32))
        if names is not None:
            writer.lines("aliases/names.txt", names)
            writer.lines("aliases/keys.txt", keys)
            writer.array("aliases/numbers.npy", np.asarray(numbers, np.int32))
    return Bundle.open(folder)


def test_a_bundle_keeps_its_aliases(tmp_path):
    alias = Alias("JFK", "jfk", 0, 3, 2, mapped=True)
    bundle = bundle_with(tmp_path / "sound", ["JFK"], ["jfk"], [(0, 3, 2, 1)])

    assert [*read_pages(bundle).aliases] == [alias]
    assert read_pages(bundle).aliases[:1] == [alias]
    assert read_pages(bundle).meant("jfk") == "John_F._Kennedy"


def test_a_bundle_of_an_older_version_has_no_aliases(tmp_path):
    pages = read_pages(bundle_with(tmp_path / "old", None, None, None))

    assert len(pages.aliases) == 0
    assert offered(pages, "baik")[0] == "Lake_Baikal"


@pytest.mark.parametrize(
    ("names", "keys", "numbers"),
    [
        (["JFK"], ["jfk"], [(2, 3, 2, 1)]),  # no such page
        (["JFK"], ["jfk", "x"], [(0, 3, 2, 1)]),
        (["JFK", "x"], ["jfk", "x"], [(0, 3, 2, 1)]),
        (["JFK"], ["jfk"], [(0, 3, 2)]),
        (["JFK"], ["jfk"], [(0, -3, 2, 1)]),
        (["JFK"], [""], [(0, 3, 2, 1)]),
        (["J" * (LONGEST_ALIAS + 1)], ["jfk"], [(0, 3, 2, 1)]),
    ],
)
def test_aliases_that_make_no_sense_are_refused(tmp_path, names, keys, numbers):
    with pytest.raises(QuizwriterError, match="aliases/"):
        read_pages(bundle_with(tmp_path / "odd", names, keys, numbers))


@pytest.mark.parametrize(
    ("weights", "typed", "meant"),
    [
        ({"Wren": 2, "Ida_Wren": 5}, "wren", None),  # a shorter page beside the real one
        ({"Wren": 3, "Ida_Wren": 5}, "wren", "Wren"),
        ({"Otto": 0, "King_Otto": 1}, "otto", None),  # which nobody asks for
        ({"Otto": 0, "King_Otto": 0}, "otto", "Otto"),
        ({"Ida_Wren": 0, "Ida_M._Wren": 3}, "ida wren", None),
        ({"Ida_Wren": 4, "Ida_M._Wren": 3}, "ida wren", "Ida_Wren"),
    ],
)
def test_a_shorter_page_beside_one_that_is_asked_for_is_not_meant(weights, typed, meant):
    assert made(weights).meant(typed) == meant


@pytest.mark.parametrize(
    ("aliases", "meant"),
    [
        ([("Wren", "Marsh", 1, 0, False)], None),  # one line alone says little
        ([("Wren", "Marsh", 2, 0, False)], "Marsh"),
        ([("Wren", "Marsh", 1, 0, True)], "Marsh"),
        ([("Moor", "Marsh", 9, 0, True)], None),  # a surname of a page that is asked for
        ([("Moor", "Ada_Moor", 9, 0, True)], None),
        ([("Moor", "Una_Moor", 9, 0, True)], "Una_Moor"),  # the Moor that is asked for most
    ],
)
def test_an_alias_means_no_page_where_it_is_rather_a_part_of_another_name(aliases, meant):
    among = made({"Marsh": 7, "Ada_Moor": 2, "Una_Moor": 5}, aliases)
    assert among.meant(aliases[0][0]) == meant


def test_a_game_of_a_name_is_not_meant_beside_the_person_or_the_battle_that_is_asked_for():
    aliases = [("Wren", "Wren_(board_game)", 3, 0, True)]
    assert made({"Wren_(board_game)": 1, "Ida_von_Wren": 5}, aliases).meant("wren") is None
    assert made({"Wren_(board_game)": 1, "Battle_of_Wren": 5}, aliases).meant("wren") is None
    assert made({"Wren_(board_game)": 6, "Battle_of_Wren": 5}, aliases).meant("wren") == "Wren_(board_game)"


def test_a_number_and_short_words_are_found_written_out():
    among = made({"One_Hundred_Eels": 9, "Mount_Wren": 4, "Saint_Ida": 2, "Seven_Moors": 3})
    for typed, page in (
        ("100 eels", "One_Hundred_Eels"),
        ("mt wren", "Mount_Wren"),
        ("7 moors", "Seven_Moors"),
    ):
        assert offered(among, typed)[0] == page
    assert offered(among, "st ida") == ("Saint_Ida",)
