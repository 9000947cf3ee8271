"""The plots of experiments: whose colour a series has, and in which style a picture is drawn."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from PIL import Image

from quizwriter.domain.players import player_kind
from quizwriter.experiments.drawing import PAPER, draw
from quizwriter.experiments.registry import Plot, Series

LINES = Plot.lines("words heard", "right")
DARK = replace(PAPER, ground="#101010", ink="#F0F0F0", inches=(4.0, 3.0), dots_per_inch=100)


def series(*labels):
    return [Series(label, (0.0, 0.5, 1.0), (0.1 + at / 10,) * 3) for at, label in enumerate(labels)]


def svg(*labels):
    return draw(LINES, series(*labels), "Who is right?", kinds=("svg",))["svg"].decode()


def colour(name):
    return PAPER.series[player_kind(name).number].lower()


def test_a_player_has_its_own_colour_whoever_else_is_drawn():
    assert colour("dan") in svg("DAN")
    assert colour("ir") not in svg("DAN")
    assert svg("DAN") == svg("DAN")
    assert colour("ensemble") in svg("People", "ensemble")


def test_what_is_no_player_gets_a_colour_that_no_player_of_the_plot_has():
    drawn = svg("People", "IR")

    assert colour("ir") in drawn
    assert colour("dan") in drawn  # the first that is free


@pytest.mark.parametrize("plot", [LINES, Plot.bars("share"), Plot.dots("words heard", "right")])
def test_a_picture_has_the_ground_and_the_size_of_its_style(plot):
    drawn = draw(plot, series("IR", "DAN"), "Who is right?", style=DARK, kinds=("png",))

    with Image.open(io.BytesIO(drawn["png"])) as picture:
        assert picture.size == (400, 300)
        colours = {shade for _, shade in picture.convert("RGB").getcolors(1 << 20)}
        assert picture.convert("RGB").getpixel((1, 1)) == (0x10, 0x10, 0x10)
        assert (255, 255, 255) not in colours
