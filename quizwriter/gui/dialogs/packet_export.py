"""Tossups as a printed packet: on the clipboard, on paper, and as files for people and other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication, QPageLayout
from PySide6.QtWidgets import QFileDialog, QWidget

from quizwriter.cancellation import Progress
from quizwriter.formats.file_formats import FORMATS
from quizwriter.gui.background.jobs import Jobs, unheard
from quizwriter.gui.widgets.file_dialog import ask_new_file
from quizwriter.services.wiring import App
from quizwriter.workflow.wording import counted_noun, without_empty

if TYPE_CHECKING:
    from PySide6.QtPrintSupport import QPrintDialog

    from quizwriter.formats.printed_packet import PrintedPacket
    from quizwriter.gui.background.saver import Saver

T = TypeVar("T")


class Tell(Protocol):
    """Shows a sentence to the writer; ``trouble`` stays until somebody has read it."""

    def __call__(self, text: str, *, trouble: bool) -> None: ...


class PacketExport(QObject):
    """Copies, prints and writes tossups as packets, off the window's thread."""

    def __init__(
        self,
        app: App,
        jobs: Jobs,
        saver: Saver,
        save: Callable[[], object],
        tell: Tell,
        parent: QWidget,
        *,
        told: Progress = unheard,
    ) -> None:
        """``save`` hands what was typed to the ``saver``; ``told`` gets the progress."""
        super().__init__(parent)
        self._app, self._jobs, self._saver, self._save = app, jobs, saver, save
        self._tell, self._told, self._window = tell, told, parent
        self.dialog: QFileDialog | None = None
        self.print_dialog: QPrintDialog | None = None

    def copy(self, keys: Sequence[str]) -> None:
        """Put the tossups ``keys`` on the clipboard as they are printed, for Word, mail and browsers."""

        def read(packet: PrintedPacket) -> tuple[str, str, int]:
            from quizwriter.formats.packet_files import packet_html
            from quizwriter.formats.printed_packet import packet_text

            packet = packet.for_clipboard
            return packet_text(packet), packet_html(packet), len(packet.tossups)

        def then(found: tuple[str, str, int]) -> None:
            from quizwriter.gui.widgets.clipboard import text_mime

            text, markup, count = found
            QGuiApplication.clipboard().setMimeData(text_mime(text, markup))
            whose = "its" if count == 1 else "their"
            self._tell(f"{counted_noun(count, 'tossup')} copied with {whose} styles.", trouble=False)

        self._run(keys, read, then)

    def choose_file(self, kind: str, keys: Sequence[str], name: str = "") -> None:
        """Ask where to write the tossups ``keys``, proposing ``name``, as a file of the format ``kind``."""
        written = FORMATS[kind]
        title, proposed = f"Export as {written.title}", f"{name}{written.endings[0]}"
        self.dialog = ask_new_file(
            self._window, title, proposed, written.filter, lambda path: self.export(path, kind, keys)
        )

    def export(self, path: Path, kind: str, keys: Sequence[str]) -> None:
        """Write the tossups ``keys`` to ``path`` as a file of ``kind``."""

        def write(packet: PrintedPacket) -> int:
            if FORMATS[kind].paged:
                from quizwriter.gui.printing import write_pdf

                write_pdf(packet, path)
            else:
                self._app.printing.write(path, kind, packet)
            return len(packet.tossups)

        def then(count: int) -> None:
            said = f"{counted_noun(count, 'tossup')} written to {path}."
            self._tell(f"{said}{without_empty(count, len(keys))}", trouble=False)

        self._run(keys, write, then)

    def print_on_paper(self, keys: Sequence[str]) -> None:
        """Ask for a printer, and print the tossups ``keys``."""
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter

        from quizwriter.gui.printing import margins, print_pages

        printer = QPrinter()
        printer.setPageMargins(margins(), QPageLayout.Unit.Millimeter)
        self.print_dialog = dialog = QPrintDialog(printer, self._window)
        dialog.setWindowTitle("Print")

        def write(packet: PrintedPacket) -> int:
            print_pages(packet, printer)
            return len(packet.tossups)

        def then(count: int) -> None:
            said = f"{counted_noun(count, 'tossup')} printed."
            self._tell(f"{said}{without_empty(count, len(keys))}", trouble=False)

        dialog.accepted.connect(lambda _: self._run(keys, write, then))
        dialog.finished.connect(dialog.deleteLater)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.show()

    def _run(
        self, keys: Sequence[str], do: Callable[[PrintedPacket], T], then: Callable[[T], object]
    ) -> None:
        def work(progress: Progress) -> T:
            self._saver.settle()
            return do(self._app.printing.packet(keys, progress))

        self._save()
        self._jobs.ask(work, then, partial(self._tell, trouble=True), told=self._told)
