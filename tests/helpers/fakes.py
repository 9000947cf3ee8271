"""Players, engines and applications that a test holds by the hand."""

from __future__ import annotations

import errno
import re
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import msgspec
from keyring.backend import KeyringBackend
from msgspec.structs import replace

from index_builder.data.catalogue import QANTA, WIKIPEDIA
from index_builder.user_packets import ImportProblem, PacketImport
from quizwriter.domain.events import Event
from quizwriter.domain.evidence import Cue, Evidence, Faithfulness, Method, Passage
from quizwriter.domain.guessing import TOP, Buzz, Guess, Player, Playthrough
from quizwriter.domain.history import Change
from quizwriter.domain.model_budget import Spending
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.pronunciation import UsedGuide
from quizwriter.domain.review import Person
from quizwriter.domain.review_state import Review, fold_events
from quizwriter.domain.span import Span
from quizwriter.domain.style_sheet import STANDARD_STYLE, StyleSheet
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.clue_finder import ClueFinder
from quizwriter.engine.elastic.client import ServerReport
from quizwriter.engine.engine import Engine
from quizwriter.engine.guide_book import GuideBook
from quizwriter.engine.library import Library
from quizwriter.engine.pages import Completion
from quizwriter.errors import QuizwriterError
from quizwriter.services.clue_lookup import ClueLookup
from quizwriter.services.downloads import SOURCES_FOLDER, DownloadOffer
from quizwriter.services.past_questions import PastQuestions
from quizwriter.services.problems import Surroundings
from quizwriter.services.publishing import PublishCommand
from quizwriter.services.tossups import TitledHistory
from quizwriter.services.what_if import WhatIf
from quizwriter.settings import ModelSettings, ServerSettings, Settings
from quizwriter.store.refusals import tossup_is_absent
from quizwriter.workflow.history_analysis import History
from quizwriter.workflow.session import AnswerChange, PendingSave, WritingSession
from tests.helpers.patience import PATIENCE_S

TEXTS = {
    "Madama_Butterfly": [
        (
            "Opera notes",
            "In this opera by Giacomo Puccini a naval officer named Pinkerton rents a house above the "
            "harbour of Nagasaki together with a bride, Cio-Cio-San, for nine hundred and ninety-nine "
            "years.",
        ),
        (
            "Practice packet 3",
            "Watching the harbour with her maid Suzuki, the heroine of this work sings that one fine "
            "day a thread of smoke will rise on the horizon and a white ship will enter the port.",
        ),
        (
            "Programme book",
            "A humming chorus is heard from offstage during the vigil, while Sorrow, the child, sleeps;"
            " Sharpless the consul has not dared to read the whole letter.",
        ),
    ],
    "Turandot": [
        (
            "Opera notes",
            "A prince of Tartary answers three riddles in Puccini's last opera, which Franco Alfano "
            "completed; the slave Liu dies, and an aria tells that nobody shall sleep in Peking.",
        ),
        (
            "Practice packet 7",
            "The heroine of this opera has suitors beheaded at moonrise; ministers named Ping, Pang and"
            " Pong long for their house by a lake.",
        ),
    ],
    "The_Mikado": [
        (
            "Programme book",
            "In the town of Titipu a wandering minstrel loves Yum-Yum, the ward of the Lord High "
            "Executioner, in this comic opera by Gilbert and Sullivan set in Japan.",
        ),
    ],
    "La_bohème": [
        (
            "Opera notes",
            "A seamstress whose hand is cold loses her key in a Paris garret in this opera by Puccini; "
            "a muff is bought for her before she dies.",
        ),
    ],
    "Aida": [
        (
            "Opera notes",
            "An Ethiopian princess is a slave in Memphis in this opera by Verdi; Radames is sealed in a"
            " vault below the temple.",
        ),
    ],
    "Nagasaki": [
        (
            "Gazetteer",
            "A harbour city on Kyushu where Dutch traders lived on the island of Dejima; Glover's house"
            " looks down on the port.",
        ),
    ],
    "Jane_Austen": [
        (
            "Companion",
            "The author of Emma, Persuasion and Sanditon lived at Chawton in Hampshire.",
        ),
    ],
}

DRAFT = (
    "In this work, a man complains that a whiskey-drinking Yankee travels the wide world "
    "dropping anchor at random. A maid is told in this work that a thread of smoke will rise on"
    ' the horizon "one fine day" and that a white ship will enter the harbour. A humming chorus'
    " from offstage accompanies a vigil in this work, during which Suzuki and a child named "
    "Sorrow fall asleep. (*) The consul Sharpless cannot finish reading a letter to the heroine"
    " of this work, who rents a house in Nagasaki with Lieutenant Pinkerton. For 10 points, "
    "name this opera by Giacomo Puccini about the geisha Cio-Cio-San."
)

_STOCK = frozenset(
    "a an and at by for from has her in is named of on or that the this to who will with work".split()  # noqa: SIM905
)


ON = "2031-10-04T12:00:00+00:00"


def bare(word: str) -> str:
    """``word`` without case and punctuation."""
    return re.sub(r"\W+", "", word.casefold())


@dataclass(frozen=True)
class Overlap:
    """Counts the words a page's texts share with the draft; the cues are exact."""

    name: str = "ir"

    def points(self, word: str, page: str) -> float:
        """What ``word`` adds to ``page``."""
        word = bare(word)
        if not word or word in _STOCK:
            return 0.0
        pages = [other for other, texts in TEXTS.items() if any(word in _bag(text) for _, text in texts)]
        return 0.3 * len(word) ** 1.4 / len(pages) if page in pages else -0.01 * len(word) * bool(pages)

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        sums = dict.fromkeys(TEXTS, 0.0)
        rows, ranks = [], []
        for span in tossup.words:
            for page in sums:
                sums[page] += self.points(span.of(tossup.text), page)
            best = sorted((page for page in sums if sums[page] > 0), key=lambda page: (-sums[page], page))
            rows.append(tuple(Guess(Page(page), sums[page]) for page in best[:top]))
            answer = tossup.answer
            ranks.append(
                next(
                    (i for i, page in enumerate(best, 1) if answer is not None and answer.accepts(page)), None
                )
            )
        return Playthrough(self.name, tossup, tuple(range(1, len(rows) + 1)), tuple(rows), tuple(ranks))

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence:
        cues = tuple(
            Cue(span, points) for span in tossup.words if (points := self.points(span.of(tossup.text), page))
        )
        passages = []
        for number, sentence in enumerate(tossup.sentences):
            words = {bare(word) for word in sentence.of(tossup.text).split()} - _STOCK
            for source, text in TEXTS.get(page, []):
                found = [found for found in re.finditer(r"\w+", text) if bare(found[0]) in words]
                hits = tuple(Span(*one.span()) for one in found)
                if hits:
                    passages.append(Passage(source, text, hits, number))
        return Evidence(self.name, page, sum(cue.weight for cue in cues), cues, tuple(passages))


@cache
def _bag(text: str) -> frozenset[str]:
    return frozenset(bare(word) for word in text.split())


class Estimating(Overlap):
    """Estimates its cues, and has exact ones for those who ask."""

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence:
        found = super().explain(tossup, page)
        if exact:
            halved = tuple(
                Cue(cue.span, cue.weight / (1 + number % 2)) for number, cue in enumerate(found.cues)
            )
            doubt = Faithfulness(0.82, 0.12, 0.79)
            return replace(found, cues=halved, passages=(), method=Method.WITHOUT, faithfulness=doubt)
        return replace(found, passages=(), method=Method.GRADIENT)


class Mute(Overlap):
    """Has no evidence of its own."""

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> None:  # type: ignore[override]
        """None."""


@dataclass(frozen=True)
class Lead:
    """Buzzes once the first guess has ``points`` more than the second."""

    points: float = 8.0
    threshold: float = 0.0

    def chances(self, play: Playthrough) -> tuple[float, ...]:
        return tuple(0.8 if row else 0.0 for row in play.rows)

    def buzz(self, play: Playthrough) -> Buzz | None:
        for heard, row in zip(play.heard, play.rows, strict=True):
            second = row[1].score if len(row) > 1 else 0.0
            if row and row[0].score - second >= self.points:
                return Buzz(heard, row[0], 0.8)
        return None


class Gated:
    """Plays only as often as the test lets it, and remembers what it was asked."""

    def __init__(self, name: str = "ir") -> None:
        self.name = name
        self.thinking = threading.Event()
        self.heard: list[str] = []
        self._gate = threading.Semaphore(0)
        self._inside = Overlap(name)

    def open(self, times: int = 1) -> None:
        """Let ``times`` games end."""
        for _ in range(times):
            self._gate.release()

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """As a guesser does, once the gate opens."""
        self.heard.append(tossup.text)
        self.thinking.set()
        assert self._gate.acquire(timeout=PATIENCE_S), "the test never opened the gate"
        self.thinking.clear()
        return self._inside.play(tossup, top)

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence:
        return self._inside.explain(tossup, page, exact=exact)


class Scripted:
    """A guesser whose first guess after each word is the next page of ``script``, the last one for good."""

    def __init__(self, name, *script, play_trouble=None, explain_trouble=None):
        self.name = name
        self._script = script
        self._play_trouble = play_trouble
        self._explain_trouble = explain_trouble
        self.played = []
        self.explained = []

    def play(self, tossup, top=TOP):
        self.played.append(tossup)
        if self._play_trouble is not None:
            raise self._play_trouble
        heard = tuple(range(1, len(tossup.words) + 1)) if self._script else ()
        pages = [self._script[min(i, len(self._script) - 1)] for i in range(len(heard))]
        rows = tuple((Guess(page, 2.0), Guess("Runner_up", 1.0))[:top] for page in pages)
        return Playthrough(self.name, tossup, heard, rows, (None,) * len(rows))

    def explain(self, tossup, page, *, exact=False):
        self.explained.append((tossup.text, page))
        if self._explain_trouble is not None:
            raise self._explain_trouble
        return Evidence(self.name, page, 2.0, method=Method.WITHOUT if exact else Method.GRADIENT)


class BuzzAt:
    """A buzzer that answers with the first guess after ``heard`` words; never, if None."""

    threshold = 0.0

    def __init__(self, heard=None):
        self._heard = heard

    def chances(self, play):
        return (0.5,) * len(play.rows)

    def buzz(self, play):
        if self._heard is None or self._heard not in play.heard:
            return None
        return Buzz(self._heard, play.rows[play.heard.index(self._heard)][0], 0.5)


class Failing(Overlap):
    """A player whose world is broken."""

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        raise QuizwriterError("The file with its weights is damaged.", "Open the bundle again.")


class Buggy(Overlap):
    """A player with a bug."""

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        raise RuntimeError("a bug of ours")


@dataclass(frozen=True)
class FakePages:
    """A handful of pages."""

    all: tuple[Page, ...] = tuple(Page(page) for page in TEXTS)

    def __len__(self) -> int:
        return len(self.all)

    def find(self, name: str) -> Page | None:
        return next((page for page in self.all if answer_key(page) == answer_key(name)), None)

    def right(self, answer: Answer) -> tuple[int, ...]:
        """The rows of the pages that are right for the answer."""
        return tuple(row for row, page in enumerate(self.all) if answer.accepts(page))

    def meant(self, name: str) -> Page | None:
        return self.find(name)

    def complete(self, typed: str, limit: int = 12) -> tuple[Completion, ...]:
        wanted = answer_key(typed)
        found = (page for page in self.all if f" {wanted}" in f" {answer_key(page)}")
        return tuple(Completion(page, "") for page in islice(found, limit))

    def prepare(self) -> None:
        """Nothing."""

    def asked(self, page: Page) -> int:
        """Three times."""
        return 3


class FakeEngine(msgspec.Struct, frozen=True):
    """An engine made of any players."""

    players: tuple[Player, ...]
    title: str = "A few operas"
    digest: str = "fake"
    folder: Path = Path("a-few-operas")
    troubles: tuple[QuizwriterError, ...] = ()
    pages: FakePages = msgspec.field(default_factory=FakePages)
    library: Library | None = None
    clue_finder: ClueFinder | None = None
    guides: GuideBook | None = None


@dataclass(frozen=True)
class FakeListed:
    """A row of the list."""

    tossup_id: str
    answer_line: str
    opening: str
    words: int
    changed_ms: int = 0
    set_name: str = ""
    packet: str = ""
    status: str = "draft"


class FakeStore:
    """Keeps savings in memory; ``full`` makes the disk full."""

    def __init__(self) -> None:
        self.full = False
        self.savings: list[PendingSave] = []
        self.texts: dict[str, PendingSave] = {}
        self.tried = threading.Event()
        self.recorded: list[Event] = []
        self.known: dict[str, Person] = {}

    def add_events(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Keep them, unless the disk is full."""
        if self.full:
            raise QuizwriterError("The disk is full.", "Free some disk space.")
        there = {event.id for event in self.recorded}
        new = tuple(event for event in events if event.id not in there)
        self.recorded += new
        return new

    def events(self, tossup_id: str) -> tuple[Event, ...]:
        return tuple(event for event in self.recorded if event.tossup_id == tossup_id)

    def history(self, tossup_id: str) -> tuple[Change, ...]:
        mine = [saving for saving in self.savings if saving.tossup_id == tossup_id]
        return tuple(change for saving in mine for change in saving.changes)

    def people(self) -> dict[str, Person]:
        return dict(self.known)

    def save(self, saving: PendingSave) -> None:
        """Keep it, unless the disk is full."""
        self.tried.set()
        if self.full:
            raise QuizwriterError("The disk is full.", "Free some disk space.")
        self.savings.append(saving)
        self.texts[saving.tossup_id] = saving

    def tossups(self) -> tuple[FakeListed, ...]:
        """All of them, the last changed first."""
        newest = sorted(self.texts.values(), key=lambda saving: -saving.at_ms)
        return tuple(
            FakeListed(s.tossup_id, s.answer.line if s.answer else "", s.text[:60], len(Tossup(s.text).words))
            for s in newest
        )


class FakeApp:
    """An application without an engine's files and without a disk."""

    def __init__(self, home: Path, players: tuple[Player, ...] | None = None) -> None:
        self.home = home
        self.settings = Settings(theme="light", shows_clue_strip=False, shows_people_lane=False)
        self.settings_trouble: QuizwriterError | None = None
        self.store = FakeStore()
        self.players = players or (Player(Overlap(), Lead(), "fake"),)
        self.refusal: QuizwriterError | None = None
        self.added: list[PacketImport] = []
        self.taught = False
        self.adding = threading.Event()
        self.adding.set()
        self._ids = iter(f"t{number}" for number in range(1, 10_000))
        self.fetches: list[str] = []  # from where the window wanted the questions
        self.asks: ServerSettings | None = None
        self.distant: Player | None = None
        self.tested: list[tuple[ServerSettings, str]] = []
        self.answer: ServerReport | QuizwriterError = ServerReport("9.1.0", "tossups-2", 61_489, 12.3)
        self.bundle_digest = ""
        self.compared_in: list[threading.Thread] = []
        self.answering = threading.Event()
        self.answering.set()
        self.secrets_kept: list[tuple[tuple[str, ...], str]] = []
        self.has_keyring = True
        self.keyring_trouble: QuizwriterError | None = None
        self.fetch_command = [sys.executable, "-c", ""]

        # The fake does what all services do.
        self.identity = SimpleNamespace(load=lambda: None, trouble=None)
        self.publications: list[tuple[ServerSettings, str, Path]] = []
        self.profile = self.engines = self.packets = self.downloads = self.tossups = self.review = self
        self.publishing = self
        self.plays = self.problems = self
        self.models = FakeModels()
        self.foreign_version = lambda: 1
        self.recovery = self
        self.library: Library | None = None
        self.past = PastQuestions(lambda: self, lambda: self)
        self.clue_finder: ClueFinder | None = None
        self.clue_lookup = ClueLookup(self)
        self.what_if = WhatIf()
        self.what_if.fool = lambda *_: (None, (), {})  # there is no retrieval
        self.survival = SimpleNamespace(of=lambda *_: None)
        self.learning: list[str] = []
        self.is_pending = False  # nothing was being played when it was closed

    def close(self) -> None:
        """Nothing runs beside it."""

    def use_engine(self, engine: Engine) -> None:
        """No game is compared with its players."""

    def variant_players(self, engine: Engine) -> tuple[Player, ...]:
        """All but the distant ones, here."""
        return tuple(player for player in engine.players if not player.distant)

    def serve_window(
        self, after_save: Callable[[], object], after_replacement: Callable[[Path], object]
    ) -> None:
        """There is no disk."""

    def save(self, pending: PendingSave) -> None:
        """Keep it, unless the disk is full."""
        self.store.save(pending)

    def guides_of(self, names: Sequence[str], but: str) -> tuple[UsedGuide, ...]:
        return ()

    def asking_the_same(self, tossup_id: str, answer: Answer) -> tuple[str, ...]:
        return ()

    def summaries(self) -> tuple[FakeListed, ...]:
        """All tossups, the last changed first."""
        return self.store.tossups()

    def events(self, tossup_id: str) -> tuple[Event, ...]:
        return self.store.events(tossup_id)

    def review_of(self, tossup_id: str) -> Review:
        return fold_events(self.store.events(tossup_id))

    standing_of = review_of

    def hides_machines(self, tossup_id: str) -> bool:
        """As the true one, without its care for a database that cannot be read."""
        return self.review_of(tossup_id).hides_machines

    def add_events(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Keep them, unless the disk is full."""
        return self.store.add_events(events)

    def changes(self, tossup_id: str) -> tuple[Change, ...]:
        return self.store.history(tossup_id)

    def surroundings(self, tossup_id: str) -> Surroundings:
        """No set, no style sheet, nothing dismissed."""
        return Surroundings()

    def sheet_of(self, tossup_id: str) -> StyleSheet:
        """That of no set."""
        return STANDARD_STYLE

    def is_backup_due(self) -> bool:
        """Not of a disk that is not there: a window that is open for a minute asks."""
        return False

    def read_dictionaries(self) -> None:
        """There are none."""

    def start_players(self) -> None:
        """They play in this process."""

    def spelt(self, inspection, engine, around=None):
        """Every word is right."""
        return inspection

    def people(self) -> dict[str, Person]:
        return self.store.people()

    @property
    def me(self) -> Person:
        """Whoever the settings say."""
        return Person("me", self.settings.profile_name, self.settings.profile_email)

    def set_profile(self, name: str, email: str) -> None:
        self.settings = replace(self.settings, profile_name=name, profile_email=email)

    @property
    def folder(self) -> Path:
        """Beside the rest."""
        return self.home / "evidence"

    def offer(self) -> DownloadOffer:
        """As the application's own, on a disk of a fixed size."""
        there = any((self.folder / SOURCES_FOLDER).glob("*"))
        return DownloadOffer((QANTA, WIKIPEDIA), self.folder, "23.4 GB", "63.1 MB" if there else "")

    def command(self, *, mirror: str) -> list[str]:
        """The one the test wants."""
        self.fetches.append(mirror)
        return self.fetch_command

    def publish_command(self, server: ServerSettings, secret: str, bundle: Path) -> PublishCommand:
        """The one the test wants, once the gate is open."""
        assert self.answering.wait(PATIENCE_S)
        self.publications.append((server, secret, bundle))
        return PublishCommand(tuple(self.fetch_command), {"QUIZWRITER_SECRET": secret})

    def remove_fetched(self) -> None:
        shutil.rmtree(self.folder / SOURCES_FOLDER, ignore_errors=True)

    def save_settings(self, settings: Settings) -> None:
        self.settings = settings

    def use_server(self, server: ServerSettings | None) -> None:
        self.asks = server

    def probe_server(self, server: ServerSettings, secret: str = "") -> ServerReport:
        """What the test wants the server to say, once the gate is open."""
        self.tested.append((server, secret))
        assert self.answering.wait(PATIENCE_S)
        if isinstance(self.answer, QuizwriterError):
            raise self.answer
        return self.answer

    def holds_bundle(self, report: ServerReport, bundle: Path) -> bool:
        """Whether the report says the digest that the test gave the bundle."""
        self.compared_in.append(threading.current_thread())
        return report.bundle == self.bundle_digest

    def save_secret(self, server: ServerSettings, secret: str) -> bool:
        """Keeps it, if there is a keyring."""
        self.secrets_kept.append((server.credential_id, secret))
        if self.keyring_trouble is not None:
            raise self.keyring_trouble
        return self.has_keyring

    def with_server_player(self, engine: FakeEngine) -> FakeEngine:
        """With the distant player of the test, if one is to be asked."""
        players = tuple(player for player in engine.players if not player.distant)
        if self.asks is not None and self.distant is not None:
            players = (*players, self.distant)
        return replace(engine, players=players)

    def load(self) -> FakeEngine:
        """The fake, or the refusal the test wants."""
        if self.refusal is not None:
            raise self.refusal
        return FakeEngine(self.players, library=self.library, clue_finder=self.clue_finder)

    def open_bundle(self, path: Path) -> FakeEngine:
        self.settings = replace(self.settings, bundle=str(path))
        return FakeEngine(self.players, title=path.name)

    def added_packets(self, bundle: Path) -> tuple[list[PacketImport], list[QuizwriterError]]:
        return list(self.added), []

    def have_taught(self, bundle: Path) -> bool:
        """Whether a test had them learn."""
        return self.taught

    def add_packets(
        self, bundle: Path, paths: Sequence[Path], progress: Callable[[int, int], None]
    ) -> tuple[list[PacketImport], FakeEngine]:
        """One tossup a path, and one that cannot be read; a path called ``missing`` is not there."""
        progress(0, len(paths))
        assert self.adding.wait(PATIENCE_S)
        if any(path.name == "missing" for path in paths):
            raise QuizwriterError("There is no missing.", "Name a folder of packets, or a packet.")
        unread = (ImportProblem("one.txt", "line 4", "no answer line", "This man"),)
        new = [PacketImport(path.name, path.name, str(path), 1, 1, 0, unread, ON) for path in paths]
        self.added += new
        progress(len(paths), len(paths))
        return new, FakeEngine(self.players, digest="fake+1")

    def remove_packets(self, bundle: Path, name: str) -> FakeEngine:
        self.added = [one for one in self.added if one.name != name]
        return FakeEngine(self.players)

    def learning_command(self, bundle: Path) -> list[str]:
        """The program that a test chose."""
        return self.learning

    def reload(self, bundle: Path) -> FakeEngine:
        """With networks that have learnt."""
        self.taught = True
        return FakeEngine(self.players, digest="fake+learnt")

    def unlearn(self, bundle: Path) -> tuple[str, FakeEngine]:
        self.taught = False
        return "DAN plays as before your packets.", FakeEngine(self.players, digest="fake+unlearnt")

    def new_session(self) -> WritingSession:
        return WritingSession(next(self._ids))

    def session(self, tossup_id: str) -> WritingSession:
        """One that was kept."""
        kept = self.store.texts[tossup_id]
        mine = [saving for saving in self.store.savings if saving.tossup_id == tossup_id]
        seq = max((change.seq for saving in mine for change in saving.changes), default=0)
        return WritingSession(tossup_id, Tossup(kept.text, kept.answer), seq=seq, cursor=kept.cursor)

    def titled_history(self, tossup_id: str) -> TitledHistory:
        """The history of one that was kept."""
        if tossup_id not in self.store.texts:
            raise tossup_is_absent()
        mine = [saving for saving in self.store.savings if saving.tossup_id == tossup_id]
        shown = tuple(shown for saving in mine for shown in saving.shown)
        answer = self.store.texts[tossup_id].answer
        history = History(self.store.history(tossup_id), shown, (AnswerChange(0, 0, answer),))
        return TitledHistory(history, answer.main if answer else tossup_id, {"me": "Ada"})

    def branch_from(self, tossup_id: str, history: History, index: int) -> str:
        """Kept beside the other."""
        key = next(self._ids)
        step = history.steps[index]
        text, changes = history.text(index), history.changes[: step.seq]
        self.store.save(PendingSave(key, text, step.answer, 0, 1, changes))
        return key

    def last_session(self) -> WritingSession:
        """The one changed last."""
        listed = self.store.tossups()
        return self.session(listed[0].tossup_id) if listed else self.new_session()

    def add_examples(self) -> tuple[FakeListed, ...]:
        """A packet of two, the opera first."""
        for key, text in (("e2", "A lake."), ("e1", DRAFT)):
            if key not in self.store.texts:
                answer = Answer("Madama Butterfly", Page("Madama_Butterfly"))
                self.store.save(PendingSave.begun(key, text, answer, 1))
        listed = {one.tossup_id: one for one in self.store.tossups()}
        return listed["e1"], listed["e2"]


class FakeModels:
    """A language model that is off, unless a test switches it on; no tossup is barred."""

    def __init__(self) -> None:
        self.watch = lambda sending: None
        self.used: list[ModelSettings | None] = []
        self.barred: dict[str, str] = {}
        self.keys: list[str] = []
        self.names: tuple[str, ...] | QuizwriterError = ("parrot-7b", "owl-70b")
        self.cost = Spending(3, 1_000, 750)
        self.evidence: Evidence | None = None

    @property
    def on(self) -> bool:
        """Whether it was switched on last."""
        return bool(self.used) and self.used[-1] is not None

    def use(self, settings: ModelSettings | None) -> None:
        self.used.append(settings)

    def why_barred(self, tossup_id: str) -> str:
        return self.barred.get(tossup_id, "")

    def bar(self, set_name: str) -> tuple[Event, ...]:
        """Remember the set."""
        self.barred[set_name] = set_name
        return ()

    def probe(self, settings: ModelSettings, key: str = "") -> tuple[str, ...]:
        """The names that the test wants."""
        if isinstance(self.names, QuizwriterError):
            raise self.names
        return self.names

    def save_key(self, settings: ModelSettings, key: str) -> bool:
        self.keys.append(key)
        return False

    def spent(self) -> Spending:
        return Spending(12, 5_000, 2_400, 0.25)

    def cost_of_leaving_out(self, tossup: Tossup) -> Spending:
        return self.cost

    def leave_out(self, tossup: Tossup, page: Page) -> Evidence | None:
        return self.evidence


class MemoryKeyring(KeyringBackend):
    """A keyring that forgets all when the test ends."""

    priority = 5

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


def fill(path: Path) -> None:
    """Write to ``path`` until the disk is full."""
    try:
        with path.open("wb", buffering=0) as file:
            while file.write(b"x" * 512):
                pass
    except OSError as trouble:
        if trouble.errno != errno.ENOSPC:
            raise
