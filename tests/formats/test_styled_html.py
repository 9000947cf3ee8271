"""HTML of the clipboard: the five styles come in, as Word and browsers write them, and nothing else does."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.styles import PLAIN, TextStyles
from quizwriter.formats.styled_html import (
    LARGEST_HTML,
    LONGEST_READ,
    pasted_styles,
    read_styled_html,
    styled_html,
)
from tests.helpers.processor_time import seconds


def read(source):
    text, styles = read_styled_html(source)
    return text, [(text[one.start : one.end], *map(str, one.styles)) for one in styles.spans()]


WORD = (
    '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta name=Generator content="Word 15">'
    '<link rel=File-List href="file:///C:/a.xml"><style><!-- p.MsoNormal {font-weight:bold} --></style>'
    "</head>\n<body lang=EN-US style='tab-interval:36.0pt'><!--StartFragment--><p class=MsoNormal>One <b"
    " style='mso-bidi-font-weight:\nnormal'>bold</b>, <i\nstyle='mso-bidi-font-style:normal'>italic</i>, <u>"
    "under</u>, x<sup>2</sup> H<sub>2</sub>O &#8220;q&#8221;&nbsp;<o:p></o:p></p>\n<p class=MsoNormal>"
    "<![if !supportLists]><span style='mso-list:Ignore'>7.</span><![endif]>Two</p><!--EndFragment--></body>"
)

DOCS = (
    '<meta charset="utf-8"><b style="font-weight:normal;" id="docs-guid-1"><p dir="ltr"><span style="'
    "font-weight:400;font-style:normal;text-decoration:none;vertical-align:baseline;"
    '">Plain </span><span style="font-weight:700;font-style:italic;text-decoration:underline">all</span>'
    '<span style="vertical-align:super;font-size:0.6em">2</span></p></b>'
)

CHROME = (
    '<span style="color: rgb(0, 0, 0); font-weight: 400;">a<span> </span></span><em style="font-weight: '
    '700">b</em><strong>c<br>d</strong><div>e</div>f<a href="http://x/y?z" onclick="do(\'>\')">g</a>'
)


def test_what_word_puts_on_the_clipboard():
    text, styles = read(WORD)
    assert text == "One bold, italic, under, x2 H2O “q”\u00a0\n7.Two"
    assert styles == [
        ("bold", "bold"),
        ("italic", "italic"),
        ("under", "underline"),
        ("2", "superscript"),
        ("2", "subscript"),
    ]


def test_what_documents_of_google_and_browsers_put_there():
    assert read(DOCS) == ("Plain all2", [("all", "bold", "italic", "underline"), ("2", "superscript")])
    assert read(CHROME) == ("a bc\nd\ne\nfg", [("b", "bold", "italic"), ("c\nd", "bold")])


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param("<script>alert('<b>x</b>')</script>a", "a", id="a script"),
        pytest.param("<style>b</style>a<title>t</title><svg><b>x</b></svg>", "a", id="what is no text"),
        pytest.param(
            "<img src=http://x/y.png alt='no'>a<iframe src=x>b</iframe>", "a", id="pictures and frames"
        ),
        pytest.param("a <!-- <b>no</b> --> b", "a b", id="a comment"),
        pytest.param("a <!-- no end", "a", id="a comment without an end"),
        pytest.param("a<script>no end", "a", id="a script without an end"),
        pytest.param("1 < 2 & 3 &lt; 4 <5>", "1 < 2 & 3 < 4 <5>", id="signs that are no tags"),
        pytest.param("a <b title='>'>b</b", "a b</b", id="a tag that is cut off"),
        pytest.param("&#" + "9" * 5_000 + ";", "&#" + "9" * 5_000 + ";", id="a number too long"),
        pytest.param("<table><tr><th>a<td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc", id="a table"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_hostile_and_broken_html_gives_its_letters_alone(source, text):
    assert read_styled_html(source)[0] == text


def test_elements_that_are_closed_in_the_wrong_order_do_no_harm():
    assert read("<b>a<i>b</b>c</i>d") == ("abcd", [("a", "bold"), ("b", "bold", "italic")])
    assert read("</b></i>a" + "<b>" * 5_000 + "b" + "</b>" * 5_000 + "c")[1] == [("b", "bold")]


@pytest.mark.parametrize(
    "piece",
    [
        "<b>",
        "</i>",
        "<b ",
        "<!--",
        "<script>",
        "<a '",
        '<a "',
        "&#",
        "&amp",
        " ",
        "<i style='",
        "a<",
        "<p><br>",
    ],
)
def test_the_time_grows_with_the_length(piece):
    def cost(size):
        source = piece * (size // len(piece))
        start = time.process_time()
        read_styled_html(source)
        return time.process_time() - start

    cost(1_000)
    assert min(cost(80_000) for _ in range(2)) < 20 * min(cost(20_000) for _ in range(2)) + 0.2


def test_no_more_is_read_than_a_draft_can_take():
    text, _ = read_styled_html("<p>word</p>" * LONGEST_READ)
    assert len(text) <= LONGEST_READ + 10


@pytest.mark.parametrize(
    "piece",
    [
        "<i>",
        "</i>",
        "<p>",
        "<i></i>",
        "abcd efgh ",
        pytest.param(f"<p style='{'a:;' * 30_000}'>", id="declarations"),
        pytest.param(f"<p {'a=b ' * 30_000}>", id="attributes"),
    ],
)
def test_html_of_the_largest_size_costs_no_more_than_a_draft_full_of_tags(piece):
    """It is read within the window's thread."""
    source = piece * (LARGEST_HTML // len(piece))
    assert seconds(lambda: read_styled_html(source), 0.8) < 0.8  # with coverage, which doubles it


def test_styles_are_matched_with_the_plain_text_that_came_along():
    styles = pasted_styles("<ol><li>The <b>second</b>\n   word</li></ol>", "1. The second word")
    assert styles == TextStyles(bytes(7) + b"\1" * 6)
    assert pasted_styles("<p>no styles</p>", "no styles") == PLAIN


@given(st.text("ab <>&\n\"'é😀", max_size=40), st.binary(max_size=40))
def test_our_own_html_comes_back_with_the_same_styles(text, codes):
    visible = bytes(code for code, letter in zip(codes, text, strict=False) if not letter.isspace())
    styles = TextStyles.of_codes(bytes(code & 31 for code in codes[: len(text)]))
    found, looks = read_styled_html(styled_html(text, styles))
    assert found.split() == text.split()
    letters = [
        code
        for code, letter in zip(looks.codes.ljust(len(found), b"\0"), found, strict=False)
        if not letter.isspace()
    ]
    wanted = TextStyles.of_codes(visible).codes
    assert bytes(letters).rstrip(b"\0") == wanted
