"""What players are called, also those that only an old file or a server names."""

from __future__ import annotations

import pytest

from quizwriter.domain.players import player_kind


@pytest.mark.parametrize(
    ("name", "title"),
    [("dan", "DAN"), ("gru", "GRU"), ("qanta-gru", "Qanta GRU"), ("ir-", "IR-"), ("-", "-"), ("", "")],
)
def test_a_player_that_is_not_declared_is_called_by_the_words_of_its_name(name, title):
    assert player_kind(name).title == title
