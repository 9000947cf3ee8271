"""The language model that plays, and the sets of which no server ever sees anything.

Off by default: until the user switches it on, no client of a server is made. The modules that talk to a
server are imported only then.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Body, Event
from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import TOP, Guesser, Playthrough
from quizwriter.domain.model_budget import Spending
from quizwriter.domain.page import Page
from quizwriter.domain.review import NeverSent
from quizwriter.domain.review_state import Review
from quizwriter.domain.server_address import MODEL_KEY_VARIABLE
from quizwriter.domain.tossup import Tossup, bare_words
from quizwriter.errors import BarredError, QuizwriterError
from quizwriter.services.profile import Profile
from quizwriter.settings import ModelSettings
from quizwriter.store.store import Store
from quizwriter.workflow.session import now_ms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quizwriter.domain.guessing import Player
    from quizwriter.domain.model_budget import ModelBudget
    from quizwriter.engine.elastic.secrets import Secrets
    from quizwriter.engine.engine import Engine
    from quizwriter.engine.language_model.chat_client import ModelEndpoint
    from quizwriter.engine.language_model.guesser import AnswerMemory, LanguageModelGuesser

_KIND = "never sent"  # of the events, and of the items that keep the bar of a set without a tossup

LONG_SENTENCE = 8
"""Words of a sentence from which it is recognised: many tossups share shorter ones."""

LONG_RUN = 12
"""A stretch of so many words is recognised, also in another sentence."""


class GuardedGuesser(msgspec.Struct, frozen=True):
    """A guesser on a server; ``guard`` raises for a tossup that must not be sent there."""

    guesser: Guesser
    guard: Callable[[Tossup], object]

    @property
    def name(self) -> str:
        return self.guesser.name

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        self.guard(tossup)
        return self.guesser.play(tossup, top)

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        self.guard(tossup)
        return self.guesser.explain(tossup, page, exact=exact)


class BarredTexts(msgspec.Struct, frozen=True):
    """By what the texts of barred tossups are known again, with the name of the set of each."""

    parts: Mapping[str, str]

    def set_of(self, tossup: Tossup) -> str | None:
        """The barred set of which ``tossup`` has a part; None if it has none."""
        if not self.parts:
            return None
        return min((self.parts[part] for part in _told_again(tossup) if part in self.parts), default=None)

    @property
    def digest(self) -> str:
        """A digest: different texts have different digests."""
        return hashlib.sha256("\n".join(sorted(self.parts)).encode()).hexdigest()


class LanguageModels:
    """Makes the player of the language model in use, and knows which tossups it must never see."""

    def __init__(self, store: Callable[[], Store], profile: Profile) -> None:
        """The language model of ``profile``; what it says is kept in ``store``, opened at the first use."""
        self._open_store, self._profile = store, profile
        self._settings: ModelSettings | None = None
        self._shares: tuple[int, ...] = ()
        self._made: tuple[ModelSettings, Engine, Player] | None = None
        self._guessers: list[LanguageModelGuesser] = []
        self.watch: Callable[[bool], object] = lambda sending: None
        """Called in the thread that sends, when a request begins and when it has ended."""

    @cached_property
    def secrets(self) -> Secrets:
        """The keys of servers, in the operating system's keyring."""
        from quizwriter.engine.elastic.secrets import Secrets

        return Secrets()

    # -- the player

    def use(self, settings: ModelSettings | None, shares: Sequence[int] = ()) -> None:
        """Use the model of ``settings`` from now on; None: no model plays, and a request on its way ends.

        ``shares``: it is asked after these per cent of the words, at which accuracy is measured, instead of
        at the ends of sentences.
        """
        self._settings, self._shares = settings, tuple(shares)
        if self._made is not None and self._made[0] != settings:
            self._made = None
            for guesser in self._guessers:
                guesser.close()
            self._guessers.clear()

    @property
    def on(self) -> bool:
        return self._settings is not None

    def player(self, engine: Engine) -> Player | None:
        """The player of the model in use beside those of ``engine``; None if no model plays.

        Nothing is sent, nor a key looked for, before its first game.
        """
        settings = self._settings  # the window's thread may change it
        if settings is None:
            return None
        if self._made is None or self._made[0] != settings or self._made[1].digest != engine.digest:
            self._made = settings, engine, self._player(settings, engine)
        return self._made[2]

    def _player(self, settings: ModelSettings, engine: Engine) -> Player:
        from quizwriter.engine.engine import model_player
        from quizwriter.engine.language_model.chat_client import ChatClient
        from quizwriter.engine.language_model.guesser import LanguageModelGuesser, ModelUse
        from quizwriter.engine.sentence_points import sentence_ends, share_points

        def connect() -> ChatClient:
            return ChatClient(self.endpoint(settings), watch=lambda sending: self.watch(sending))

        use = ModelUse(self._open_store().model_answers, settings.budget, self.require_sendable)
        points = share_points(self._shares) if self._shares else sentence_ends
        guesser = LanguageModelGuesser(connect, settings.model, settings.host, use, engine.pages, points)
        self._guessers.append(guesser)
        return model_player(engine, guesser)

    def probe(self, settings: ModelSettings, key: str = "") -> tuple[str, ...]:
        """The models that the server of ``settings`` has; an empty ``key``: with the saved one.

        Slow; any thread may call it. No text of a tossup is sent.
        """
        from quizwriter.engine.language_model.chat_client import ChatClient, ModelEndpoint

        key = key or self.secrets.find(settings)
        endpoint = ModelEndpoint(settings.url, settings.model or "any", key, settings.ca, settings.plain_ok)
        client = ChatClient(endpoint, answer_s=10.0)
        try:
            return client.models()
        finally:
            client.close()

    def named(self, url: str, model: str) -> ModelSettings:
        """The settings of the ``model`` of the server at ``url``, which a command names.

        If Preferences have the same address, they say what is not named. The budget is always theirs.
        """
        known, url = self._profile.settings.language_model, url.rstrip("/")
        same = url == known.url
        found = replace(known, on=True, url=url, model=model or (known.model if same else ""))
        if not same:
            found = replace(found, sign_in="nothing", ca="", plain_ok=False)
        if os.environ.get(MODEL_KEY_VARIABLE):
            found = replace(found, sign_in="key")
        if not found.model:
            raise QuizwriterError(f"No model of {url} is named.", "Name it with --model.")
        return found

    def endpoint(self, settings: ModelSettings) -> ModelEndpoint:
        from quizwriter.engine.language_model.chat_client import ModelEndpoint

        key = self.secrets.find(settings)
        return ModelEndpoint(settings.url, settings.model, key, settings.ca, settings.plain_ok)

    def day(self) -> tuple[AnswerMemory, ModelBudget] | None:
        """Where the spending of a day is counted, and its budget; None before the user has chosen one."""
        settings = self._profile.settings.language_model
        return None if settings == ModelSettings() else (self._open_store().model_answers, settings.budget)

    def save_key(self, settings: ModelSettings, key: str) -> bool:
        """Save the ``key`` of the server of ``settings`` in the keyring, and delete that of the one before.

        An empty ``key`` keeps the saved one. False: there is no keyring, and the key is lost when the program
        ends. Slow; any thread may call it.
        """
        kept = not key or self.secrets.keep(settings, key)
        before = self._profile.settings.language_model
        if settings.credential_id != before.credential_id:
            self.secrets.forget(before)
        return kept

    def spent(self) -> Spending:
        return self._open_store().model_answers.spent()

    def cost_of_leaving_out(self, tossup: Tossup) -> Spending:
        """About what it costs to ask the model again without each sentence of ``tossup``."""
        return self._guessers[-1].cost_of_leaving_out(tossup) if self._guessers else Spending()

    def leave_out(self, tossup: Tossup, page: Page) -> Evidence | None:
        """The evidence for ``page`` of the model, asked again without each sentence; slow, and it costs."""
        return self._guessers[-1].explain(tossup, page, exact=True) if self._guessers else None

    # -- barred sets

    def bar(self, set_name: str) -> tuple[Event, ...]:
        """Never send anything of a set to a player on a server, from now on and for good.

        It is recorded of every tossup that is in the set now, and holds for those that come into it later.
        """
        store = self._open_store()
        store.put_item(_KIND, set_name, "true")
        at_ms, me, body = now_ms(), self._profile.me.id, NeverSent(set_name)
        keys = (key for key, _, _ in store.tossups_of_set(set_name))
        return store.add_events([Event.new(key, at_ms, me, body) for key in keys])

    def why_barred(self, tossup_id: str) -> str:
        """Why the tossup is never sent, in a sentence; empty if it may be sent."""
        store = self._open_store()
        review = store.review_of(tossup_id)
        if review.never_sent:
            return str(BarredError(min(review.never_sent)))
        return str(BarredError(review.set_name)) if review.set_name in never_sent_sets(store) else ""

    def require_sendable(self, tossup: Tossup) -> None:
        """Refuse the text of a barred tossup, also inside another tossup or a file.

        Raises:
            BarredError: a sentence of :data:`LONG_SENTENCE` words, :data:`LONG_RUN` words one after the
                other, or all of the text is that of a barred one, whatever its capitals and punctuation.
        """
        name = self.barred_texts().set_of(tossup)
        if name is not None:
            raise BarredError(name)

    def barred_texts(self) -> BarredTexts:
        """The texts of all barred tossups, to search many texts before they are sent."""
        store = self._open_store()
        barred: dict[str, str] = {}
        events = store.events_of_kind(_KIND)
        for name in never_sent_sets(store, events):
            barred |= {key: name for key, _, _ in store.tossups_of_set(name)}
        roots = {event.tossup_id for event in events if isinstance(event.body, NeverSent)}
        parts: dict[str, str] = {}
        for key in {**barred, **dict.fromkeys(store.expand_branches(sorted(roots)))}:
            try:
                text, said = store.load(key).tossup, store.standing_of(key).never_sent
            except QuizwriterError:
                continue  # it is no longer here
            for name in [barred[key]] if key in barred else sorted(said)[:1]:  # it may be in another set now
                parts |= dict.fromkeys(_told_again(text), name)
        return BarredTexts(parts)


def without_gaps(engine: Engine) -> Engine:
    """``engine`` without the players whose games have gaps; some of these cost money, too."""
    players = tuple(player for player in engine.players if not player.has_gaps)
    return engine if players == engine.players else replace(engine, players=players)


def kept_for_good(store: Store, review: Review) -> list[Body]:
    """What holds wherever the text of a tossup goes on: which sets bar it from servers, and its arm."""
    barred = {review.set_name} & never_sent_sets(store) | {*review.never_sent}
    drawn = review.arm_drawn
    return [*map(NeverSent, sorted(barred)), *([] if drawn is None else [drawn.body])]


def never_sent_sets(store: Store, events: Iterable[Event] | None = None) -> frozenset[str]:
    said = store.events_of_kind(_KIND) if events is None else events
    names = {event.body.name for event in said if isinstance(event.body, NeverSent)}
    return frozenset({*names, *store.items(_KIND)})


def _told_again(tossup: Tossup) -> frozenset[str]:
    """The sentences and runs of a tossup that are long enough to be known again, and all of its words."""
    whole = bare_words(tossup.text)
    found = {" ".join(whole)}
    found |= {" ".join(whole[at : at + LONG_RUN]) for at in range(len(whole) - LONG_RUN + 1)}
    for sentence in tossup.sentences:
        words = bare_words(sentence.of(tossup.text))
        if len(words) >= LONG_SENTENCE:
            found.add(" ".join(words))
    return frozenset(found - {""})
