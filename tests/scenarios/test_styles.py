"""Styles from a writer's hand through database, packs, branches and history, on real databases."""

import json
import time
import zipfile

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.review import PutInSet, Status, StatusSet
from quizwriter.domain.signatures import Authenticity
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, LetterStyle, Styled, TextStyles
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.formats.archive import Pack
from quizwriter.services.wiring import App
from quizwriter.workflow.session import WritingSession

TEXT = "This author wrote of a red fox. For ten points, name her."


@pytest.fixture
def apps(tmp_path):
    """Two machines; the first has a tossup."""
    made = [App(tmp_path / name) for name in ("ada", "ben")]
    for app, name in zip(made, ("Ada", "Ben"), strict=True):
        app.profile.set_profile(name, "")
    session = WritingSession("root", author=made[0].profile.me.id)
    session.type(TEXT)
    session.set_answer(Answer("Jane Austen"))
    save(made[0], session)
    yield made
    for app in made:
        app.store.close()


def save(app, session):
    app.store.save(session.take_unsaved())
    time.sleep(0.003)


def toggle(session, style, words):
    at = session.tossup.text.index(words)
    span = Span(at, at + len(words))
    assert session.restyle(span, session.styles.toggled(style, session.tossup.text, span))


def shown(styles, text):
    return {(text[span.start : span.end], *map(str, span.styles)) for span in styles.spans()}


def styled(app, style, words, key="root"):
    session = app.tossups.session(key)
    toggle(session, style, words)
    save(app, session)


def look(app, key="root"):
    stored = app.store.load(key)
    return shown(stored.styles, stored.tossup.text)


def send(app, others, tmp_path):
    app.transfer.pack(tmp_path / "sent.qwpack")
    for other in others:
        other.transfer.merge([tmp_path / "sent.qwpack"])


def test_styles_are_there_after_a_restart_and_are_undone_there(apps):
    app = apps[0]
    styled(app, LetterStyle.BOLD, "red fox")
    session = app.tossups.session("root")
    assert shown(session.styles, TEXT) == {("red fox", "bold")}
    session.take_log(session.log_of(app.review.changes("root"), app.review.events("root")))
    session.undo()
    assert not session.styles
    save(app, session)
    assert not app.tossups.session("root").styles
    assert app.store.load("root").tossup.text == TEXT
    assert app.store.check() == ()


def test_the_answer_line_keeps_its_styles(apps):
    app = apps[0]
    session = app.tossups.session("root")
    session.restyle_answer(TextStyles(bytes(5) + bytes([LetterStyle.UNDERLINE.bit]) * 6))
    save(app, session)
    session = app.tossups.session("root")
    session.set_answer(Answer("Miss Jane Austen"))
    session.type(f"{TEXT} ")
    save(app, session)

    assert shown(app.store.load("root").answer_styles, "Miss Jane Austen") == {("Austen", "underline")}
    history = app.tossups.titled_history("root").history
    assert shown(history.answer_styles(0), "Jane Austen") == {("Austen", "underline")}
    assert shown(history.answer_styles(1), "Miss Jane Austen") == {("Austen", "underline")}


def test_styles_travel_in_packs_and_are_signed(apps, tmp_path):
    ada, ben = apps
    styled(ada, LetterStyle.ITALIC, "red fox")
    send(ada, [ben], tmp_path)

    assert look(ben) == {("red fox", "italic")}
    (event,) = ben.store.events("root")
    assert event.authenticity is Authenticity.VERIFIED
    styled(ben, LetterStyle.BOLD, "ten")
    send(ben, [ada], tmp_path)
    assert look(ada) == look(ben) == {("red fox", "italic"), ("ten", "bold")}
    assert ben.transfer.merge([tmp_path / "sent.qwpack"]).signatures.forged == []


def test_a_pack_is_of_the_newer_version_only_if_older_programs_cannot_read_it(apps, tmp_path):
    def version():
        path = tmp_path / "one.qwpack"
        apps[0].transfer.pack(path)
        assert Pack(path).tossups == 1
        with zipfile.ZipFile(path) as pack:
            return json.loads(pack.read("manifest.json"))["version"]

    assert version() == 2
    styled(apps[0], LetterStyle.BOLD, "red")
    assert version() == 3


def test_an_edit_on_another_machine_takes_the_styles_along(apps, tmp_path):
    ada, ben = apps
    styled(ada, LetterStyle.BOLD, "red fox")
    send(ada, [ben], tmp_path)
    session = ben.tossups.session("root")
    session.type(TEXT.replace("red fox", "red old fox"))
    save(ben, session)
    send(ben, [ada], tmp_path)

    assert look(ada) == {("red old fox", "bold")}


def test_merged_branches_have_the_styles_of_each_and_taking_back_brings_them_apart(apps, tmp_path):
    ada, ben = apps
    styled(ada, LetterStyle.UNDERLINE, "name her")
    send(ada, [ben], tmp_path)
    for app, words, new, style in (
        (ada, "red", "grey", LetterStyle.BOLD),
        (ben, "ten", "10", LetterStyle.ITALIC),
    ):
        session = app.tossups.session("root")
        session.type(session.tossup.text.replace(words, new))
        toggle(session, style, new)
        save(app, session)
    send(ben, [ada], tmp_path)
    (family,) = ada.branches.families()
    line = family.visible[0]
    before = look(ada, line.tossup_id)
    joined = ada.branches.merge(family)

    assert look(ada, line.tossup_id) == {("grey", "bold"), ("10", "italic"), ("name her", "underline")}
    ada.branches.take_back(joined)
    assert look(ada, line.tossup_id) == before
    assert ada.store.check() == ()
    session = ada.tossups.session(line.tossup_id)
    events = ada.review.events(line.tossup_id)
    session.take_log(session.log_of(ada.review.changes(line.tossup_id), events))
    session.undo()
    assert shown(session.styles, session.tossup.text) >= {("grey", "bold"), ("10", "italic")}


def test_what_was_styled_in_a_window_while_a_pack_came_stays_with_its_branch(apps, tmp_path):
    ada, ben = apps
    send(ada, [ben], tmp_path)
    session = ada.tossups.session("root")  # opened before the other edit came
    other = ben.tossups.session("root")
    other.type(TEXT.replace("red", "grey"))
    save(ben, other)
    send(ben, [ada], tmp_path)
    toggle(session, LetterStyle.BOLD, "red fox")
    session.type(TEXT + " Her!")
    save(ada, session)

    looks = {look_of for key in ada.store.expand_branches(["root"]) for look_of in look(ada, key)}
    assert ("red fox", "bold") in looks
    assert ada.store.check() == ()


def test_a_tossup_that_takes_no_edits_takes_no_styles(apps):
    app = apps[0]
    session = app.tossups.session("root")
    app.store.add_events([Event.new("root", 1, "", StatusSet(Status.ACCEPTED))])
    toggle(session, LetterStyle.BOLD, "red")
    with pytest.raises(QuizwriterError, match="accepted"):
        save(app, session)
    assert look(app) == set()


def test_a_copy_and_each_version_of_the_history_have_their_styles(apps):
    app = apps[0]
    styled(app, LetterStyle.BOLD, "red fox")
    session = app.tossups.session("root")
    session.type(TEXT.replace("a red fox", "foxes"))
    save(app, session)
    history = app.tossups.titled_history("root").history

    assert shown(history.styles_after(1), history.text_after(1)) == {("red fox", "bold")}
    assert history.styles_after(2) == history.styles_after(0) == PLAIN
    index = history.index_of(1)
    copy = app.tossups.branch_from("root", history, index)
    assert look(app, copy) == {("red fox", "bold")}


def test_the_log_of_a_set_tells_of_no_styles(apps):
    app = apps[0]
    app.store.add_events([Event.new("root", 1, "", PutInSet("Fall"))])
    styled(app, LetterStyle.BOLD, "red fox")

    assert [entry.kind for entry in app.set_log.entries()] == ["set"]
    assert any(isinstance(event.body, Styled) for event in app.review.events("root"))
