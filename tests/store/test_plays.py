"""Plays that are kept: nobody plays the same game twice, and what is damaged is played again."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.guessing import Buzz, Guess, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store.plays import PLAYS, PlayCache, PlayRecord, PlaySummary
from quizwriter.workflow.checks import Check
from tests.challenge.test_challenge_set import words

MACBETH = Answer("Macbeth", Page("Macbeth"))
TOSSUPS = [Tossup(words(seed), MACBETH) for seed in range(3)]


class Counting:
    """A guesser that counts its games."""

    def __init__(self, guesser):
        self.guesser, self.name, self.games = guesser, guesser.name, 0

    def play(self, tossup, top=5):
        """The game."""
        self.games += 1
        return self.guesser.play(tossup, top)


@pytest.fixture
def counted(engine):
    """The player of the starter bundle, whose guesser counts its games."""
    (player,) = engine.players
    return replace(player, guesser=Counting(player.guesser))


def change(home, sql):
    with closing(sqlite3.connect(home / PLAYS)) as db, db:
        return db.execute(sql).rowcount


def told_before(play, engine):
    """A play as versions before the database told it in a line."""
    numbers = {}
    guesses = [[numbers.setdefault(guess.page, len(numbers)) for guess in row] for row in play.rows]
    buzz = play.buzz
    return {
        "guesser": play.guesser,
        "engine": engine,
        "words": len(play.tossup.words),
        "first_correct": play.first_correct,
        "stable_correct": play.stable_correct,
        "buzz": buzz.heard if buzz else None,
        "buzz_page": buzz.guess.page if buzz else "",
        "buzz_chance": round(float(buzz.confidence), 4) if buzz else 0.0,
        "buzzes_right": play.buzzes_right,
        "knowable": play.knowable,
        "heard": play.heard,
        "right": [int(right) for right in play.right],
        "chances": [round(float(chance), 4) for chance in play.chances],
        "ranks": play.ranks,
        "pages": list(numbers),
        "guesses": guesses,
        "scores": [[round(float(guess.score), 3) for guess in row] for row in play.rows],
    }


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_a_play_is_played_once_and_is_the_same_from_the_database(tmp_path, counted):
    with closing(PlayCache(tmp_path)) as cache:
        assert not any(cache.has(counted, tossup) for tossup in TOSSUPS)
        first = [cache.record(counted, tossup) for tossup in TOSSUPS]
    with closing(PlayCache(tmp_path)) as cache:
        assert all(cache.has(counted, tossup) for tossup in TOSSUPS)
        assert [cache.record(counted, tossup) for tossup in TOSSUPS] == first
        assert [cache.summary(counted, tossup) for tossup in TOSSUPS] == [one.summary for one in first]
        assert counted.guesser.games == 3

        assert not cache.has(counted, replace(TOSSUPS[0], answer=Answer("Hamlet", Page("Hamlet"))))
        assert not cache.has(counted, Tossup(TOSSUPS[0].text + " More.", MACBETH))
        assert not cache.has(replace(counted, engine="another"), TOSSUPS[0])


@pytest.mark.logs("a play by ir is damaged .* played again")
@pytest.mark.parametrize("damage", ["x", "[]", "{}", '{"heard":[1],"right":[]}'])
def test_a_damaged_play_is_played_again(tmp_path, counted, damage):
    with closing(PlayCache(tmp_path)) as cache:
        before = cache.record(counted, TOSSUPS[0])
    assert change(tmp_path, f"update play set course = '{damage}'") == 1

    with closing(PlayCache(tmp_path)) as cache:
        assert cache.record(counted, TOSSUPS[0]) == before
        assert cache.record(counted, TOSSUPS[0]) == before
    assert counted.guesser.games == 2


@pytest.mark.logs("file is not a database.*played again")
def test_a_file_that_is_no_database_any_more_is_begun_anew(tmp_path, counted):
    (tmp_path / PLAYS).write_bytes(b"no database at all, but long enough to be taken for one " * 40)
    with closing(PlayCache(tmp_path)) as cache:
        cache.record(counted, TOSSUPS[0])
    with closing(PlayCache(tmp_path)) as cache:
        assert cache.has(counted, TOSSUPS[0])


def test_plays_of_another_version_of_the_tables_are_played_again(tmp_path, counted):
    with closing(PlayCache(tmp_path)) as cache:
        cache.record(counted, TOSSUPS[0])
    change(tmp_path, "pragma user_version = 99")

    with closing(PlayCache(tmp_path)) as cache:
        assert not cache.has(counted, TOSSUPS[0])


def test_a_play_of_a_text_whose_words_were_counted_another_way_is_played_again(tmp_path, counted):
    with closing(PlayCache(tmp_path)) as cache:
        before = cache.record(counted, TOSSUPS[0])
    change(tmp_path, "update play set words = words + 1")

    with closing(PlayCache(tmp_path)) as cache:
        assert not cache.has(counted, TOSSUPS[0])
        assert cache.record(counted, TOSSUPS[0]) == before
        assert cache.has(counted, TOSSUPS[0])


def test_two_programs_may_keep_plays_at_once(tmp_path, counted):
    with closing(PlayCache(tmp_path)) as one, closing(PlayCache(tmp_path)) as other:
        one.record(counted, TOSSUPS[0])
        assert other.has(counted, TOSSUPS[0])
        other.record(counted, TOSSUPS[1])
        assert one.has(counted, TOSSUPS[1])


def test_where_nothing_can_be_kept_that_is_said(tmp_path, counted):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(QuizwriterError, match=r"plays kept in .* cannot be used"):
        PlayCache(tmp_path / "file")


def test_a_player_in_trouble_stops_it_and_nothing_is_kept(tmp_path, counted):
    troubled = replace(counted, guesser=Troubled())
    with closing(PlayCache(tmp_path)) as cache:
        with pytest.raises(QuizwriterError, match="ir could not play: no room"):
            cache.record(troubled, TOSSUPS[0])
        assert not cache.has(troubled, TOSSUPS[0])


class Troubled:
    """A guesser in trouble."""

    name = "ir"

    def play(self, tossup, top=5):
        """A game that says only why there is none."""
        return Playthrough("ir", tossup, trouble="no room")


@pytest.mark.logs("checks of a tossup are damaged")
def test_checks_are_kept_by_bundle_and_program_and_damaged_ones_are_made_again(tmp_path):
    made = []

    def make():
        made.append(1)
        return (Check("leak", False, "It says the answer."),)

    with closing(PlayCache(tmp_path)) as cache:
        first = cache.checks("bundle", "QuizWriter 1", TOSSUPS[0], make)
        assert cache.checks("bundle", "QuizWriter 1", TOSSUPS[0], make) == first == make()[:1]
        assert len(made) == 2
        cache.checks("bundle", "QuizWriter 2", TOSSUPS[0], make)
        cache.checks("another", "QuizWriter 1", TOSSUPS[0], make)
        assert len(made) == 4
    change(tmp_path, "update checked set checks = '[1]'")
    with closing(PlayCache(tmp_path)) as cache:
        assert cache.checks("bundle", "QuizWriter 1", TOSSUPS[0], make) == first
    assert len(made) == 5


def test_files_of_earlier_versions_are_removed_for_the_engines_that_have_played_anew(tmp_path):
    folder = tmp_path / "plays"
    folder.mkdir()
    files = {
        engine: folder / f"{hashlib.sha256(engine.encode()).hexdigest()[:24]}.jsonl" for engine in ("a", "b")
    }
    for file in files.values():
        file.write_text('{"key":', encoding="utf-8")
    with closing(PlayCache(tmp_path)) as cache:
        cache.remove_old_files(["a", "c"])
        assert [file.exists() for file in files.values()] == [False, True]
        cache.remove_old_files(["b"])
        assert not folder.exists()
        cache.remove_old_files(["b"])


scores = st.floats(-1e6, 1e6)
chances = st.floats(0, 1)
pages = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(Page)


@given(st.lists(st.tuples(st.lists(st.tuples(pages, scores), max_size=3), chances), max_size=8), st.data())
def test_a_row_is_written_as_it_always_was(tmp_path_factory, said, data):
    tossup = Tossup(" ".join(f"w{number}" for number in range(8)), MACBETH)
    count = len(said)
    heard = sorted(data.draw(st.sets(st.integers(1, 8), min_size=count, max_size=count)))
    rows = tuple(tuple(Guess(page, score) for page, score in dict(row).items()) for row, _ in said)
    buzz = Buzz(heard[0], rows[0][0], said[0][1]) if rows and rows[0] else None
    play = Playthrough(
        "ir", tossup, tuple(heard), rows, (None,) * count, tuple(chance for _, chance in said), buzz
    )

    class Says:
        name = "ir"
        engine = "digest"

        def play(self, tossup):
            return play

    with closing(PlayCache(tmp_path_factory.mktemp("home"))) as cache:
        cache.record(Says(), tossup)
        kept = cache.record(Says(), tossup)

    assert kept.line(7).decode() == compact({"qanta_id": 7, **told_before(play, "digest")}) + "\n"


def test_a_curve_counts_as_heard_by_whole_words():
    rows = tuple((Guess(page, 1.0),) for page in ("Hamlet", "Hamlet", "Macbeth", "Macbeth"))
    play = Playthrough(
        "ir", Tossup("one two three four", MACBETH), (1, 2, 3, 4), rows, (None,) * 4, (0.5,) * 4
    )
    summary = PlayRecord.of(play, "digest").summary

    right = [summary.right_after(share) for share in (1, 50, 51, 75, 76, 100)]
    assert right == [False, False, True, True, True, True]
    assert [summary.stumped(share) for share in (50, 51, 100)] == [True, False, False]


def test_right_at_the_word_after_a_share_is_stumped_until_that_share():
    made = PlaySummary("ir", "digest", 100, 8, 8, None, "", 0.0, False, True, "0" * 7 + "1" * 93)
    half = replace(made, words=50, first_correct=15)  # 28 % are 14 words

    assert [made.stumped(share) for share in (6, 7, 8)] == [True, True, False]
    assert [half.stumped(share) for share in (28, 29, 30)] == [True, False, False]


def test_a_player_that_cannot_know_the_answer_is_not_stumped():
    rows = ((Guess(Page("Hamlet"), 1.0),),)
    play = Playthrough("ir", Tossup("one", MACBETH), (1,), rows, (None,), (0.5,))

    assert PlayRecord.of(play, "digest").summary.stumped()
    unknown = PlayRecord.of(replace(play, knows_answer=False), "digest").summary
    assert not unknown.knowable
    assert not unknown.stumped()
