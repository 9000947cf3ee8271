"""What a desk keeps in plain files, and what people paste: settings, places of windows, notes, and texts."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from quizwriter.domain.history import Edit
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.elastic.client import Connection
from quizwriter.engine.elastic.guesser import ElasticGuesser
from quizwriter.formats.packets.grammar import read_pasted
from quizwriter.formats.styled_html import read_styled_html
from quizwriter.services.wiring import App
from quizwriter.settings import ServerSettings, Settings
from quizwriter.system.decoding import DecodingError
from quizwriter.workflow import glossary
from quizwriter.workflow.checks import check
from quizwriter.workflow.near_duplicates import DuplicateFinder, OtherTossup
from tests.fuzz import mutation
from tests.fuzz.target import DATA, REPOSITORY, Target, packed_seed, refusal
from tests.fuzz.targets.database import NEWEST

_LAYOUT = {
    "window": {"left": 10, "top": 20, "width": 1_200, "height": 800, "maximized": False},
    "columns": {"across": [200, 600, 400], "right": [300, 300], "right_chosen": True},
    "queue_window": {"left": 0, "top": 0, "width": 900, "height": 700, "maximized": True},
    "queue_columns": {"widths": {"answer:": 200, "buzz:ir": 80}, "hidden": ["power"]},
}
_COMMENTS = {"t1": {"seq": 3, "span": [0, 4], "quoted": "This", "suggests": True, "text": "That", "note": ""}}
_ACTIONS = ("accept", "begin", "comment", "quiz-mode")
_DOWNLOAD = {"mirror": "https://example.org/questions.json"}


class DeskFiles(Target):
    """Settings, places of windows, unsent comments and the note of a download, read as the window does."""

    name = "settings and window"

    def prepare(self, folder: Path) -> None:
        from quizwriter.gui.application import qt_application

        self._qt = qt_application()
        settings = [path.read_bytes() for path in sorted((DATA / "settings").glob("*.toml"))]
        everything = Settings(
            bundle="/tmp/a bundle",
            players_off=("dan",),
            elasticsearch=ServerSettings(
                on=True, url="https://a.example:9200,http://b", sign_in="password", user="ada"
            ),
        )
        self._settings = [*settings, msgspec.toml.encode(everything)]

    def make(self, draw: random.Random, case: Path) -> None:
        kind = draw.choice(
            ("settings.toml", "settings.toml", "window.json", "unsent.json", "unfinished.json")
        )
        if kind == "settings.toml":
            raw = draw.choice(self._settings)
            raw = mutation.text(draw, raw.decode()).encode("utf-8", "surrogatepass")
            raw = mutation.raw(draw, raw) if draw.random() < 0.2 else raw
        else:
            seed = {"window.json": _LAYOUT, "unsent.json": _COMMENTS, "unfinished.json": _DOWNLOAD}[kind]
            raw = mutation.json_bytes(draw, json.dumps(seed).encode())
        (case / kind).write_bytes(raw)

    def read(self, case: Path) -> None:
        from PySide6.QtWidgets import QWidget

        from quizwriter.gui.dialogs.evidence_download import read_unfinished
        from quizwriter.gui.review.comments_controller import read_unsent
        from quizwriter.gui.widgets.saved_layout import WindowFrame, read_layout, save_layout

        layout = read_layout(case)
        widget = QWidget()
        for frame in (layout.window, layout.queue_window):
            if frame is not None:
                frame.apply(widget)
        save_layout(case, window=WindowFrame.of(widget))
        repr(read_unsent(case / "unsent.json"))
        with suppress(OSError, DecodingError):  # what the window goes without
            read_unfinished(case / "unfinished.json").encode("utf-8", "surrogatepass")
        settings, trouble = Settings.read(case / "settings.toml")
        str(trouble).encode("utf-8", "replace")
        with App(case) as app, refusal():
            app.profile.save_settings(replace(settings, theme="dark"))
            again, _ = Settings.read(case / "settings.toml")
            repr(app.profile.me)
            server = again.elasticsearch
            repr((server.host, server.credential_id))
            with refusal():
                ElasticGuesser(
                    Connection(server.url, server.index, ca=server.ca, verify=server.verify)
                ).close()


class KeyFiles(Target):
    """Files with the keys of all actions, imported, used and exported again."""

    name = "key files"

    def prepare(self, folder: Path) -> None:
        from quizwriter.gui.application import qt_application

        self._qt = qt_application()
        keys = {name: [f"Ctrl+{name[0]}"] for name in _ACTIONS} | {
            "quiz-mode": ["F8", "Shift+F8"],
            "Other": [],
            "Comment on the selection": ["F9"],  # as version 1 named it
        }
        self._seed = json.dumps({"keys": keys, "format": "quizwriter keys", "version": 2}).encode()

    def make(self, draw: random.Random, case: Path) -> None:
        (case / "keys.json").write_bytes(mutation.json_bytes(draw, self._seed))

    def read(self, case: Path) -> None:
        from PySide6.QtCore import QObject
        from PySide6.QtGui import QAction

        from quizwriter.gui.widgets.key_bindings import KeyBindings, key_refusal

        saved: dict[str, Sequence[str]] = {}
        desk = QObject()
        bindings = KeyBindings({}, saved.update, desk)
        for name in _ACTIONS:
            bindings.add(name, QAction(f"&{name}…", desk), [f"Alt+{name[0]}"])
        with refusal():
            unknown = bindings.import_file(case / "keys.json")
            ", ".join(unknown).encode("utf-8", "replace")
        used = [key for name in bindings.ids for key in bindings.keys_of(name)]
        assert len(used) == len(set(used)), "no key belongs to two actions"
        assert not any(map(key_refusal, used))
        bindings.export(case / "again.json")
        assert bindings.import_file(case / "again.json") == ()
        again = KeyBindings(saved, saved.update, desk)
        for name in _ACTIONS:
            again.add(name, QAction(name, desk), [f"Alt+{name[0]}"])
            assert again.keys_of(name) == bindings.keys_of(name)


class Texts(Target):
    """Texts that are pasted or typed: into the draft, the checks, the differences of versions."""

    name = "texts and pastes"

    def prepare(self, folder: Path) -> None:
        from quizwriter.gui.application import qt_application
        from quizwriter.gui.theme import Theme
        from quizwriter.gui.writing.draft import DraftPane

        self._qt = qt_application()
        self._pane = DraftPane(Theme(self._qt, scheme="light", draft_font="", draft_size_px=16))
        lines = packed_seed("bundles/questions.jsonl.xz").splitlines()[:9]
        examples = (REPOSITORY / "resources" / "examples.jsonl").read_bytes().splitlines()[:5]
        self._seeds = [json.loads(line)["text"] for line in (*lines, *examples)]
        self._seeds.append('<p style="font-size:30pt">A <b>bold</b> <img src="file:///dev/zero"> text.</p>')
        self._glossary = (REPOSITORY / "docs" / "glossary.md").read_text(encoding="utf-8")

    def make(self, draw: random.Random, case: Path) -> None:
        for name in ("one", "other"):
            seed = draw.choice(self._seeds)
            changed = mutation.text(draw, seed, longest=draw.choice((100, 5_000, 20_000)))
            (case / name).write_bytes(changed[:25_000].encode("utf-8", "surrogatepass"))
        raw = mutation.text(draw, self._glossary).encode("utf-8", "surrogatepass")
        (case / "glossary").write_bytes(raw if draw.random() < 0.2 else b"")

    def read(self, case: Path) -> None:
        from PySide6.QtCore import QMimeData

        texts = [(case / name).read_bytes().decode("utf-8", "surrogatepass") for name in ("one", "other")]
        one, other = texts
        self._pane.clear()
        for kind in (QMimeData.setText, QMimeData.setHtml):
            source = QMimeData()
            kind(source, one.encode("utf-8", "replace").decode())
            self._pane.insertFromMimeData(source)
        source = QMimeData()
        source.setText(other.encode("utf-8", "replace").decode())
        source.setHtml(one.encode("utf-8", "replace").decode())
        self._pane.insertFromMimeData(source)
        repr(read_styled_html(one)[1])
        repr(read_pasted(one))
        tossup = Tossup(one, Answer(other[:300]))
        repr((tossup.words[-1:], tossup.sentences[-1:], tossup.power))
        repr((tossup.answer.main, tossup.answer.key))
        repr(check(tossup, "t1", in_set=DuplicateFinder([OtherTossup("t2", "Another", other)]), past=None))
        edit = Edit.between(one, other)
        assert edit is None or edit.apply(one) == other
        glossary.parse((case / "glossary").read_bytes().decode("utf-8", "surrogatepass"))


class Backups(Target):
    """Damaged databases that are backed up, restored from and rescued."""

    name = "backups and rescue"

    def prepare(self, folder: Path) -> None:
        self._home = folder / "home"
        self._home.mkdir()
        (self._home / "quizwriter.db").write_bytes(packed_seed(f"databases/{NEWEST}.db.xz"))
        with App(self._home) as app:
            app.open_database()

    def make(self, draw: random.Random, case: Path) -> None:
        path = case / "theirs.db"
        shutil.copyfile(self._home / "quizwriter.db", path)
        mutation.database(draw, path)

    def read(self, case: Path) -> None:
        home = shutil.copytree(self._home, case / "home")
        with App(home) as app:
            with refusal():
                app.recovery.back_up()
            with refusal():
                repr([line.change for line in app.recovery.lines()])
            with refusal():
                app.recovery.restore(case / "theirs.db")
            app.tossups.summaries()
        shutil.copyfile(case / "theirs.db", home / "quizwriter.db")
        with App(home) as app, refusal():
            app.recovery.restore_closed(app.recovery.newest() or case / "theirs.db")


class Profiles(Target):
    """Profiles that were exported with their keys, taken over on another computer."""

    name = "exported profiles"
    _passphrase = "a long passphrase of a test"

    def prepare(self, folder: Path) -> None:
        with App(folder / "home") as app:
            app.profile.set_profile("Ada", "ada@example.org")
            app.profile.identity.load()
            app.profile.export(folder / "profile", self._passphrase)
        self._seed = (folder / "profile").read_bytes()

    def make(self, draw: random.Random, case: Path) -> None:
        (case / "profile").write_bytes(mutation.json_bytes(draw, self._seed))

    def read(self, case: Path) -> None:
        with App(case / "home") as app:
            repr(app.profile.import_profile(case / "profile", self._passphrase))
