"""A tossup: which words are read aloud, which can be clues, where sentences end, which answer is right."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.page import answer_key, page_title
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer, Tossup

PIECES = [
    "ab", "A", "1", "😀", " ", " ", " ", "\n", ".", '"', "'", "(", ")", "[", "]", "-",
    "(*)", "(+)", '("guh")', "[a-b]", "(GUH-tuh)", "—", " , ", "A-", "&",
    "(read slowly)", "(pronounced", "note to moderator:", "for", "10", "points", "name", "Name", "each",
    "FTP",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def said(text):
    return [span.of(text) for span in Tossup(text).words]


def boilerplate(text):
    tossup = Tossup(text)
    return [span.of(text) for span, clue in zip(tossup.words, tossup.clues, strict=True) if not clue]


def sentences(text):
    return [span.of(text) for span in Tossup(text).sentences]


def test_a_span_is_half_open_and_counts_code_points():
    assert Span(1, 3).of("😀bc😀") == "bc"


def test_words_are_what_white_space_separates():
    assert said("  One river\n\tfeeds  this lake. ") == ["One", "river", "feeds", "this", "lake."]


@pytest.mark.parametrize("mark", [",", "—", "/", "-", "--", "…", '"', "*", "[...]", "”.", "____", "/~~_"])
def test_lone_punctuation_is_no_word(mark):
    assert said(f"{mark} One river {mark} feeds {mark}") == ["One", "river", "feeds"]
    assert Tossup(f"{mark} One river {mark} feeds {mark}").length == 3


@pytest.mark.parametrize("sign", ["&", "=", "+", "%", "√", "€", "😀", "(1)", "“ice”,", "#"])
def test_a_sign_that_is_read_aloud_is_a_word(sign):
    assert said(f"One {sign} two") == ["One", sign, "two"]


def test_an_empty_draft_has_no_words():
    assert said(" \n ") == []


@pytest.mark.parametrize(
    "text", ["One river (*) feeds", "One river(*)feeds", "One river (+) feeds", "One river(*) feeds"]
)
def test_a_power_mark_is_no_word_even_when_glued_to_one(text):
    assert said(text) == ["One", "river", "feeds"]


def test_the_words_before_the_mark_are_in_power():
    assert Tossup("One big river(*) feeds this lake").power == 3


def test_a_mark_inside_a_word_keeps_only_what_is_before_it_in_power():
    assert Tossup("One ri(*)ver").power == 2


def test_without_a_mark_nothing_is_said_about_power():
    assert Tossup("One big river").power is None


def test_a_superpower_mark_does_not_end_power():
    assert Tossup("One (+) big (*) river").power == 2


@pytest.mark.parametrize(
    "guide",
    [
        '("GUR-tuh")', "(“GUR-tuh”)", "['GUR-tuh']", "(‘GUR tuh’)", '( "GUR-tuh" )', "(pronounced GUR-tuh)",
        "[pronounced GUR-tuh]", "(read as GUR-tuh)", "[GUR-tuh-ee]", "(pr. GUR-tuh)", "(say GUR-tuh)",
        "(GUR-tuh)", "(SIM-ee-un)", "(YO-hahn VOLF-gahng)", "(GRAY - eye)", "[du la GUR-tuh]", "(d’GUR-tuh)",
    ],
)  # fmt: skip
def test_a_pronunciation_guide_is_no_word(guide):
    assert said(f"When Goethe {guide} travelled") == ["When", "Goethe", "travelled"]


@pytest.mark.parametrize(
    "aside",
    [
        "(in Weimar)", "[of Weimar]", "(1749)", "(sayings)", "(readers)", "(US-led)", "(pre-WWII)", "(X-ray)",
        "(DNA-binding)", "(mother-in-law)", "(CD-ROM)", "(Franco-Prussian)", "(in the US-led war)", "(IFN-g)",
        "(WEIMAR)", "(UNESCO-listed)",
    ],
)  # fmt: skip
def test_an_ordinary_aside_is_read_aloud(aside):
    assert said(f"When Goethe {aside} travelled") == ["When", "Goethe", *aside.split(), "travelled"]


@pytest.mark.parametrize(
    "note",
    [
        "Note to moderator: read the list slowly.", "Note to players: two names required.",
        "Moderator note: do not stop.", "(Read this list slowly)", "[emphasize the last word]",
        "(Note to moderator: pause briefly)", "[Description acceptable]", "(Two answers required.)",
        "(pause)",
    ],
)  # fmt: skip
def test_a_note_to_the_moderator_is_no_word(note):
    assert said(f"{note} This lake freezes.") == ["This", "lake", "freezes."]


def test_a_note_is_only_one_at_the_beginning():
    assert said("He wrote note to moderator: go. Then") == [
        "He",
        "wrote",
        "note",
        "to",
        "moderator:",
        "go.",
        "Then",
    ]


def test_a_bracket_left_open_is_read_aloud():
    assert said('When Goethe ("GUR-tuh travelled') == ["When", "Goethe", '("GUR-tuh', "travelled"]


def test_words_after_an_emoji_are_found_by_code_point():
    assert Tossup("😀 lake").words == (Span(0, 1), Span(2, 6))


@given(texts, st.data())
def test_the_words_heard_first_are_the_first_words(text, data):
    tossup = Tossup(text)
    count = data.draw(st.integers(0, len(tossup.words)))

    assert tossup.heard(count).words == tossup.words[:count]


@given(texts, st.data())
def test_hearing_more_never_changes_what_could_be_a_clue(text, data):
    tossup = Tossup(text)
    count = data.draw(st.integers(0, len(tossup.words)))

    assert tossup.heard(count).clues == tossup.clues[:count]


@given(texts)
def test_every_word_is_a_verdict_and_no_word_holds_white_space(text):
    tossup = Tossup(text)

    assert len(tossup.clues) == len(tossup.words)
    assert all(span.of(text).split() == [span.of(text)] for span in tossup.words)


def test_hearing_keeps_the_answer():
    answer = Answer("Lake Baikal")

    assert Tossup("This lake freezes", answer).heard(1) == Tossup("This", answer)


@pytest.mark.parametrize("count", [-1, 4])
def test_more_or_fewer_words_than_there_are_cannot_be_heard(count):
    with pytest.raises(ValueError, match=f"cannot hear {count} of 3 words"):
        Tossup("This lake freezes").heard(count)


@pytest.mark.parametrize(
    ("text", "stock"),
    [
        ("It froze. For 10 points, name this lake.", ["10", "points,", "name"]),
        ("It froze. For ten points, identify this lake.", ["ten", "points,", "identify"]),
        ("It froze. For 15 points each, give these lakes.", ["15", "points", "each,", "give"]),
        ("It froze. FTP, name this lake.", ["FTP,", "name"]),
        ("It froze. FTP name this lake.", ["FTP", "name"]),
        ("It froze, for 10 points—name it", ["10"]),
        ("Name this lake.", ["Name"]),
        ("It froze. “Identify this lake.”", []),
        ("Its name means deep; it gives names to seals.", []),
        ("It lost ten points to each team.", []),
        ("It froze in 10 places.", []),
    ],
)
def test_the_call_for_an_answer_is_no_clue(text, stock):
    if text.startswith("It froze. “"):
        stock = ["“Identify"]
    assert boilerplate(text) == stock


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It froze. It thawed! Did it? Yes.", ["It froze.", "It thawed!", "Did it?", "Yes."]),
        ("A draft without an end", ["A draft without an end"]),
        ("It froze.  \n It thawed. ", ["It froze.", "It thawed."]),
        ("Dr. Seuss met Mrs. Dalloway. They left.", ["Dr. Seuss met Mrs. Dalloway.", "They left."]),
        ("J. S. Bach wrote it. He slept.", ["J. S. Bach wrote it.", "He slept."]),
        ("J.R.R. Tolkien wrote it. He slept.", ["J.R.R. Tolkien wrote it.", "He slept."]),
        ("His Op. 27 No. 2 glows. He slept.", ["His Op. 27 No. 2 glows.", "He slept."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("He said “Stop!” Then he left.", ["He said “Stop!”", "Then he left."]),
        ("It froze. “Ice” is its name.", ["It froze.", "“Ice” is its name."]),
        ("It froze. (*) Seals live there.", ["It froze.", "(*) Seals live there."]),
        ("It froze (hard). Seals live there.", ["It froze (hard).", "Seals live there."]),
        ("It is 3.5 miles deep. Seals swim.", ["It is 3.5 miles deep.", "Seals swim."]),
        ("Wait... it thawed. Seals swim.", ["Wait... it thawed.", "Seals swim."]),
        ("Really?! It thawed.", ["Really?!", "It thawed."]),
        ("It froze. Él nadó.", ["It froze.", "Él nadó."]),
        ("It ends with the letter B.", ["It ends with the letter B."]),
        ("", []),
        (" \n", []),
    ],
)
def test_sentences_end_where_a_reader_stops(text, expected):
    assert sentences(text) == expected


@given(texts)
def test_sentences_follow_each_other_and_leave_nothing_but_white_space_out(text):
    spans = Tossup(text).sentences
    between = [
        text[one.end : other.start]
        for one, other in zip([Span(0, 0), *spans], [*spans, Span(len(text), len(text))], strict=True)
    ]

    assert not "".join(between).strip()
    assert all(span.of(text).strip() == span.of(text) != "" for span in spans)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Great Gatsby", "great_gatsby"),
        ("Édouard Manet", "Edouard_Manet"),
        ("Stanisław Lem", "Stanislaw Lem"),
        ("Søren Kierkegaard", "Soren Kierkegaard"),
        ("Þingvellir", "Thingvellir"),
        ("Ægir", "Aegir"),
        ("Weißenberg", "Weissenberg"),
        ("İstanbul", "Istanbul"),
        ("Hawai‘i", "Hawaii"),
        ("Newton's Laws", "newtons laws"),
        ("Newton’s Laws", "Newton's Laws"),
        ("Catch-22", "catch 22"),
        ("  A Doll's House ", "dolls house"),
        ("An Enemy", "enemy"),
        ("\uff37\uff41\uff52", "war"),
        ("É", "É"),
    ],
)
def test_names_that_differ_as_redirects_do_have_one_key(one, other):
    assert answer_key(one) == answer_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Theseus", "seus"), ("The", ""), ("A", "B"), ("Mars (god)", "Mars"), ("+", "-"), ("C", "C+D")],
)
def test_different_names_have_different_keys(one, other):
    assert answer_key(one) != answer_key(other)


def test_a_name_of_punctuation_alone_is_its_own_key():
    assert answer_key(" !!! ") == "!!!"


@given(st.text(alphabet="aA éÉ_-'.", max_size=8))
def test_a_key_is_its_own_key_unless_an_article_hides_behind_another(name):
    key = answer_key(name)

    assert answer_key(key) == key or key.startswith(("a ", "an ", "the "))


@pytest.mark.parametrize(
    ("line", "main"),
    [
        ("Lake Baikal [accept Baikal; prompt on lake]", "Lake Baikal"),
        ('"Kubla Khan" (by Coleridge)', "Kubla Khan"),
        ("“Kubla Khan”", "Kubla Khan"),
        ("sodium; accept Na", "sodium"),
        ("iron <Chemistry>", "iron"),
        ("[the] Sun", "Sun"),
        ("Niels (Henrik David) Bohr", "Niels Bohr"),
        ("Maori [MOW-ree] songs", "Maori songs"),
        ("gold AND sulfur [both required]", "gold and sulfur"),
        ("haiku or hokku [prompt on poems]", "haiku"),
        (" Lima ", "Lima"),
        ("Johannes _Brahms_ [accept Brahms]", "Johannes Brahms"),
        ("__War__ and _Peace_", "War and Peace"),
        ("Madama_Butterfly", "Madama_Butterfly"),
        ("_so begun", "_so begun"),
        ("", ""),
    ],
)
def test_the_main_answer_is_the_first_that_the_line_names(line, main):
    assert Answer(line).main == main


def test_the_page_is_right_however_it_is_written():
    answer = Answer("Emma [accept Miss Woodhouse]", "Emma_(novel)")

    assert answer.accepts("Emma_(novel)")
    assert answer.accepts("emma (Novel)")


def test_another_page_is_wrong_even_if_the_line_reads_like_it():
    answer = Answer("Emma", "Emma_(novel)")

    assert not answer.accepts("Emma")


def test_without_a_page_the_main_answer_is_right():
    answer = Answer("The Nose [prompt on Nos]")

    assert answer.accepts("Nose")
    assert not answer.accepts("Nos")


BUTTERFLY = Answer(
    "Madama _Butterfly_ [accept *_Cio-Cio-San_*; accept _Pinkerton_ until “San” is read; prompt on opera; "
    "do not accept Miss Saigon]",
    "Madama_Butterfly",
)


@pytest.mark.parametrize(
    ("page", "right"),
    [
        ("Madama_Butterfly", True),
        ("Cio-Cio-San", True),  # the line accepts it by name
        ("Butterfly", False),  # a part of the name, and another page
        ("Pinkerton", False),  # for a while only
        ("Opera", False),
        ("Miss_Saigon", False),
        ("Tosca", False),
    ],
)
def test_a_page_is_right_that_the_line_accepts_by_name(page, right):
    assert BUTTERFLY.accepts(page) is right


@pytest.mark.parametrize(
    ("line", "own", "page"),
    [
        ("Zeus [or Jupiter]", "Zeus", "Jupiter"),  # several pages are called so
        ("clouds [accept clouds]", "Cloud", "The_Clouds"),  # a play
        ("Kingdom of Mysore", "Kingdom_of_Mysore", "Mysore"),
        ("Charles Darwin [accept Darwin]", "Charles_Darwin", "Darwin"),
        ("iodine [or I]", "Iodine", "I"),
        ("gold AND sulfur", None, "Gold"),
        ("flight [accept “soaring” in place of “flight”]", "Flight", "Soaring"),
        ("birds [accept any answer mentioning wings]", "Bird", "Wings"),
    ],
)
def test_a_page_that_may_be_another_answer_is_wrong(line, own, page):
    assert not Answer(line, own).accepts(page)


def test_without_a_page_the_names_of_the_line_are_right():
    answer = Answer("Samuel Langhorne Clemens [or Mark Twain]")

    assert answer.accepts("Mark_Twain")
    assert set(answer.keys) == {"samuel langhorne clemens", "mark twain"}


def test_a_page_title_is_read_with_spaces():
    assert page_title("Lake_Baikal_(song)") == "Lake Baikal (song)"


@pytest.fixture
def real_texts(shared_data):
    lines = (shared_data / "tossups_sample.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


def test_the_words_of_a_real_tossup_are_those_between_its_spaces(real_texts):
    same = sum(
        said(text) == [part for part in text.split() if any(map(str.isalnum, part))] for text in real_texts
    )

    assert len(real_texts) >= 100
    assert same >= 0.98 * len(real_texts)


def test_hearing_more_of_a_real_tossup_never_changes_what_was_heard(real_texts):
    for text in real_texts:
        tossup = Tossup(text)
        for count in range(0, len(tossup.words), 7):
            heard = tossup.heard(count)
            assert (heard.words, heard.clues) == (tossup.words[:count], tossup.clues[:count])


def test_nearly_every_real_tossup_has_a_call_that_is_no_clue(real_texts):
    called = sum(not all(Tossup(text).clues) for text in real_texts)

    assert called >= 0.9 * len(real_texts)


def test_a_real_tossup_has_a_handful_of_sentences(real_texts):
    counts = sorted(len(Tossup(text).sentences) for text in real_texts)

    assert 4 <= counts[len(counts) // 2] <= 8
    assert counts[-1] <= 20
