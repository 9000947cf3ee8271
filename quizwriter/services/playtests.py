"""Playtests by mail: tossups are sent as one HTML page to play, and what people did comes back as a text.

The page is a file of others once it is sent: what comes back is outside data. A code that only this database
can make binds it to the versions of the tossups that were sent. Verdicts of the page are provisional.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import re
import secrets
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from quizwriter.domain.answer_line import read_markup
from quizwriter.domain.events import Event
from quizwriter.domain.plain_text import UNSEEN
from quizwriter.domain.review import Commented
from quizwriter.domain.tossup_game import (
    MOST_MOVES,
    Felt,
    GameFormat,
    IllegalMoveError,
    Impression,
    Move,
    MoveKind,
    Phase,
    Played,
    PlayedBy,
    PlayedTossup,
    Remark,
    Rules,
    Seat,
    clean_line,
    seen_lines,
    shown_words,
    version_digest,
)
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.services.games import Games, is_kept
from quizwriter.services.mailed_text import readings
from quizwriter.services.match import MatchTossup
from quizwriter.services.play_page import MAIL, play_page
from quizwriter.services.profile import Profile
from quizwriter.store.store import Store
from quizwriter.system.atomic import atomic_text
from quizwriter.system.decoding import (
    DecodingError,
    check_zip,
    decode_small_json,
    read_limited,
    translate_unpacking_errors,
)
from quizwriter.workflow.people_rooms import called
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.wording import counted_noun, quoted

MOST_BYTES = 1 << 20
"""Of results; those of a packet have a fiftieth."""

MOST_TOSSUPS = 200
_KEY = "playtest key"
_KIND = "quizwriter playtest 1"
_BROKEN = re.compile(r"[\r\n][\s>]*")
_ADDED = re.compile(rf"[\s{UNSEEN}]")
"""What mails put into a long text, and a page that escapes all but plain letters does not."""
_CURLY = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f", '"'))
_LOST = "Some letters were lost on the way. Each is shown as \ufffd; ask for the file instead."
_WITHOUT_SPACES = f'{{"kind":"{_KIND}"'.replace(" ", r"\u0020")
"""How results begin whose page escapes spaces, so that a broken line takes none away."""

_PLAIN = _WITHOUT_SPACES.replace("q", r"\u0071")
"""How results begin whose page escapes whatever a mail may change; q only for this beginning."""

_Digest = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
_Id = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{32}\Z")]


class Sent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was sent: the id of the sending, its format, and the versions of its tossups by their ids."""

    id: _Id
    format: GameFormat
    tossups: Annotated[
        tuple[tuple[Annotated[str, msgspec.Meta(min_length=1, max_length=200)], _Digest], ...],
        msgspec.Meta(min_length=1, max_length=MOST_TOSSUPS),
    ]


class PlayedHere(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one person did with the tossup ``number``, from 1."""

    number: Annotated[int, msgspec.Meta(ge=1, le=MOST_TOSSUPS)]
    moves: Annotated[tuple[Move, ...], msgspec.Meta(max_length=MOST_MOVES)]
    felt: Felt = ""
    unfair: Remark = ""
    comment: Remark = ""


class Results(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What comes back from one person; ``code`` is the one of what was ``sent``."""

    kind: Annotated[str, msgspec.Meta(pattern=rf"\A{_KIND}\Z")]
    id: _Id
    sent: Sent
    code: _Digest
    games: Annotated[tuple[PlayedHere, ...], msgspec.Meta(max_length=MOST_TOSSUPS)]
    name: Annotated[str, msgspec.Meta(max_length=200)] = ""


class Received(msgspec.Struct, frozen=True):
    """Results before anything is kept: the games and remarks by tossup, and sentences on what differs.

    A remark has the id of its event: whoever receives it again knows it by that.
    """

    name: str
    games: tuple[tuple[str, Played], ...]
    remarks: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        who = self.name or "somebody without a name"
        if self.remarks and not self.games:
            return f"{counted_noun(len(self.remarks), 'remark')} of {who}."
        if not self.games:
            return f"There is nothing new from {who}."
        return f"{counted_noun(len(self.games), 'tossup')} played by {who}."


class Playtests:
    """Writes pages for playtesters, and takes what they send back."""

    def __init__(self, store: Store, profile: Profile, games: Games) -> None:
        self._store, self._profile, self._games = store, profile, games

    # -- sending

    def send(self, path: Path, tossups: Sequence[MatchTossup], game_format: GameFormat, title: str) -> int:
        """Write a page with ``tossups`` to ``path``; the number of its bytes. Slow."""
        page = self.page(tossups, game_format, title, secrets.token_hex(16))
        with atomic_text(path, problem=f"The page could not be written to {path}") as file:
            file.write(page)
        return len(page.encode())

    def page(self, tossups: Sequence[MatchTossup], game_format: GameFormat, title: str, sending: str) -> str:
        """The page as a text, always the same for one ``sending``."""
        from quizwriter.judging.verdict_table import (
            language,
            verdict_table,
        )  # here, as it reads lists of words

        if len(tossups) > MOST_TOSSUPS:
            raise QuizwriterError(
                f"A page holds at most {MOST_TOSSUPS} tossups.", "Send the packets one by one."
            )
        sent = Sent(sending, game_format, tuple((one.key, version_digest(one.tossup)) for one in tossups))
        questions = []
        for one in tossups:
            played, answer = PlayedTossup.of(one.tossup), one.tossup.answer
            questions.append(
                {
                    "shown": shown_words(one.tossup),
                    "answer": "" if answer is None else read_markup(answer.line).text,
                    "words": played.words,
                    "power": played.power,
                    "superpower": played.superpower,
                    "table": verdict_table(one.tossup),
                }
            )
        data = {
            "kind": _KIND,
            "title": title,
            "sent": sent,
            "code": self._code(sent),
            "language": language(),
            "tossups": questions,
        }
        return play_page(MAIL, msgspec.json.encode(data).decode())

    def _key(self) -> bytes:
        """The key of this database; it leaves it in no file that is sent."""
        kept = self._store.items(_KEY).get("")
        if kept is None:
            kept = json.dumps(secrets.token_hex(32))
            self._store.put_item(_KEY, "", kept)
        return bytes.fromhex(decode_small_json(kept, str))

    def _code(self, sent: Sent) -> str:
        return hmac.new(self._key(), msgspec.json.encode(sent), hashlib.sha256).hexdigest()

    # -- receiving

    def read(self, path: Path) -> Received:
        """What the results in a file say. Slow."""
        problem, remedy = f"{path.name} cannot be read.", "Ask for the file that *Save results* wrote."
        try:
            with translate_reading_errors(path.name, remedy):
                raw = _unzipped(read_limited(path, MOST_BYTES))
        except DecodingError as trouble:
            raise QuizwriterError(f"{problem} {trouble}.", remedy) from trouble
        return self.understand(raw)

    def understand(self, raw: bytes | str) -> Received:
        """What results say, a file or a pasted text. Nothing is kept yet. Slow."""
        remedy = "Ask for the file, or the whole text, of *Save results*."
        try:
            if len(raw) > MOST_BYTES:
                raise DecodingError(f"they are longer than {MOST_BYTES:,} bytes")
            results, lost = _unquoted(raw)
        except DecodingError as trouble:
            if str(trouble).startswith("kind: expected text of another form"):
                raise QuizwriterError(
                    "These results are of a page that another version of QuizWriter wrote.",
                    "Receive them in the version that wrote it.",
                ) from trouble
            raise QuizwriterError(f"These are not results of a playtest: {trouble}.", remedy) from trouble
        if not hmac.compare_digest(self._code(results.sent), results.code):
            raise QuizwriterError(
                "These results are of tossups that were not sent from here, or what was sent was changed.",
                "Open them in the database from which the page was sent.",
            )
        return self._planned(results, lost)

    def _planned(self, results: Results, lost: Sequence[str]) -> Received:
        name = clean_line(results.name)
        if forgotten := self._store.forgotten.person_of(name):
            name = forgotten.pseudonym
        games, remarks, notes = list[tuple[str, Played]](), list[tuple[str, str, str]](), [*lost]
        numbers, heard_again = set[int](), 0
        for one in results.games:
            if one.number > len(results.sent.tossups) or one.number in numbers:
                raise QuizwriterError(
                    "The results name a tossup that was not sent, or one twice.", "Ask for them again."
                )
            numbers.add(one.number)
            key, digest = results.sent.tossups[one.number - 1]
            found = self._tossup(key)
            if found is None:
                notes.append(f"Tossup {one.number} is not in this database any more.")
                continue
            current = found.tossup
            if version_digest(current) != digest:
                notes.append(
                    f"Tossup {one.number} was edited after it was sent, so its result is shown here but "
                    f"not kept: {_told(one.moves)}"
                )
                continue
            remark_id, review = f"{results.id}{one.number}", self._store.review_of(key)
            rules = Rules(results.sent.format, PlayedTossup.of(current), (Seat(name),))
            played = Played(results.id, one.number, PlayedBy.MAIL, rules, one.moves)
            if is_kept(self._store, key, played) or any(
                comment.event.id.startswith(f"{remark_id}-") for comment in review.comments
            ):
                notes.append(f"The result of tossup {one.number} was received before.")
                continue
            game = played.replay()
            if game is None:
                notes.append(f"The result of tossup {one.number} is impossible, so it is left out.")
                continue
            try:
                if game.state.phase is Phase.READING and game.state.buzzes:  # saved before its end
                    game.take(Move(MoveKind.END, game.state.at_ms))
                note = self._games.judge_again(game, current)
            except IllegalMoveError:
                notes.append(f"The result of tossup {one.number} is impossible, so it is left out.")
                continue
            if note:
                notes.append(f"Tossup {one.number}: {note}")
            if game.state.is_begun:
                games.append((key, msgspec.structs.replace(played, moves=tuple(game.log))))
                heard_again += bool(name) and any(
                    called(seat.name) == called(name)
                    for event in review.games
                    if isinstance(event.body, Played)
                    for seat in event.body.rules.seats
                )
            said = Impression(one.felt, seen_lines(one.unfair), seen_lines(one.comment))
            remark = said.remark(f"a playtester{f' ({name})' if name else ''}")
            if remark:
                remarks.append((key, remark, remark_id))
        if heard_again:
            notes.append(
                f"{name} played {heard_again} of these tossups before, and a player who hears a tossup again "
                "is not counted. If this is another person, ask them to save the results again under another "
                "name."
            )
        seen = [clean_line(note, len(note)) for note in notes]
        seen = [self._store.forgotten.blacked(note, remark=True) for note in seen]
        return Received(name, tuple(games), tuple(remarks), tuple(seen))

    def _tossup(self, key: str) -> MatchTossup | None:
        try:
            return self._games.tossups([key])[0]
        except QuizwriterError:
            return None

    def keep(self, received: Received) -> int:
        """Keep what was received, as events of the tossups; how many games those are. Slow."""
        at_ms, me = now_ms(), self._profile.me.id
        events = [Event.new(key, at_ms, me, played) for key, played in received.games]
        events += [Event(name, key, at_ms, me, Commented(text)) for key, text, name in received.remarks]
        self._store.add_events(events)
        return len(received.games)


def _unzipped(raw: bytes) -> bytes:
    """The one file in a zip, as some phones and mail programs send files; what is no zip as it is."""
    if not raw.startswith(b"PK\3\4"):
        return raw
    with translate_unpacking_errors(), zipfile.ZipFile(io.BytesIO(raw)) as archive:
        check_zip(archive, MOST_BYTES)
        files = [
            one for one in archive.namelist() if not one.endswith("/") and not one.startswith("__MACOSX/")
        ]
        if len(files) != 1:
            raise DecodingError(
                f"it is a zip of {counted_noun(len(files), 'file')}, and results are one file"
            )
        return archive.read(files[0])


def _unquoted(raw: bytes | str) -> tuple[Results, tuple[str, ...]]:
    """The results in a mailed text or a saved mail, and sentences on what the mail changed."""
    first: DecodingError | None = None
    for text, untagged in readings(raw):
        try:
            found = _results_in(text, untagged)
            return decode_small_json(found, Results), (_LOST,) if "\ufffd" in found else ()
        except DecodingError as trouble:
            first = first or trouble
    assert first is not None
    raise first


def _results_in(text: str, untagged: bool) -> str:
    """The results in ``text``, without what is around them and what a mail put in."""
    if '{"kind"' not in text:
        text = text.translate(_CURLY)
    mailed = text[max(0, text.find('{"kind"')) :].lstrip("\ufeff \t\r\n")
    whole = _BROKEN.sub("", mailed)
    if plain := (packed := _ADDED.sub("", whole)).startswith(_PLAIN):
        whole = packed
    try:
        _, end = json.JSONDecoder().raw_decode(whole)
    except (ValueError, RecursionError):
        return whole  # the decoder with limits says why
    whole = whole[:end]  # a signature, or the same once more as a quotation, may follow
    if (plain and ("<" in whole or "&" in whole)) or (untagged and not plain):  # or they were typed
        raise DecodingError("they have marks of a web page in them")
    if not whole.startswith((_PLAIN, _WITHOUT_SPACES)) and not mailed.startswith(whole):
        raise QuizwriterError(
            "A mail broke the lines of these results, and may have taken spaces out of what was typed.",
            "Ask for the file that *Save results* wrote.",
        )
    return whole


def _told(moves: Sequence[Move]) -> str:
    """What a log says, for people."""
    word = max((move.word for move in moves if move.kind is MoveKind.BUZZ), default=0)
    said = [quoted(move.text) for move in moves if move.kind is MoveKind.ANSWER]
    return f"after word {word}, {', then '.join(said)}." if said else "no answer."
