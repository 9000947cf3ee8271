"""What two people say of one tossup on two machines, sent back and forth as packs."""

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Commented, Decided, Person, Replied, Resolved, Round, Suggested, Tagged
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.formats.archive import Pack, write
from quizwriter.store.store import Store
from quizwriter.workflow.session import PendingSave
from quizwriter.workflow.tagging import decided, disputed, may_see, progress
from quizwriter.workflow.threads import threads

TEXT = "A thread of smoke will rise. A humming chorus is heard."


@pytest.fixture
def machines(tmp_path):
    """The writer's machine, with a tossup, and the editor's, with nothing."""
    stores = writer, editor = Store(tmp_path / "writer.db"), Store(tmp_path / "editor.db")
    writer.save(PendingSave.begun("t", TEXT, None, 1, "wendy"))
    writer.save_person(Person("wendy", "Wendy", "", 1))
    editor.save_person(Person("ed", "Ed", "", 1))
    yield stores
    for store in stores:
        store.close()


@pytest.fixture
def send(tmp_path):
    """Sends all that one machine has to another."""

    def send(store, other):
        path = tmp_path / "pack.zip"
        path.unlink(missing_ok=True)
        write(path, store.branches(one.tossup_id for one in store.tossups()), store.people().values())
        pack = Pack(path)
        other.merge(pack.branches(), pack.people())

    return send


def happen(store, person, body):
    event = Event.new("t", 5, person, body)
    (stored,) = store.add_events([event])
    return stored.id


def talk(store):
    trail = AnchorTracker(change.edit for change in store.history("t"))
    return threads(fold_events(store.events("t")), trail)


def test_comments_and_suggestions_come_back_with_the_words_they_are_about(machines, send):
    writer, editor = machines
    send(writer, editor)
    smoke = TEXT.index("thread of smoke")
    comment = happen(editor, "ed", Commented("Stock.", 1, smoke, smoke + 15, "thread of smoke"))
    edit = Edit(TEXT.index("heard"), "heard", "sung")
    suggestion = happen(editor, "ed", Suggested(1, edit, "They sing."))
    # Meanwhile the writer goes on.
    writer.save(
        PendingSave("t", f"Slowly. {TEXT}", None, 0, 2, (Change(2, 2, Edit(0, "", "Slowly. "), "wendy"),))
    )
    send(editor, writer)

    first, second = talk(writer)
    assert (first.id, second.id) == (comment, suggestion)
    assert first.place.of(f"Slowly. {TEXT}") == "thread of smoke"
    assert second.proposal.edit == Edit(edit.start + 8, "heard", "sung")
    assert writer.people()["ed"].name == "Ed"

    happen(writer, "wendy", Replied(comment, "It stays."))
    happen(writer, "wendy", Resolved(comment))
    happen(writer, "wendy", Decided(suggestion, False, "They hum."))
    send(writer, editor)
    first, second = talk(editor)
    assert [remark.text for remark in first.remarks] == ["Stock.", "It stays."]
    assert not first.open
    assert (second.outcome, second.remarks[-1].text) == ("Declined", "They hum.")
    assert talk(writer) == talk(editor)


def test_two_tag_unseen_on_their_machines_and_both_see_the_same_then(machines, send):
    writer, editor = machines
    send(writer, editor)
    happen(writer, "wendy", Tagged(("Paraphrases",)))
    happen(editor, "ed", Tagged(("Paraphrases", "Novel clues")))
    assert not may_see(progress([fold_events(writer.events("t"))]), 1, "wendy")

    send(writer, editor)
    send(editor, writer)
    for store in machines:
        review = fold_events(store.events("t"))
        assert may_see(progress([review]), 1, "wendy")
        assert may_see(progress([review]), 1, "ed")
        assert disputed(review, ("ed", "wendy")) == ("Novel clues",)
    happen(editor, "third", Tagged(("Paraphrases",), Round.DECIDING))
    send(editor, writer)
    assert decided(fold_events(writer.events("t"))) == ("Paraphrases",)
