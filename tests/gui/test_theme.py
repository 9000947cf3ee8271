"""Whether people can read it: contrast over the table of colours."""

import pytest

from quizwriter.gui.theme import DARK, LIGHT, contrast, contrasted, mixed

both = pytest.mark.parametrize(
    "tokens",
    [LIGHT, DARK, contrasted(LIGHT), contrasted(DARK)],
    ids=["light", "dark", "light, high contrast", "dark, high contrast"],
)


def test_contrast_is_what_the_guidelines_say():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@both
@pytest.mark.parametrize("ground", ["page", "chrome"])
@pytest.mark.parametrize("text", ["ink", "soft", "accent"])
def test_text_is_legible(tokens, text, ground):
    assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= 4.5


@both
@pytest.mark.parametrize("text", ["right", "confident", "note"])
def test_coloured_text_is_legible_on_paper(tokens, text):
    assert contrast(getattr(tokens, text), tokens.page) >= 4.5


@both
@pytest.mark.parametrize("mark", ["right", "wrong", "confident", "cue", "counter", "note", "accent"])
def test_marks_stand_out_from_paper(tokens, mark):
    assert contrast(getattr(tokens, mark), tokens.page) >= 3


@both
def test_lines_of_a_chart_stand_out_from_paper(tokens):
    assert min(contrast(colour, tokens.page) for colour in tokens.series) >= 3
    assert len(set(tokens.series)) == len(tokens.series)


@both
def test_text_on_the_accent_is_legible(tokens):
    assert contrast(tokens.on_accent, tokens.accent) >= 4.5


@both
def test_text_stays_legible_on_the_strongest_cue(tokens):
    assert contrast(tokens.ink, mixed(tokens.cue, tokens.page, tokens.strong)) >= 4.5


@both
def test_dimmed_text_stays_legible_on_its_strongest_cue(tokens):
    assert contrast(tokens.soft, mixed(tokens.cue, tokens.page, tokens.dimmed)) >= 4.5


@both
def test_the_answer_s_title_is_legible_on_the_row_in_focus(tokens):
    assert contrast(tokens.right, mixed(tokens.accent, tokens.page, 0.09)) >= 4.5


@both
def test_high_contrast_has_hairlines_that_stand_out(tokens):
    assert contrast(contrasted(tokens).line, tokens.page) >= 3


def linear(colour):
    return [((int(colour[at : at + 2], 16) / 255 + 0.055) / 1.055) ** 2.4 for at in (1, 3, 5)]


# Viénot, Brettel and Mollon, "Digital video colourmaps for checking the legibility of displays by
# dichromats" (1999): what is left of red and green, and of blue, in linear light.
PROTAN = ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0))
DEUTAN = ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0))


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", [PROTAN, DEUTAN], ids=["protanopia", "deuteranopia"])
def test_for_and_against_differ_without_red_or_green(tokens, sight):
    cue, counter = (
        [sum(share * light for share, light in zip(row, linear(colour), strict=True)) for row in sight]
        for colour in (tokens.cue, tokens.counter)
    )

    assert max(abs(one - other) for one, other in zip(cue, counter, strict=True)) > 0.25
