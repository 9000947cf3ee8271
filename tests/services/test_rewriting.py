"""The rewrite bank: which past questions are offered, and what a tossup says that begins with one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.domain.events import Event
from quizwriter.domain.history import Edit
from quizwriter.domain.page import Page
from quizwriter.domain.past_questions import PastQuestion, QuestionFilter, QuestionKind
from quizwriter.domain.provenance import Origin
from quizwriter.domain.review import Categorised, PutInSet
from quizwriter.domain.style_sheet import BuzzGoal
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.rewriting import MOST_PLAYED
from quizwriter.services.wiring import App
from quizwriter.workflow.rewrite_offers import EARLY, RewriteGame, RewriteOffer, in_order, question_key


@pytest.fixture
def app(tmp_path, bare_forest):
    with App(tmp_path, bundle=bare_forest) as app:
        app.profile.save_settings(replace(app.profile.settings, profile_id="ada", profile_name="Ada"))
        yield app


@pytest.fixture
def engine(app, monkeypatch):
    """Players who wait long, so that a buzz at the end counts as early."""
    monkeypatch.setattr("quizwriter.workflow.rewrite_offers.EARLY", 1.0)
    return app.engines.load()


def test_early_is_what_the_players_get_early_on_average():
    question = PastQuestion(1, QuestionKind.TOSSUP, "A text.", "Elm", Page("Elm"))
    early, late = RewriteGame("ir", 100, 20, "1" * 100), RewriteGame("dan", 100, None, "0" * 100)
    assert (early.share, late.share) == (0.2, 1.0)
    both = RewriteOffer(question, (early, late))
    assert (both.share, both.is_early, both.places) == (EARLY, True, "IR 20 %, DAN never")
    assert not RewriteOffer(question, (late,)).is_early
    assert not RewriteOffer(question, ()).is_early  # nobody can know it
    read, unread = RewriteOffer(question, (early,), read=True), RewriteOffer(question, (early, late))
    assert in_order([read, RewriteOffer(question, (late,)), unread]) == (unread, read)


def test_questions_are_offered_that_players_get_early_those_first_that_they_have_not_read(app, engine):
    seen, steps = [], []
    offers = app.rewriting.offers(
        engine, found=seen.append, progress=lambda done, total: steps.append((done, total))
    )
    assert offers == in_order(seen)
    assert steps[0][0] == 0
    assert steps[-1][1] <= MOST_PLAYED
    assert all(offer.games for offer in offers)
    unread = [offer.read for offer in offers]
    assert unread == sorted(unread)
    assert not unread[0]
    one = offers[0]
    (player,) = engine.players
    play = player.play(Tossup(one.question.text, Answer(one.question.line, one.question.page)))
    (game,) = one.games
    right = play.buzz is not None and play.tossup.answer.accepts(play.buzz.guess.page)
    assert (game.player, game.words) == (player.name, len(play.tossup.words))
    assert game.buzz == (play.buzz.heard if right else None)
    assert len(game.curve) == 100
    assert game.curve[-1] == ("1" if play.right[-1] else "0")


def test_held_back_questions_are_told_from_those_the_players_learnt(engine):
    unread, read = engine.library.tossups(QuestionFilter(kinds=frozenset({QuestionKind.TOSSUP})))
    assert (len(unread), len(read)) == (6 * 8, 6 * 12)
    assert not set(unread) & set(read)
    assert all("Rare" in engine.library.question(number).text for number in unread)  # of their folds
    assert not any("Rare" in engine.library.question(number).text for number in read)


def test_a_second_search_plays_nothing_again(app, engine, monkeypatch):
    first = app.rewriting.offers(engine)

    def refuse(*_: object) -> None:
        raise AssertionError("it was played before")

    monkeypatch.setattr("quizwriter.store.plays.PlayCache._play", refuse)
    assert app.rewriting.offers(engine) == first


def test_another_seed_draws_other_questions(app, engine, monkeypatch):
    monkeypatch.setattr("quizwriter.services.rewriting.MOST_PLAYED", 8)
    drawn = [
        {offer.question.number for offer in app.rewriting.offers(engine, seed=seed)} for seed in range(3)
    ]
    assert len(set(map(frozenset, drawn))) > 1


def test_a_cancelled_search_keeps_what_it_has_found(app, engine):
    cancellation, found = Cancellation(), []

    def take(offer):
        found.append(offer)
        cancellation.cancel()

    with pytest.raises(Cancelled):
        app.rewriting.offers(engine, found=take, cancellation=cancellation)
    assert len(found) == 1


def test_a_category_that_nobody_asks_is_refused(app, engine):
    with pytest.raises(QuizwriterError, match="no past tossup of the category Cooking"):
        app.rewriting.offers(engine, "Cooking")


def test_another_category_is_to_be_chosen_where_another_search_would_draw_the_same(app, engine, monkeypatch):
    monkeypatch.setattr("quizwriter.workflow.rewrite_offers.EARLY", -1.0)
    monkeypatch.setattr("quizwriter.services.rewriting.MOST_PLAYED", 6 * 20)
    with pytest.raises(QuizwriterError, match=r"no past tossup early .*\. Choose another category"):
        app.rewriting.offers(engine)
    monkeypatch.setattr("quizwriter.services.rewriting.MOST_PLAYED", 6 * 20 - 1)
    assert app.rewriting.offers(engine) == ()


def test_a_bundle_without_a_library_says_so(app, engine):
    with pytest.raises(QuizwriterError, match="no library"):
        app.rewriting.offers(replace(engine, library=None))


def test_a_tossup_that_begins_with_a_question_says_so_for_good(app, engine):
    offer = app.rewriting.offers(engine, set_name="Spring")[0]
    key = app.rewriting.begin(offer.question, "Spring", BuzzGoal(60, "ir"))

    review, tossup = app.review.review_of(key), app.store.load(key).tossup
    assert (tossup.text, tossup.answer.page) == (offer.question.text, offer.question.page)
    assert (review.set_name, review.buzz_goal) == ("Spring", BuzzGoal(60, "ir"))
    source = f"{offer.question.source}, on {offer.question.page.replace('_', ' ')}"
    assert review.based_on.body.source == source
    session = app.tossups.session(key)
    session.type(f"Once more: {tossup.text}", edit=Edit(0, "", "Once more: "))
    app.tossups.save(session.take_unsaved())
    origin = app.tossups.provenance(key)
    assert (origin.origin, origin.edits, origin.based_on.source) == (Origin.REWRITTEN, 1, source)
    assert app.tossups.titled_history(key).origin == f"Based on {source}; 1 edit since."
    (exported,) = app.sources.of([key])
    assert exported.based_on == source


def test_what_somebody_of_the_set_rewrote_is_offered_to_nobody_of_it(app, engine):
    offer = app.rewriting.offers(engine, set_name="Spring")[0]
    key = app.rewriting.begin(offer.question, "Spring")
    app.store.add_events([Event.new(key, 9, "ben", PutInSet("Spring", "Packet 1"))])
    taken = question_key(offer.question.text)
    assert taken in app.rewriting.taken("Spring")
    assert taken not in app.rewriting.taken("Autumn")
    assert offer.question not in [one.question for one in app.rewriting.offers(engine, set_name="Spring")]
    assert offer.question in [one.question for one in app.rewriting.offers(engine, set_name="Autumn")]


def test_my_categories_are_those_of_my_tossups_the_most_frequent_first(app):
    for number, levels in enumerate([("History",), ("Science", "Physics"), ("Science",), ()]):
        session = app.tossups.new_session()
        session.type(f"A text with the number {number}.")
        app.tossups.save(session.take_unsaved())
        if levels:
            app.store.add_events([Event.new(session.tossup_id, 1, "ada", Categorised(levels))])
    assert app.rewriting.own_categories() == ("Science", "History")
