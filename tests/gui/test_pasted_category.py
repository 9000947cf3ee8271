"""The category of a pasted question is kept with its answer and its text, and undone with them."""

from msgspec.structs import replace

from quizwriter.gui.dialogs.profile import ProfileDialog
from tests.gui.test_pasted_question import WHOLE, paste


def test_the_category_is_filled_in_although_the_writer_has_no_name_yet(qtbot, shared_app, shared_window):
    app, window = shared_app, shared_window
    app.profile.save_settings(replace(app.profile.settings, profile_name=""))
    paste(window, WHOLE)
    window.pasted.fill()
    key = window.session.tossup_id
    qtbot.waitUntil(lambda: app.store.review_of(key).category == ("American Literature",))
    assert not window.findChildren(ProfileDialog)


def test_one_undo_takes_the_answer_and_the_category_along_and_one_redo_brings_them_back(
    qtbot, shared_app, shared_window
):
    app, window = shared_app, shared_window
    paste(window, WHOLE.replace("cat [accept", "<b><u>cat</u></b> [accept"))
    pasted = window.draft.text
    window.pasted.fill()
    key, styles = window.session.tossup_id, window.session.answer_styles
    assert styles
    for _ in range(2):
        qtbot.waitUntil(lambda: app.store.review_of(key).category == ("American Literature",))
        window.draft.undo()
        assert (window.draft.text, window.answer.line.text(), window.session.tossup.answer) == (
            pasted,
            "",
            None,
        )
        qtbot.waitUntil(lambda: app.store.review_of(key).category == ())
        window.draft.redo()
        assert window.session.tossup.answer.line == "cat [accept kitten]"
        assert window.session.answer_styles == window.answer.styling.styles == styles
