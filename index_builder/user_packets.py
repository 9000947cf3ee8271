"""A user's own packets: added to a bundle, listed, removed.

Each folder or file that is added becomes a small bundle of questions in ``BUNDLE/yours/packets``; together
they are indexed in ``BUNDLE/yours/index``, which the engine plays beside the bundle. The bundle's own files
are never touched, and added packets are kept when the bundle is built again.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from index_builder.data.readers import parts_of_bonus
from index_builder.index.delta_index import require_same_weighting, write_delta_index
from index_builder.packet_filing import AddedText, corpus_of, letters
from index_builder.progress import Progress
from quizwriter.domain.answer_line import read_answer_line
from quizwriter.domain.page import answer_key
from quizwriter.domain.players import networks
from quizwriter.domain.pronunciation import respellings
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import INDEX, PACKETS, Bundle, added_folder, publishing, restore_player
from quizwriter.engine.retrieval import PassageKind
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.formats.file_formats import READ, Holds, endings, format_of, read_packet
from quizwriter.formats.packet_tags import read_tags
from quizwriter.formats.question_files import (
    QuestionOrigin,
    ReadReport,
    one_line,
    question_of,
    rows,
    year_in,
)
from quizwriter.system.decoding import DecodingError, decode_json

if TYPE_CHECKING:
    from index_builder.training.fine_tuning import PacketsLearnt

_QUESTIONS, _REPORT = "questions.jsonl", "report.json"

LARGEST_REPORT, LARGEST_TEXT = 1 << 26, 1 << 22
"""Bytes of the report on a folder of packets, and of one saved text; ours have a few thousand."""

_SYSTEM_FILES = {"thumbs.db", "desktop.ini"}


class ImportProblem(msgspec.Struct, frozen=True):
    """A question that could not be read, or not all of it; ``place`` says where in the file it is."""

    file: str
    place: str
    reason: str
    opening: str = ""

    @property
    def sentence(self) -> str:
        """The problem as it is shown: file, place, reason and the first words of the question."""
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: {self.reason}" + (f" (“{self.opening} …”)" if self.opening else "")


class PacketImport(msgspec.Struct, frozen=True):
    """The result of adding a folder or a file; ``name`` is its key, empty if nothing in it could be read."""

    name: str
    title: str
    origin: str
    files: int
    tossups: int
    bonuses: int
    unread: tuple[ImportProblem, ...]
    on: str = ""  # when, ISO 8601
    known: int = 0  # texts that the bundle, or packets added before, had already

    @property
    def sentence(self) -> str:
        """The result as it is shown."""
        if not self.name:
            return f"{self.title}: nothing could be read, and nothing was added."
        sentence = f"{self.title}: {_counted(self.tossups, 'tossup')}"
        if self.bonuses:
            sentence += f" and {_counted(self.bonuses, 'bonus', 'bonuses')}"
        sentence += f" from {_counted(self.files, 'file')}."
        if self.known == 1:
            sentence += " One text was in the evidence before and counts once."
        elif self.known:
            sentence += f" {self.known:,} texts were in the evidence before and count once."
        if self.unread:
            sentence += f" {len(self.unread):,} not read, or not whole:"
        return sentence


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def add_packets(
    bundle: Path, paths: Sequence[Path], progress: Callable[[int, int], None] = lambda *_: None
) -> list[PacketImport]:
    """Add the packets in each of ``paths`` to the bundle; they replace packets added from the path before.

    ``progress`` is told how many files of how many are read.
    """
    opened = Bundle.open(bundle)
    require_same_weighting(opened)  # the error says what to do about a bundle of an older version
    every = [(path, list(_files(path))) for path in paths]
    total, done = sum(len(files) for _, files in every), 0
    before = {folder.name for folder in _folders(bundle)}
    names = []
    found = []
    for path, files in every:
        reader = _PacketReader(path.resolve().name or str(path))
        for file in files:
            progress(done, total)
            reader.read(file, str(file.relative_to(path)) if path.is_dir() else file.name)
            done += 1
        result = PacketImport(
            name=_name_of(path) if reader.texts else "",
            title=reader.title,
            origin=str(path.resolve()),
            files=len(files),
            tossups=reader.tossups,
            bonuses=reader.bonuses,
            unread=tuple(reader.unread),
            on=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        found.append(result)
        if result.name:
            _save(bundle, result, reader.texts)
            names.append(result.name)
    progress(total, total)
    if not names:
        return found
    try:
        known = _index(opened)
    except QuizwriterError:
        for name in set(names) - before:
            shutil.rmtree(added_folder(bundle, PACKETS) / name, ignore_errors=True)
        raise
    return [_with_known(result, known) for result in found]


def added_packets(bundle: Path) -> tuple[list[PacketImport], list[QuizwriterError]]:
    """The packets that were added to the bundle, by title; and an error for each that cannot be used."""
    found, troubles = [], []
    known = _known_texts(bundle)
    for folder in _folders(bundle):
        try:
            found.append(_with_known(_read_report(Bundle.open(folder)), known))
        except QuizwriterError as trouble:
            troubles.append(_skipped(folder, trouble))
    return sorted(found, key=lambda one: one.title.casefold()), troubles


def remove_packets(bundle: Path, name: str) -> None:
    """Remove the packets that were added under ``name``."""
    folder = added_folder(bundle, PACKETS) / name
    if folder not in _folders(bundle):
        raise QuizwriterError(
            f"Nothing called {name} was added to {bundle}.", "See the list of added packets."
        )
    try:
        shutil.rmtree(folder)
    except OSError as trouble:
        raise QuizwriterError(
            f"{folder} could not be removed ({trouble.strerror}).", "Allow it, or delete the folder yourself."
        ) from trouble
    _index(Bundle.open(bundle))


def learn_from_packets(bundle: Path, progress: Progress, *, device: str = "auto") -> PacketsLearnt:
    """Let the networks of the bundle learn from the added packets; :func:`unlearn_packets` takes it back."""
    from index_builder.training.fine_tuning import fine_tune  # loading torch takes seconds

    texts = _added_texts(_folders(bundle))
    if not texts:
        raise QuizwriterError(f"Nothing was added to {bundle}.", "Add packets first.")
    corpus, _ = corpus_of(Bundle.open(bundle), texts)
    learnt = fine_tune(bundle, corpus.passages, progress, device=device)
    refresh_index(bundle)
    return learnt


def taught_networks(bundle: Path) -> list[str]:
    """The networks that play by what they learnt from packets, which :func:`unlearn_packets` undoes."""
    return [name for name, player in Bundle.open(bundle).players.items() if player.before is not None]


def unlearn_packets(bundle: Path) -> list[str]:
    """Give the networks the weights back that they had before they learnt from packets; who they are."""
    restored = [kind.name for kind in networks() if restore_player(bundle, kind.name)]
    refresh_index(bundle)
    return restored


def unlearnt_sentence(restored: Sequence[str]) -> str:
    """What :func:`unlearn_packets` has done, as it is shown."""
    names = " and ".join(name.upper() for name in restored)
    plays = "plays" if len(restored) == 1 else "play"
    return f"{names} {plays} as before your packets." if names else "No network has learned from packets."


def refresh_index(bundle: Path) -> tuple[QuizwriterError, ...]:
    """Index the added packets again if the bundle or the packets have changed since; quick if they have not.

    The result has an error for each of the packets that had to be skipped; nothing is raised.
    """
    try:
        folders = _folders(bundle)
        index = added_folder(bundle, INDEX)
    except QuizwriterError:  # the engine, which is loaded next, says so
        return ()
    if not folders and not index.exists():
        return ()
    troubles = [
        _skipped(folder, QuizwriterError("Its manifest is gone.", ""))
        for folder in folders
        if Bundle.digest_of(folder) is None
    ]
    try:
        about = Bundle.open(index).manifest
        fits = about.of == Bundle.digest_of(bundle) and about.packets == _digests(folders)
    except QuizwriterError:
        fits = False
    if not fits:
        try:
            _index(Bundle.open(bundle))
            troubles = added_packets(bundle)[1]
        except QuizwriterError as trouble:
            return (*troubles, trouble)
    return tuple(troubles)


# -- reading


def _files(path: Path) -> Iterator[Path]:
    """The files of a folder, without those that operating systems and word processors leave there."""
    with translate_reading_errors(path):
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                inside = file.relative_to(path).parts
                litter = any(part.startswith((".", "~$", "__MACOSX")) for part in inside)
                if file.is_file() and not litter and file.name.casefold() not in _SYSTEM_FILES:
                    yield file
        elif path.is_file():
            yield path
        else:
            raise QuizwriterError(f"There is no {path}.", "Name a folder of packets, or a packet.")


class _PacketReader:
    """Collects the questions of files, and a problem for each question that could not be read."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.texts: list[AddedText] = []
        self.unread: list[ImportProblem] = []
        self.tossups = self.bonuses = 0
        self._first: dict[str, str] = {}  # the place where each text was first met

    def read(self, path: Path, name: str) -> None:
        """Read one file, called ``name`` in the report."""
        found = format_of(path)
        holds = found.holds if found is not None else None
        try:
            if holds is Holds.PACKET:
                self._packet(path, name)
            elif holds is Holds.QUESTIONS:
                self._rows(path, name)
            else:
                *others, last = endings(READ)
                advice = found.advice if found is not None else ""
                what = advice or f"neither {', '.join(others)} nor {last}"
                self.unread.append(ImportProblem(name, "", f"not read: it is {what}"))
        except QuizwriterError as trouble:
            self.unread.append(ImportProblem(name, "", str(trouble).replace(f"{path} ", "it ", 1)))

    def _packet(self, path: Path, name: str) -> None:
        packet = read_packet(path)
        stem = name[: -len(path.suffix)]
        for at, asked in enumerate(packet.tossups, start=1):
            place = f"{packet.unit} {asked.place}"
            source = f"{self.title}, {stem}, tossup {asked.number or at}"
            if self._is_new(asked.text, name, place):
                self.tossups += 1
                tossup = Tossup(asked.text)
                read_aloud = [span.of(asked.text) for span in tossup.words]
                origin = QuestionOrigin(
                    self.title,
                    f"{stem}, tossup {asked.number or at}",
                    year_in(self.title),
                    power=None if tossup.power is None else len(" ".join(read_aloud[: tossup.power])),
                )
                text = " ".join(read_aloud)
                self._take(
                    PassageKind.TOSSUP, text, None, asked.answer, source, _category_in(asked.tag), origin,
                    respellings(asked.text),
                )  # fmt: skip
        for at, bonus in enumerate(packet.bonuses, start=1):
            place = f"{packet.unit} {bonus.place}"
            source = f"{self.title}, {stem}, bonus {bonus.number or at}"
            if self._is_new(" ".join(text for text, _ in bonus.parts), name, place):
                self.bonuses += 1
                place = f"{stem}, bonus {bonus.number or at}"
                origin = QuestionOrigin(self.title, place, year_in(self.title))
                category = _category_in(bonus.tag)
                for text, answer in bonus.parts:
                    self._take(PassageKind.BONUS, text, None, answer, source, category, origin)
        for unread in packet.unread:
            place = f"{packet.unit} {unread.place}" if unread.place else ""
            self.unread.append(ImportProblem(name, place, unread.reason, unread.opening))
        if not packet.tossups and not packet.bonuses and not packet.unread:
            self.unread.append(ImportProblem(name, "", "no question was found in it"))

    def _rows(self, path: Path, name: str) -> None:
        report = _ProblemReport(str(path), unread=self.unread, name=name)
        seen: set[str] = set()
        for row in rows(path, report):
            if isinstance(row.get("parts"), list):
                found = list(parts_of_bonus(row, report))
                text = " ".join(part.text for part in found)
                if found and self._is_new(text, name, f"row {report.rows}"):
                    self.bonuses += 1
                    for part in found:
                        source = f"{self.title}, {part.source}"
                        self._take(
                            PassageKind.BONUS,
                            part.text,
                            part.page,
                            part.line,
                            source,
                            part.category,
                            part.origin,
                        )
                continue
            question = question_of(row, report, seen)
            if question is not None and self._is_new(question.text, name, f"row {report.rows}"):
                self.tossups += 1
                line = one_line(row.get("answer")) or question.answer
                source = f"{self.title}, {question.source}"
                self._take(
                    PassageKind.TOSSUP,
                    question.text,
                    question.page,
                    line,
                    source,
                    question.category,
                    question.origin,
                )
        report.finish()
        if not report.rows:
            self.unread.append(ImportProblem(name, "", "no question was found in it"))

    def _is_new(self, text: str, name: str, place: str) -> bool:
        before = self._first.setdefault(letters(text), f"{name}, {place}")
        if before != f"{name}, {place}":
            opening = " ".join(text.split()[:8])
            self.unread.append(
                ImportProblem(name, place, f"the same question as in {before}; read once", opening)
            )
            return False
        return True

    def _take(
        self,
        kind: PassageKind,
        text: str,
        page: str | None,
        line: str,
        source: str,
        category: str,
        origin: QuestionOrigin,
        guides: tuple[tuple[str, str], ...] = (),
    ) -> None:
        if not origin.tournament:
            origin = replace(origin, tournament=self.title)
        answers = tuple(_answers(line)) or (line,)
        self.texts.append(AddedText(kind, text, page, answers, source, line, category, origin, guides))


def _category_in(tag: str) -> str:
    return "".join(read_tags((tag,)).category[:1]) if tag else ""


class _ProblemReport(ReadReport, kw_only=True):
    """Makes a problem of each run of rows that are rejected for the same reason."""

    unread: list[ImportProblem]
    name: str
    _run: tuple[str, int, int] | None = None  # a reason with the first and the last row

    def reject(self, reason: str, opening: str = "") -> None:
        super().reject(reason, opening)
        if self._run is not None and self._run[0] == reason and self._run[2] == self.rows - 1:
            self._run = (reason, self._run[1], self.rows)
            return
        self.finish()
        self._run = (reason, self.rows, self.rows)

    def finish(self) -> None:
        """Make a problem of the run that is open."""
        if self._run is not None:
            reason, first, last = self._run
            place = f"row {first}" if first == last else f"rows {first:,} to {last:,}"
            self.unread.append(ImportProblem(self.name, place, reason))
            self._run = None


_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")


def _answers(line: str) -> Iterator[str]:
    """The names in an answer line: the main name first, then the others that it accepts.

    "X or Y" without directions may be one title or two names, so both sides are tried, too.
    """
    for name in read_answer_line(line).accepted:
        whole = name.text
        for optional in name.optional:
            whole = whole.replace(f"({optional.of(name.text)})", " ")
        for text in (whole, *(whole.split(" or ") if " or " in whole else ())):
            if bare := " ".join(text.split()).strip(' \t"“”.,;:[]()'):
                yield bare


# -- saving


def _folders(bundle: Path) -> list[Path]:
    """The folders of the packets that were added to the bundle."""
    inside = added_folder(bundle, PACKETS)
    if not inside.is_dir():
        return []
    found = (one for one in inside.iterdir() if not one.name.startswith("."))
    return sorted(one for one in found if one.is_dir() and not one.is_symlink())


def _name_of(path: Path) -> str:
    """The name under which the packets at ``path`` are saved: the same whenever they are added again."""
    whole = path.resolve()
    slug = _NOT_IN_A_NAME.sub("-", answer_key(whole.stem)[:40]).strip("-")
    return f"{slug or 'packets'}-{hashlib.sha256(str(whole).encode(errors='replace')).hexdigest()[:6]}"


def _save(bundle: Path, result: PacketImport, texts: Iterable[AddedText]) -> None:
    with publishing(added_folder(bundle, PACKETS, result.name), {"title": result.title}) as writer:
        writer.lines(_QUESTIONS, [json.dumps(msgspec.to_builtins(text), ensure_ascii=True) for text in texts])
        writer.lines(_REPORT, [json.dumps(msgspec.to_builtins(result), ensure_ascii=True)])


def _read_report(saved: Bundle) -> PacketImport:
    try:
        return decode_json(saved.lines(_REPORT)[0], PacketImport, most_bytes=LARGEST_REPORT)
    except (DecodingError, UnicodeDecodeError, IndexError):
        raise _NOT_OURS from None


def _read_texts(saved: Bundle) -> list[AddedText]:
    try:
        lines = saved.lines(_QUESTIONS)
        return [decode_json(line, AddedText, most_bytes=LARGEST_TEXT) for line in lines]
    except (DecodingError, UnicodeDecodeError):
        raise _NOT_OURS from None


_NOT_OURS = QuizwriterError("Its files were not written by this program.", "Add the packets again.")


def _skipped(folder: Path, trouble: QuizwriterError) -> QuizwriterError:
    return QuizwriterError(
        f"Of your packets, {folder.name} is damaged and was skipped: {trouble.problem}",
        "Remove it and add the packets again.",
    )


def _digests(folders: Iterable[Path]) -> dict[str, str]:
    return {folder.name: digest for folder in folders if (digest := Bundle.digest_of(folder)) is not None}


def _known_texts(bundle: Path) -> dict[str, int]:
    """For each of the added packets, how many of its texts were in the evidence before."""
    try:
        return Bundle.open(added_folder(bundle, INDEX)).manifest.known
    except QuizwriterError:
        return {}


def _with_known(result: PacketImport, known: dict[str, int]) -> PacketImport:
    return replace(result, known=known.get(result.name, 0))


def _added_texts(folders: Iterable[Path]) -> list[tuple[str, AddedText]]:
    """The texts in ``folders`` with the name of the packets that each is of."""
    texts: list[tuple[str, AddedText]] = []
    for folder in folders:
        try:
            texts += [(folder.name, text) for text in _read_texts(Bundle.open(folder))]
        except QuizwriterError:
            continue  # added_packets lists the error
    return texts


def _index(bundle: Bundle) -> dict[str, int]:
    """Index and publish all added packets; for each, how many of its texts were in the evidence before."""
    yours, folders = added_folder(bundle.folder), _folders(bundle.folder)
    index = added_folder(bundle.folder, INDEX)
    texts = _added_texts(folders)
    if not texts:
        shutil.rmtree(index if folders else yours, ignore_errors=True)
        return {}
    corpus, known = corpus_of(bundle, texts)
    about: dict[str, Any] = {
        "title": "Your packets",
        "of": bundle.digest,
        "packets": _digests(folders),
        "known": known,
    }
    with publishing(index, about) as writer:
        write_delta_index(bundle, corpus, writer)
    return known
