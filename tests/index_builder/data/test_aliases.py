"""Other names of pages, gathered from answer lines and from maps of answers."""

from index_builder.data.aliases import gather_aliases
from quizwriter.engine.pages import LONGEST_ALIAS, Alias

PAGES = ("John_F._Kennedy", "Madama_Butterfly", "Orion_(mythology)")


def aliases(*lines, mapped=None):
    return gather_aliases(PAGES, lines, mapped or {})


def test_names_that_lines_accept_are_aliases_and_counted():
    kennedy = PAGES[0]
    found = aliases(
        (kennedy, "John F. Kennedy [or JFK; prompt on Kennedy; do not accept “Robert Kennedy”]"),
        (kennedy, "John F. Kennedy (accept Jack Kennedy or JFK)"),
        (kennedy, "JFK"),
        (kennedy, "the Kennedy president [accept any answer that mentions Dallas]"),
        (PAGES[1], "Cio-Cio-San [accept Madama Butterfly]"),
        (PAGES[1], "Madama Butterfly"),
    )

    assert found == (
        Alias("Jack Kennedy", "jack kennedy", 0, 1, 1),
        Alias("JFK", "jfk", 0, 3, 2),
        Alias("the Kennedy president", "kennedy president", 0, 1, 0),
        Alias("Cio-Cio-San", "cio cio san", 1, 1, 0),  # beside no name of its own page
    )


def test_what_only_tells_pages_apart_is_not_missed():
    assert aliases((PAGES[2], "Orion [or the Hunter]")) == (
        Alias("the Hunter", "hunter", 2, 1, 1),
        Alias("Orion", "orion", 2, 1, 0),
    )


def test_the_spelling_that_most_lines_have_is_kept():
    lines = ["Jfk", "JFK", "JFK"]

    assert [one.name for one in aliases(*((PAGES[0], line) for line in lines))] == ["JFK"]


def test_the_map_of_answers_gives_aliases_of_pages_that_there_are():
    mapped = {"jfk": PAGES[0], "john f kennedy": PAGES[0], "brahms": "Johannes_Brahms"}

    assert aliases(mapped=mapped) == (Alias("jfk", "jfk", 0, 0, 0, mapped=True),)


def test_names_that_no_list_could_show_are_left_out():
    assert aliases((PAGES[0], f"John F. Kennedy [or {'x' * (LONGEST_ALIAS + 1)}; or \u202e; or !!!]")) == (
        Alias("!!!", "!!!", 0, 1, 1),
    )


def test_without_lines_there_are_no_aliases():
    assert aliases() == ()
    assert gather_aliases((), (), {}) == ()
