"""Your own packets: added to a bundle, listed, removed.

Each folder or file that is added becomes a small bundle of questions in ``BUNDLE/yours/packets``; together
they are indexed in ``BUNDLE/yours/index``, which the engine plays beside the bundle. The bundle's own files
are never touched, and what was added outlives building the bundle anew.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from index_builder.corpus import Corpus
from index_builder.correction import check_weighed, write_correction
from index_builder.sources import parts_of
from quizwriter.domain.tossup import Answer, Page, Tossup, answer_key
from quizwriter.engine.bundle import INDEX, YOURS, Bundle, publishing
from quizwriter.engine.pages import Pages
from quizwriter.engine.retrieval import PassageKind
from quizwriter.errors import QuizwriterError
from quizwriter.formats.packets import read_packet
from quizwriter.formats.question_files import ReadReport, one_line, question_of, rows, source_of

_QUESTIONS, _REPORT = "questions.jsonl", "report.json"
_PACKETS = {".docx", ".txt", ".text"}
_ROWS = {".json", ".jsonl"}
_PACKED = {".gz", ".xz", ".bz2"}
_LITTER = {"thumbs.db", "desktop.ini"}
_OTHERS = {
    ".doc": "a document of an old Word; save it as .docx",
    ".odt": "an OpenDocument text; save it as .docx",
    ".rtf": "rich text; save it as .docx",
    ".pdf": "a PDF; save the packet as .docx or as plain text",
    ".zip": "an archive; unpack it first",
}

Progress = Callable[[int, int], None]
"""Is told how many files of how many are read."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a report: a question that could not be read, or not whole; ``place`` is where in the file."""

    file: str
    place: str
    reason: str
    opening: str = ""

    @property
    def sentence(self) -> str:
        """The line as it is printed."""
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: {self.reason}" + (f" (“{self.opening} …”)" if self.opening else "")


@dataclass(frozen=True, slots=True)
class Added:
    """What came of adding a folder or a file; ``name`` is its key, empty when there was nothing to keep."""

    name: str
    title: str
    origin: str
    files: int
    tossups: int
    bonuses: int
    unread: tuple[Line, ...]
    on: str = ""  # when, ISO 8601
    known: int = 0  # texts that the bundle, or packets added before, have already

    @property
    def sentence(self) -> str:
        """What came of it, in plain English."""
        if not self.name:
            return f"{self.title}: nothing could be read, so nothing was added."
        said = f"{self.title}: {_some(self.tossups, 'tossup')}"
        if self.bonuses:
            said += f" and {_some(self.bonuses, 'bonus', 'bonuses')}"
        said += f" from {_some(self.files, 'file')}."
        if self.known == 1:
            said += " One text was in the evidence before and counts once."
        elif self.known:
            said += f" {self.known:,} texts were in the evidence before and count once."
        if self.unread:
            said += f" {len(self.unread):,} not read, or not whole:"
        return said


def _some(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


@dataclass(frozen=True, slots=True)
class _Text:
    """A tossup or a bonus part as it is kept."""

    kind: PassageKind
    text: str
    page: str | None
    answers: tuple[str, ...]
    source: str


def add(bundle: Path, paths: Sequence[Path], progress: Progress = lambda *_: None) -> list[Added]:
    """Add the packets in each of ``paths`` to the bundle; what was added from one of them before is replaced.

    Raises:
        QuizwriterError: a path or the bundle cannot be read, or the disk is full; nothing is added then.
    """
    opened = Bundle.open(bundle)
    check_weighed(opened)  # says what to do about a bundle of an older version
    every = [(path, list(_files(path))) for path in paths]
    total, done = sum(len(files) for _, files in every), 0
    before = {folder.name for folder in _folders(bundle)}
    names = []
    found = []
    for path, files in every:
        reader = _Reader(path.resolve().name or str(path))
        for file in files:
            progress(done, total)
            reader.read(file, str(file.relative_to(path)) if path.is_dir() else file.name)
            done += 1
        added = Added(
            name=_name_of(path) if reader.texts else "",
            title=reader.title,
            origin=str(path.resolve()),
            files=len(files),
            tossups=reader.tossups,
            bonuses=reader.bonuses,
            unread=tuple(reader.unread),
            on=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        found.append(added)
        if added.name:
            _keep(bundle, added, reader.texts)
            names.append(added.name)
    progress(total, total)
    if not names:
        return found
    try:
        known = _index(opened)
    except QuizwriterError:
        for name in set(names) - before:
            shutil.rmtree(bundle / YOURS / "packets" / name, ignore_errors=True)
        raise
    return [_replace_known(added, known) for added in found]


def added(bundle: Path) -> tuple[list[Added], list[QuizwriterError]]:
    """What was added to the bundle, by title; and what is wrong with those that cannot be used."""
    found, troubles = [], []
    known = _known(bundle)
    for folder in _folders(bundle):
        try:
            found.append(_replace_known(_read_report(Bundle.open(folder)), known))
        except QuizwriterError as trouble:
            troubles.append(_skipped(folder, trouble))
    return sorted(found, key=lambda one: one.title.casefold()), troubles


def remove(bundle: Path, name: str) -> None:
    """Take what was added under ``name`` out again.

    Raises:
        QuizwriterError: there is nothing of that name, or the disk does not let it go.
    """
    folder = bundle / YOURS / "packets" / name
    if folder not in _folders(bundle):
        raise QuizwriterError(f"Nothing called {name} was added to {bundle}.", "See the list of what was.")
    try:
        shutil.rmtree(folder)
    except OSError as trouble:
        raise QuizwriterError(
            f"{folder} could not be removed ({trouble.strerror}).", "Allow it, or delete the folder yourself."
        ) from trouble
    _index(Bundle.open(bundle))


def refresh(bundle: Path) -> tuple[QuizwriterError, ...]:
    """See that the index of what was added is of the bundle and the packets as they are now.

    Quick when it is. What is wrong with packets that had to be skipped is the result; nothing is raised.
    """
    folders = _folders(bundle)
    if not folders and not (bundle / YOURS / INDEX).exists():
        return ()
    troubles = [
        _skipped(folder, QuizwriterError("Its manifest is gone.", ""))
        for folder in folders
        if Bundle.digest_of(folder) is None
    ]
    try:
        about = Bundle.open(bundle / YOURS / INDEX).about
        fits = about.get("of") == Bundle.digest_of(bundle) and about.get("packets") == _digests(folders)
    except QuizwriterError:
        fits = False
    if not fits:
        try:
            _index(Bundle.open(bundle))
            troubles = added(bundle)[1]
        except QuizwriterError as trouble:
            return (*troubles, trouble)
    return tuple(troubles)


# -- reading


def _files(path: Path) -> Iterator[Path]:
    """The files of a folder, without those that systems and word processors leave lying about."""
    try:
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                inside = file.relative_to(path).parts
                litter = any(part.startswith((".", "~$", "__MACOSX")) for part in inside)
                if file.is_file() and not litter and file.name.casefold() not in _LITTER:
                    yield file
        elif path.is_file():
            yield path
        else:
            raise QuizwriterError(f"There is no {path}.", "Name a folder of packets, or a packet.")
    except OSError as trouble:
        raise QuizwriterError(
            f"{path} cannot be read ({trouble.strerror}).", "Check that you may read it."
        ) from trouble


class _Reader:
    """Collects the questions of files, and a line for each that could not be read."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.texts: list[_Text] = []
        self.unread: list[Line] = []
        self.tossups = self.bonuses = 0
        self._first: dict[str, str] = {}  # where a text was first met

    def read(self, path: Path, name: str) -> None:
        """Read one file, called ``name`` in the report."""
        kinds = [suffix.casefold() for suffix in path.suffixes]
        kind = kinds[-1] if kinds else ""
        if kind in _PACKED and len(kinds) > 1:
            kind = kinds[-2] if kinds[-2] in _ROWS else kind
        try:
            if kind in _PACKETS:
                self._packet(path, name)
            elif kind in _ROWS:
                self._rows(path, name)
            else:
                what = _OTHERS.get(kind, "neither .docx, .txt, .json nor .jsonl")
                self.unread.append(Line(name, "", f"not read: it is {what}"))
        except QuizwriterError as trouble:
            self.unread.append(Line(name, "", str(trouble).replace(f"{path} ", "it ", 1)))

    def _packet(self, path: Path, name: str) -> None:
        packet = read_packet(path)
        stem = name[: -len(path.suffix)]
        for at, asked in enumerate(packet.tossups, start=1):
            place = f"{packet.unit} {asked.place}"
            source = f"{self.title}, {stem}, tossup {asked.number or at}"
            if self._is_new(asked.text, name, place):
                self.tossups += 1
                read_aloud = " ".join(span.of(asked.text) for span in Tossup(asked.text).words)
                self._take(PassageKind.TOSSUP, read_aloud, None, asked.answer, source)
        for at, bonus in enumerate(packet.bonuses, start=1):
            place = f"{packet.unit} {bonus.place}"
            source = f"{self.title}, {stem}, bonus {bonus.number or at}"
            if self._is_new(" ".join(text for text, _ in bonus.parts), name, place):
                self.bonuses += 1
                for text, answer in bonus.parts:
                    self._take(PassageKind.BONUS, text, None, answer, source)
        for unread in packet.unread:
            place = f"{packet.unit} {unread.place}" if unread.place else ""
            self.unread.append(Line(name, place, unread.reason, unread.opening))
        if not packet.tossups and not packet.bonuses and not packet.unread:
            self.unread.append(Line(name, "", "no question was found in it"))

    def _rows(self, path: Path, name: str) -> None:
        report = _Listing(str(path), self.unread, name)
        seen: set[str] = set()
        for row in rows(path, report):
            if isinstance(row.get("parts"), list):
                found = list(parts_of(row, report))
                text = " ".join(part.text for part in found)
                if found and self._is_new(text, name, f"row {report.rows}"):
                    self.bonuses += 1
                    for part in found:
                        source = f"{self.title}, {source_of(row, kind='bonus')}"
                        self._take(PassageKind.BONUS, part.text, part.page, part.answer, source)
                continue
            question = question_of(row, report, seen)
            if question is not None and self._is_new(question.text, name, f"row {report.rows}"):
                self.tossups += 1
                line = one_line(row.get("answer")) or question.answer
                source = f"{self.title}, {question.source}"
                self._take(PassageKind.TOSSUP, question.text, question.page, line, source)
        report.finish()
        if not report.rows:
            self.unread.append(Line(name, "", "no question was found in it"))

    def _is_new(self, text: str, name: str, place: str) -> bool:
        before = self._first.setdefault(_bare(text), f"{name}, {place}")
        if before != f"{name}, {place}":
            opening = " ".join(text.split()[:8])
            self.unread.append(Line(name, place, f"the same question as in {before}; read once", opening))
            return False
        return True

    def _take(self, kind: PassageKind, text: str, page: str | None, line: str, source: str) -> None:
        self.texts.append(_Text(kind, text, page, tuple(_answers(line)) or (line,), source))


class _Listing(ReadReport):
    """Lists rejected rows one by one; a run of rows rejected alike is one line."""

    def __init__(self, path: str, unread: list[Line], name: str) -> None:
        super().__init__(path)
        self._unread = unread
        self._name = name
        self._run: tuple[str, int, int] | None = None

    def reject(self, reason: str) -> None:
        super().reject(reason)
        if self._run is not None and self._run[0] == reason and self._run[2] == self.rows - 1:
            self._run = (reason, self._run[1], self.rows)
            return
        self.finish()
        self._run = (reason, self.rows, self.rows)

    def finish(self) -> None:
        """Write down the run that is open."""
        if self._run is not None:
            reason, first, last = self._run
            place = f"row {first}" if first == last else f"rows {first:,} to {last:,}"
            self._unread.append(Line(self._name, place, reason))
            self._run = None


_OR = re.compile(r"\s*(?:[;,]\s*)?\b(?:also\s+)?(?:or|accept)\b(?:\s+either)?:?\s+", re.IGNORECASE)
_NOT_ACCEPTED = re.compile(r"\b(?:anti-?)?prompt\b|\b(?:do\s+not|don'?t|reject)\b", re.IGNORECASE)
_UNTIL = re.compile(r"\s*\b(?:until|before|after)\b.*", re.IGNORECASE | re.DOTALL)
_INSIDE = re.compile(r"\([^()]*\)")
_TITLES = re.compile(
    r"^(?:sir|dame|lord|saint|st|king|queen|emperor|pope|president|republic of|kingdom of|empire of|river) | "
    r"(?:river|period|empire|dynasty)$"
)


def _answers(line: str) -> Iterator[str]:
    """What an answer line calls its answer: the main name first, then what else it accepts."""
    outside = _INSIDE.sub(" ", line.partition("[")[0])
    first = _NOT_ACCEPTED.split(outside)[0]
    for name in (Answer(" ".join(first.split())).main, *_OR.split(first)):
        if bare := _trimmed(name):
            yield bare
    for inside in re.findall(r"[\[(]([^\[\]()]*)", line):
        for clause in inside.split(";"):
            if not _NOT_ACCEPTED.search(clause) and _OR.match(clause):
                for name in _OR.split(clause):
                    if bare := _trimmed(_UNTIL.sub("", name)):
                        yield bare


def _trimmed(name: str) -> str:
    return " ".join(name.split()).strip(' \t"“”.,;:[]()')


class _Filing:
    """Decides under which page a text is filed; pages that are not there yet are added."""

    def __init__(self, bundle: Bundle) -> None:
        self.pages = [Page(line) for line in bundle.lines("pages.txt")]
        keys, asked = bundle.lines("page_keys.txt"), bundle.array("pages_asked.npy").tolist()
        self._rows = Pages(self.pages, keys, asked).rows
        self._told_apart: dict[str, int] = {}  # Orion_(mythology) by "orion"
        told_apart = [row for row, page in enumerate(self.pages) if page.endswith(")") and asked[row]]
        for row in sorted(told_apart, key=lambda row: (-asked[row], keys[row])):
            self._told_apart.setdefault(answer_key(self.pages[row].rpartition("_(")[0]), row)

    def row(self, text: _Text) -> int:
        """The row number of the page: of one called so, then of one that differs as answer lines do."""
        keys = [answer_key(answer) for answer in ((text.page,) if text.page else text.answers)]
        if text.page:
            found = self._rows.get(keys[0])
        else:
            found = next((row for key in keys if (row := self._known_as(key)) is not None), None)
        if found is None:
            found = len(self.pages)
            self.pages.append(Page((text.page or text.answers[0]).replace(" ", "_")))
            self._rows[keys[0]] = found
        return found

    def _known_as(self, key: str) -> int | None:
        """The page of this name, or of it without its title, in singular or plural, or told apart by more."""
        if key in self._rows:
            return self._rows[key]
        bare = _TITLES.sub("", key).strip()
        singular = re.sub(r"(?<=..)s$", "", bare)
        for name in (bare, singular, re.sub(r"ie$", "y", singular), re.sub(r"e$", "", singular), f"{bare}s"):
            if name in self._rows:
                return self._rows[name]
        return self._told_apart.get(key)


# -- keeping


def _folders(bundle: Path) -> list[Path]:
    inside = bundle / YOURS / "packets"
    if not inside.is_dir():
        return []
    return sorted(one for one in inside.iterdir() if one.is_dir() and not one.name.startswith("."))


def _name_of(path: Path) -> str:
    """The name under which what is at ``path`` is kept: the same whenever it is added again."""
    whole = path.resolve()
    slug = re.sub(r"[^a-z0-9]+", "-", answer_key(whole.stem)[:40]).strip("-")
    return f"{slug or 'packets'}-{hashlib.sha256(str(whole).encode(errors='replace')).hexdigest()[:6]}"


def _keep(bundle: Path, added: Added, texts: Iterable[_Text]) -> None:
    with publishing(bundle / YOURS / "packets" / added.name, {"title": added.title}) as writer:
        writer.lines(_QUESTIONS, [json.dumps(asdict(text), ensure_ascii=True) for text in texts])
        writer.lines(_REPORT, [json.dumps(asdict(added), ensure_ascii=True)])


def _read_report(kept: Bundle) -> Added:
    try:
        values = json.loads(kept.lines(_REPORT)[0])
        values["unread"] = tuple(Line(**line) for line in values["unread"])
        return Added(**values)
    except (ValueError, TypeError, KeyError, IndexError):
        raise _NOT_OURS from None


def _read_texts(kept: Bundle) -> list[_Text]:
    try:
        return [_text(json.loads(line)) for line in kept.lines(_QUESTIONS)]
    except (ValueError, TypeError, KeyError):
        raise _NOT_OURS from None


def _text(values: dict[str, Any]) -> _Text:
    return _Text(
        PassageKind(values["kind"]),
        values["text"],
        values["page"],
        tuple(values["answers"]),
        values["source"],
    )


_NOT_OURS = QuizwriterError("It was not written by this program.", "Add the packets again.")


def _skipped(folder: Path, trouble: QuizwriterError) -> QuizwriterError:
    return QuizwriterError(
        f"Of your packets, {folder.name} is damaged and was skipped: {trouble.problem}",
        "Remove it and add the packets again.",
    )


def _digests(folders: Iterable[Path]) -> dict[str, str]:
    return {folder.name: digest for folder in folders if (digest := Bundle.digest_of(folder)) is not None}


def _known(bundle: Path) -> dict[str, int]:
    try:
        found: dict[str, int] = Bundle.open(bundle / YOURS / INDEX).about.get("known", {})
        return found
    except QuizwriterError:
        return {}


def _replace_known(added: Added, known: dict[str, int]) -> Added:
    return replace(added, known=known.get(added.name, 0))


def _index(bundle: Bundle) -> dict[str, int]:
    """Index all that was added, and publish that; of each, how many texts were there already."""
    yours, folders = bundle.folder / YOURS, _folders(bundle.folder)
    texts: list[tuple[str, _Text]] = []
    for folder in folders:
        try:
            texts += [(folder.name, text) for text in _read_texts(Bundle.open(folder))]
        except QuizwriterError:
            continue  # said by whoever lists them
    if not texts:
        shutil.rmtree(yours / INDEX if folders else yours, ignore_errors=True)
        return {}
    corpus, known = _corpus(bundle, texts)
    about: dict[str, Any] = {
        "title": "Your packets",
        "of": bundle.digest,
        "packets": _digests(folders),
        "known": known,
    }
    with publishing(yours / INDEX, about) as writer:
        write_correction(bundle, corpus, writer)
    return known


def _corpus(bundle: Bundle, texts: list[tuple[str, _Text]]) -> tuple[Corpus, dict[str, int]]:
    """The added texts under the pages of the bundle, or under new ones; those known already left out."""
    filing = _Filing(bundle)
    had = _Had(bundle)
    known: Counter[str] = Counter()
    found = []
    for name, text in texts:
        row = filing.row(text)
        if had.already(row, text.text):
            known[name] += 1
        else:
            found.append((row, text.kind, text.source, text.text))
    found.sort(key=lambda one: (one[0], one[1]))
    asked = Counter(row for row, kind, *_ in found if kind is PassageKind.TOSSUP)
    corpus = Corpus(
        pages=tuple(filing.pages),
        asked=tuple(asked[row] for row in range(len(filing.pages))),
        page_rows=tuple(row for row, *_ in found),
        kinds=tuple(kind for _, kind, *_ in found),
        sources=tuple(source for *_, source, _ in found),
        texts=tuple(text for *_, text in found),
        categories=("",) * len(found),
        held=(),
        folds={},
        settled={},
    )
    return corpus, dict(known)


class _Had:
    """Which questions are filed under a page already."""

    def __init__(self, bundle: Bundle) -> None:
        self._texts = bundle.texts("passages/texts")
        self._is_asked = bundle.array("passages/kinds.npy") != int(PassageKind.ARTICLE)
        self._starts = bundle.array("passages/page_starts.npy")
        self._by_row: dict[int, dict[str, set[str]]] = {}  # those that begin alike

    def already(self, row: int, text: str) -> bool:
        """Whether ``text`` was filed under the page before; from now on it is."""
        if row not in self._by_row:
            openings = self._by_row[row] = {}
            start, end = self._starts[row : row + 2].tolist() if row + 1 < len(self._starts) else (0, 0)
            for place in np.flatnonzero(self._is_asked[start:end]) + start:
                old = self._texts[place]
                openings.setdefault(_opening(old), set()).add(old)
        alike = self._by_row[row].setdefault(_opening(text), set())
        bare = _bare(text)
        if any(_bare(old) == bare for old in alike):
            return True
        alike.add(text)
        return False


_SIGNS = re.compile(r"[\W_]+")


def _bare(text: str) -> str:
    """The letters that ``text`` begins with: no two questions share so many."""
    return _SIGNS.sub("", text[:200])[:120].casefold()


def _opening(text: str) -> str:
    """Less of it, which is quicker."""
    return _SIGNS.sub("", text[:40])[:16].casefold()
