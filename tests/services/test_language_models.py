"""The language model in use, its database, its key, and the sets that no server ever sees."""

from datetime import date

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.model_budget import BudgetExceededError, ModelBudget, Spending
from quizwriter.domain.page import Page
from quizwriter.domain.review import NeverSent, PutInSet, TakenBack
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.settings import ModelSettings
from quizwriter.store.database import Database
from quizwriter.store.model_answers import ModelAnswers
from quizwriter.workflow.session import PendingSave
from tests.helpers.chat_server import MODEL, ChatServer

TEXT = (
    "A child named Sorrow watches the harbour of Nagasaki in this work. A humming chorus sounds from "
    "offstage during the vigil. For 10 points, name this opera."
)
OPERA = Answer("Madama Butterfly", Page("Madama_Butterfly"))


@pytest.fixture
def server():
    with ChatServer().running() as server:
        yield server


@pytest.fixture
def app(tmp_path, starter):
    with App(tmp_path / "home", bundle=starter) as app:
        yield app


def settings(server, **more):
    return ModelSettings(on=True, url=server.url, model=MODEL, **more)


def keep(app, key, text=TEXT, set_name=""):
    app.store.save(PendingSave.begun(key, text, OPERA, 1, "ada"))
    if set_name:
        app.review.record([key], PutInSet(set_name))


# -- the player


def test_nothing_plays_until_it_is_switched_on(app, server):
    engine = app.engines.load()
    assert not any(player.metered for player in engine.players)
    assert app.models.player(engine) is None
    assert not app.models.on

    app.models.use(settings(server))
    (player,) = [one for one in app.engines.with_server_player(engine).players if one.metered]
    assert player.name == "llm"
    assert not server.asked
    assert player.play(Tossup(TEXT, OPERA)).rows
    app.models.use(None)
    assert app.engines.with_server_player(engine).players == engine.players
    with pytest.raises(QuizwriterError, match="was stopped"):
        player.play(Tossup(f"{TEXT} More of it."))


def test_what_it_said_is_kept_for_the_next_start(tmp_path, starter, server):
    for _ in range(2):
        with App(tmp_path / "home", bundle=starter) as app:
            app.models.use(settings(server))
            player = app.models.player(app.engines.load())
            assert player.play(Tossup(TEXT)).rows
            assert app.models.spent() == Spending(3, 1_200, 300)
    assert len(server.asked) == 3


def test_slow_work_leaves_it_out(app, server):
    keep(app, "one")
    app.models.use(settings(server))
    engine = app.engines.load()
    report = app.plays.play_all(engine)
    assert report.left == 0
    assert not server.asked


def test_the_key_lies_in_the_keyring_and_goes_with_each_request(app, server, monkeypatch):
    monkeypatch.setenv("QUIZWRITER_LANGUAGE_MODEL_KEY", "sk-123")
    with_key = settings(server, sign_in="key")
    assert app.models.probe(with_key) == (MODEL, "owl-70b")
    app.models.use(with_key)
    app.models.player(app.engines.load()).play(Tossup(TEXT))
    assert {headers["authorization"] for headers in server.headers} == {"Bearer sk-123"}

    monkeypatch.delenv("QUIZWRITER_LANGUAGE_MODEL_KEY")
    with pytest.raises(QuizwriterError, match="has no API key for 127"):
        app.models.probe(with_key)
    assert app.models.save_key(with_key, "sk-456") is False  # there is no keyring in tests
    app.models.probe(with_key)
    assert server.headers[-1]["authorization"] == "Bearer sk-456"


def test_a_command_that_asks_for_it_plays_all_but_barred_tossups(app, server):
    keep(app, "one", set_name="Winter")
    keep(app, "two", "Another work is set in Memphis, where Radames dies. For 10 points, name it.")
    app.models.bar("Winter")
    app.models.use(settings(server))
    app.engines.metered_in_batches = True
    report = app.plays.play_all(app.engines.load())
    assert "1 tossup never left this machine. 1 tossup could not be played" in report.sentence
    assert all("Memphis" in read for read in server.texts)
    assert len(server.texts) == 2


# -- answers and spending


def test_a_day_has_a_budget_of_its_own(tmp_path):
    days = [date(2031, 10, 4)]
    database = Database(tmp_path / "a.db")
    answers = ModelAnswers(database, lambda: days[-1])
    most = Spending(1, 400, 700, 0.01)
    day = answers.reserve(most, ModelBudget(requests=2))
    answers.settle(day, Spending(1, 400, 100, 0.0012) - most)
    assert answers.spent() == Spending(1, 400, 100, 0.0012)

    evening = answers.reserve(most, ModelBudget(requests=2))
    for budget, limit in ((ModelBudget(requests=2), "2 requests"), (ModelBudget(tokens=2_000), "tokens")):
        with pytest.raises(BudgetExceededError, match=limit):
            answers.reserve(most, budget)
    days.append(date(2031, 10, 5))  # midnight
    assert answers.spent() == Spending()
    answers.settle(evening, Spending(1, 400, 100, 0.001) - most)
    assert answers.spent() == Spending()
    days.append(date(2031, 10, 4))  # whoever sets the clock back finds what that day has spent
    assert answers.spent() == Spending(2, 800, 200, 0.0022)
    answers.keep("parrot", "d", "{}")
    answers.keep("parrot", "d", "[]")
    assert answers.find("parrot", "d") == "[]"
    assert answers.find("owl", "d") is None
    database.close()


def test_two_windows_share_the_budget_of_a_day(tmp_path):
    one, two = (Database(tmp_path / "a.db") for _ in range(2))
    budget, most = ModelBudget(tokens=1_500), Spending(1, 400, 700)

    ModelAnswers(one).reserve(most, budget)  # on its way

    with pytest.raises(BudgetExceededError, match="1,500 tokens"):
        ModelAnswers(two).reserve(most, budget)
    one.close()
    two.close()


def test_the_prices_of_a_million_tokens_make_the_cost():
    budget = ModelBudget(prompt_price=3.0, completion_price=15.0)
    assert budget.cost(1_000, 200) == pytest.approx(0.006)
    assert budget.exceeded_by(Spending(300), Spending(1)) == "300 requests"
    assert not budget.exceeded_by(Spending(10), Spending(1))


# -- barred sets


def test_a_barred_set_is_never_sent_not_even_a_sentence_of_it(app, server):
    keep(app, "one", set_name="Winter")
    app.models.use(settings(server))
    player = app.models.player(app.engines.load())
    (event,) = app.models.bar("Winter")
    assert event.body == NeverSent("Winter")

    assert app.models.why_barred("one").startswith("Tossups of Winter never leave this machine")
    copied = Tossup(
        "Something else first. A child named Sorrow watches the harbour of Nagasaki in this work."
    )
    cut = Tossup(" ".join(TEXT.split()[1:14]))
    loud = Tossup(f"It begins so: {TEXT.upper().replace('.', ' (*) ;')}")
    for tossup in (Tossup(TEXT, OPERA), copied, cut, loud):
        with pytest.raises(QuizwriterError, match="never leave this machine"):
            player.play(tossup)
    assert not server.asked
    assert player.play(Tossup("Another work is set in Memphis. For 10 points, name this opera.")).rows


def test_who_comes_into_the_set_later_is_barred_and_stays_so(app):
    app.models.bar("Winter")
    keep(app, "late", set_name="Winter")
    assert app.models.why_barred("late")
    app.review.record(["late"], PutInSet("Spring"))
    assert app.models.why_barred("late").startswith("Tossups of Winter")
    keep(app, "other", "Another text.", set_name="Spring")
    assert app.models.why_barred("other") == ""
    assert app.models.why_barred("not there") == ""


def test_nobody_takes_the_bar_back(app):
    keep(app, "one", set_name="Winter")
    (event,) = app.models.bar("Winter")
    app.store.put_item("never sent", "Winter", None)
    app.store.add_events([Event.new("one", event.at_ms + 1, "me", TakenBack((event.id,)))])
    assert app.models.why_barred("one")
    with pytest.raises(QuizwriterError, match="never leave this machine"):
        app.models.require_sendable(Tossup(TEXT))


def test_the_bar_goes_with_a_pack_to_another_computer(app, tmp_path, starter):
    keep(app, "one", set_name="Winter")
    app.models.bar("Winter")
    pack = tmp_path / "one.quizpack"
    app.transfer.pack(pack, ["one"])
    with App(tmp_path / "elsewhere", bundle=starter) as other:
        other.transfer.merge([pack])
        assert other.models.why_barred("one")
        keep(other, "two", "Another text entirely.", set_name="Winter")
        assert other.models.why_barred("two")


def test_a_copy_of_a_barred_tossup_is_barred(app):
    keep(app, "one", set_name="Winter")
    app.models.bar("Winter")
    copy = app.tossups.duplicate("one")
    assert app.models.why_barred(copy)


def test_a_copy_stays_barred_in_another_set_and_so_does_a_text_that_was_begun_in_the_barred_one(app):
    app.models.bar("Winter")
    keep(app, "late", set_name="Winter")
    copy = app.tossups.duplicate("late")
    app.review.record([copy], PutInSet("Spring"))
    assert app.models.why_barred(copy).startswith("Tossups of Winter never leave this machine")

    history = app.tossups.titled_history("late").history
    branch = app.tossups.branch_from("late", history, 0)
    assert app.models.why_barred(branch)

    keep(app, "begun", "Another text.")
    app.store.add_events([Event.new("begun", 2, "me", PutInSet("Winter"))])  # as a brief or an import does
    app.review.record(["begun"], PutInSet("Spring"))
    assert app.models.why_barred("begun")


def test_elastic_does_not_get_it_either(app):
    from quizwriter.services.language_models import GuardedGuesser
    from tests.helpers.fakes import Overlap

    keep(app, "one", set_name="Winter")
    app.models.bar("Winter")
    guarded = GuardedGuesser(Overlap("elasticsearch"), app.models.require_sendable)
    with pytest.raises(QuizwriterError, match="never leave this machine"):
        guarded.play(Tossup(TEXT))
    with pytest.raises(QuizwriterError, match="never leave this machine"):
        guarded.explain(Tossup(TEXT), Page("Aida"))
    assert guarded.play(Tossup("Another text.")).guesser == guarded.name == "elasticsearch"
