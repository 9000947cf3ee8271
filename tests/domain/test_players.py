"""What players are called, also those that only an old file or a server names."""

from __future__ import annotations

import pytest

from quizwriter.domain.players import NUMBERS, PLAYERS, player_kind


@pytest.mark.parametrize(
    ("name", "title"),
    [("dan", "DAN"), ("gru", "GRU"), ("qanta-gru", "QANTA GRU"), ("ir-", "IR-"), ("-", "-"), ("", "")],
)
def test_a_player_that_is_not_declared_is_called_by_the_words_of_its_name(name, title):
    assert player_kind(name).title == title


def test_each_player_has_its_own_number_and_the_next_one_finds_one_free():
    taken = {kind.number for kind in PLAYERS.values()}
    assert len(taken) == len(PLAYERS)
    assert taken < set(range(NUMBERS)), "give NUMBERS, the colours and the shapes one more"
