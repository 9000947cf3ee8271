"""Whether people can read it: contrast over the table of colours."""

import pytest

from quizwriter.gui.look import DARK, LIGHT, contrast, mixed

both = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])


def test_contrast_is_what_the_guidelines_say():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@both
@pytest.mark.parametrize("ground", ["page", "chrome"])
@pytest.mark.parametrize("text", ["ink", "soft", "accent"])
def test_text_is_legible(tokens, text, ground):
    assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= 4.5


@both
@pytest.mark.parametrize("text", ["right", "confident"])
def test_coloured_text_is_legible_on_paper(tokens, text):
    assert contrast(getattr(tokens, text), tokens.page) >= 4.5


@both
@pytest.mark.parametrize("mark", ["right", "wrong", "confident", "cue", "counter", "accent"])
def test_marks_stand_out_from_paper(tokens, mark):
    assert contrast(getattr(tokens, mark), tokens.page) >= 3


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
