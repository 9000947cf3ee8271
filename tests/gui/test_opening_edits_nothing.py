"""The law that looking changes nothing: opening, switching, searching, exporting, whatever the characters."""

from __future__ import annotations

import json
import lzma

from quizwriter.domain.history import Edit
from quizwriter.domain.plain_text import shown_text
from quizwriter.domain.tossup import Answer
from quizwriter.gui.writing.draft_text import Utf16Positions
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.session import PendingSave
from tests.helpers.database import select
from tests.helpers.patience import PATIENCE_MS

ODD = (
    "\r\x0b\x0c\x00\x1c\x7f\x81\x85\x92\x96\u200b\u2028\u2029"
    "\ufeff\ufffc\ufdd0\ufdd1\uffff\U0001ffff\u1978\u202e"
)
LOGGED = ("edit", "asked", "event", "signed_run", "person")


def put(store, texts):
    """The texts in the database, as an older version or another program put them there; their ids."""
    store.add(
        PendingSave.begun(f"odd{place:04}", text, Answer(line), 9, "ben")
        for place, (text, line) in enumerate(texts)
    )
    return [f"odd{place:04}" for place in range(len(texts))]


def logged(store):
    """All that is ever logged, and the texts."""
    tables = {name: select(store, f"select * from {name} order by 1, 2, 3") for name in LOGGED}
    return tables, select(store, "select id, text, answer_line, seq, head from tossup order by id")


def look(app, window, keys, folder):
    """Open each, go back and forth, search, and export."""
    for key in (*keys, *reversed(keys)):
        window.sessions.open_saved(key)
        assert window.draft.text == shown_text(app.store.load(key).tossup.text)
    app.queue.find(QueueFilter(text="opera"), QueueSort())
    window.find_bar.open_bar()
    window.find_bar.words.setText("opera")
    app.printing.write(folder / "all.docx", "docx", app.printing.packet(keys))
    app.transfer.pack(folder / "all.qwpack")
    for key in keys:
        json.dumps(app.transfer.history_json(key))
    window.save()
    assert window.saver.flush(PATIENCE_MS)


def test_looking_writes_nothing_whatever_the_characters(app, window, tmp_path):
    texts = [(f"This opera{odd}has one{odd}{odd}, and a colony.", f"Tosca {odd}(opera)") for odd in ODD]
    keys = put(app.store, texts)
    before = logged(app.store)

    look(app, window, keys, tmp_path)

    assert logged(app.store) == before
    assert app.store.check() == ()


def test_no_shared_tossup_is_changed_by_looking_at_it(shared_data, app, window, tmp_path):
    with lzma.open(shared_data / "tossups.jsonl.xz", "rt", encoding="utf-8") as rows:
        odd = [text for row in rows if shown_text(text := json.loads(row)["text"]) != text]
    assert len(odd) > 200
    keys = put(app.store, [(text, "Tosca") for text in odd])
    before = logged(app.store)

    look(app, window, keys, tmp_path)

    assert logged(app.store) == before


def test_the_first_letter_typed_logs_the_cleaning_by_itself(qtbot, app, window):
    letters = ODD.replace("\u200b", "").replace("\ufeff", "")
    keys = put(app.store, [(f"One{odd}\U0001f600two{odd}", "Tosca") for odd in letters])
    for odd, key in zip(letters, keys, strict=True):
        window.sessions.open_saved(key)
        shown = window.draft.text

        cursor = window.draft.textCursor()
        cursor.setPosition(Utf16Positions(shown).to_qt(3))
        window.draft.setTextCursor(cursor)
        qtbot.keyClicks(window.draft, "x")
        window.save()
        assert window.saver.flush(PATIENCE_MS)

        changes = app.store.history(key)
        assert app.store.load(key).tossup.text == window.draft.text == f"One{'x'}{shown[3:]}", ascii(odd)
        *cleaning, typed = changes[1:]
        assert typed.edit == Edit(3, "", "x"), ascii(odd)
        removed = [odd, odd] if shown_text(odd) != odd else []
        assert [one.edit.removed for one in cleaning] == removed, ascii(odd)

        window.sessions.undo.undo()
        assert window.draft.text == shown, ascii(odd)
        if cleaning:
            window.sessions.undo.undo()
            assert window.draft.text == shown, ascii(odd)
            assert window.session.tossup.text == f"One{odd}\U0001f600two{odd}", ascii(odd)
    assert app.store.check() == ()
