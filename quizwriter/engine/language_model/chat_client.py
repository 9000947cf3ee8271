"""The connection to a server of the chat-completions protocol: requests within limits, troubles as sentences.

Source:
    The protocol is that of OpenAI's "Create chat completion", which Ollama, llama.cpp, vLLM and LM Studio
    speak, too. Servers know more or less of it, so what a server refuses is left out of later requests.
"""

from __future__ import annotations

import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from quizwriter.cancellation import Cancelled
from quizwriter.domain.server_address import host, is_address, is_encrypted, is_here, is_open
from quizwriter.engine.language_model.chat_answers import (
    LARGEST_ANSWER,
    ReadAnswer,
    read_completion,
    read_models,
    refusal_text,
)
from quizwriter.engine.language_model.prompt import MOST_ANSWER_TOKENS, SCHEMA, messages
from quizwriter.engine.server_words import one_line, without_secrets
from quizwriter.errors import QuizwriterError
from quizwriter.system.decoding import DecodingError
from quizwriter.system.tls_faults import tls_fault, unencrypted_fault

CONNECT_S = 5.0
"""How many seconds the server has to take a connection."""

ANSWER_S = 90.0
"""How many seconds the server has for a whole answer; small computers need half a minute."""

FIRST_WAIT_S, LONGEST_WAIT_S = 5.0, 300.0
"""How long a server is left alone after a trouble: twice as long after each, up to the second."""

LONGEST_ASKED_S = 24 * 3_600.0
"""The longest time that a server can ask to be left alone for."""

_MODEL_ENDINGS = (".gguf", ":latest", "-latest")
_SAME_MODEL = re.compile(
    r"""(?:[-_:@ .](?:
        (?:19|20)\d\d-\d\d-\d\d|\d\d-(?:19|20)\d\d|\d\d-\d\d|\d{8}|\d{6}|\d{3,4}  # a date or a revision
        |(?:\d{1,2}x)?[ae]?\d{1,4}(?:\.\d{1,3})?[bm]                              # a size: 8b, 8x7b, a3b
        |i?q\d(?:_[0-9a-z]{1,4}){0,3}|u?int\d{1,2}|b?fp?\d{1,2}|\d{1,2}-?bit       # how it is packed
        |awq|gptq|gguf|mlx|v\d{1,2}(?:\.\d{1,2})?|latest|instruct|chat|it|hf|free
    )(?![0-9a-z]))*+""",
    re.VERBOSE,
)
"""What may stand behind the name of a model and make it no other one; *-mini* and *-turbo* may not."""

_ANSWERED, _UNKNOWN_SETTING = 200, frozenset({400, 422, 501})
_BUSY = frozenset({429, 500, 502, 503, 504, 529})


@dataclass(frozen=True)
class ModelEndpoint:
    """The address of a server up to ``/v1``, the name of a model there, and the key that opens the server.

    ``ca`` is the file of a certificate authority; where it is empty, the system's own authorities count.
    ``plain_ok`` allows http to another computer, where anyone on the way can read drafts.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    ca: str = ""
    plain_ok: bool = False

    @property
    def host(self) -> str:
        return host(self.url)


class ModelTrouble(QuizwriterError):
    """Why a language model does not answer.

    After ``wait_s`` seconds it may be asked again; None: only once the user has changed something.
    ``billed`` says that the server may have answered, and be paid for it, all the same.
    """

    def __init__(
        self, problem: str, remedy: str, wait_s: float | None = None, *, billed: bool = False
    ) -> None:
        super().__init__(problem, remedy)
        self.wait_s, self.billed = wait_s, billed


def stopped() -> Cancelled:
    """What is raised once the user has stopped the model."""
    return Cancelled("The language model was stopped.")


class ChatClient:
    """Asks one model of one server. Any thread may ask; one request is on its way at a time.

    After a trouble the server is left alone for a while, in which the trouble is raised again at once.
    """

    def __init__(
        self,
        endpoint: ModelEndpoint,
        *,
        answer_s: float = ANSWER_S,
        clock: Callable[[], float] = time.monotonic,
        watch: Callable[[bool], object] = lambda sending: None,
    ) -> None:
        """A client of ``endpoint``; nothing is sent yet.

        ``watch`` is told when a request begins to be sent, and when it has ended.

        Raises:
            ModelTrouble: the address makes no sense, or drafts would cross a network in the open.
        """
        _require_usable(endpoint)
        self.endpoint = endpoint
        self._answer_s, self._clock, self._watch = answer_s, clock, watch
        self._turn = threading.Lock()
        self._http: Any = None
        self._closed = False
        self._options: dict[str, Any] = {
            "temperature": 0,
            "max_tokens": MOST_ANSWER_TOKENS,
            "logprobs": True,
            "response_format": _schema_format(),
        }
        self._trouble: ModelTrouble | None = None
        self._not_before = 0.0
        self._failures = 0

    def close(self) -> None:
        """End the request on its way, and send nothing any more."""
        self._closed = True
        if self._http is not None:
            self._http.close()

    def complete(self, read_so_far: str, before_each: Callable[[], object] = lambda: None) -> ReadAnswer:
        """The answer of the model after ``read_so_far`` was read.

        ``before_each`` is called before each request that is sent, and may raise. More than one is sent
        where the server refuses a part of the protocol.

        Raises:
            ModelTrouble: there is no answer.
        """
        with self._turn:
            self._require_patience()
            try:
                found = self._complete(read_so_far, before_each)
            except ModelTrouble as trouble:
                self._note(trouble)
                raise
            self._trouble, self._failures = None, 0
            return found

    def models(self) -> tuple[str, ...]:
        with self._turn:
            answer, body = self._send("GET", "models")
            if answer.status_code != _ANSWERED:
                raise self._refusal(answer.status_code, body, answer.headers)
            with self._reading():
                return read_models(body)

    # -- asking

    def _complete(self, read_so_far: str, before_each: Callable[[], object]) -> ReadAnswer:
        for _ in range(len(self._options) + 2):
            sent = {"model": self.endpoint.model, "messages": messages(read_so_far), **self._options}
            before_each()
            answer, body = self._send("POST", "chat/completions", sent)
            if answer.status_code == _ANSWERED:
                with self._reading():
                    found = read_completion(body)
                self._require_model(found.model)
                return found
            if answer.status_code not in _UNKNOWN_SETTING or not self._give_up_an_option(body):
                break
        raise self._refusal(answer.status_code, body, answer.headers)

    def _give_up_an_option(self, body: bytes) -> bool:
        """Leave out what the server seems to refuse, from now on; False where nothing is left."""
        said, options = refusal_text(body).casefold(), self._options
        if "model" in said and ("not found" in said or "not exist" in said):
            return False
        named = [
            name for name in ("max_tokens", "temperature", "logprobs", "response_format") if name in said
        ]
        for name in (*named, "logprobs", "response_format", "temperature"):
            if name == "max_tokens" and name in options:
                del options[name]
                options["max_completion_tokens"] = MOST_ANSWER_TOKENS
                return True
            if name == "response_format" and options.get(name) == _schema_format():
                options[name] = {"type": "json_object"}
                return True
            if options.pop(name, None) is not None:
                return True
        return False

    def _send(self, method: str, path: str, sent: dict[str, Any] | None = None) -> tuple[Any, bytes]:
        import httpx

        from quizwriter.system.http_limits import AnswerTooLargeError, ForeignRedirectError

        where = self.endpoint.host
        headers = {"accept": "application/json"}
        if self.endpoint.key:
            headers["authorization"] = f"Bearer {self.endpoint.key}"
        url = f"{self.endpoint.url.rstrip('/')}/{path}"
        if self._closed:
            raise stopped()
        self._watch(True)
        try:
            answer, body = self._client().request(
                method,
                url,
                seconds=self._answer_s,
                most_bytes=LARGEST_ANSWER,
                timeout_s=httpx.Timeout(self._answer_s, connect=CONNECT_S),
                redirects=False,
                headers=headers,
                json=sent,
            )
            return answer, self._without_key(body)
        except httpx.TimeoutException as trouble:
            raise ModelTrouble(
                f"{where} did not answer within {self._answer_s:.0f} seconds.",
                "Wait until it is less busy, or choose a smaller model in Preferences.",
                FIRST_WAIT_S,
                billed=True,
            ) from trouble
        except AnswerTooLargeError as trouble:
            raise ModelTrouble(
                f"{where} sent an answer that is too large to be one ({trouble}).",
                "Check the address in Preferences, and ask the server's operator what is in front of it.",
                LONGEST_WAIT_S,
                billed=True,
            ) from trouble
        except ForeignRedirectError as trouble:
            raise self._redirected(trouble.address) from trouble
        except (httpx.HTTPError, httpx.InvalidURL) as trouble:
            raise self._unreachable(trouble) from trouble
        finally:
            self._watch(False)

    def _without_key(self, body: bytes) -> bytes:
        """``body`` with stars for the key, which a server may repeat: no sentence or row is to hold it."""
        return without_secrets(body, [self.endpoint.key])

    def _client(self) -> Any:  # noqa: ANN401 - imported when a server is first asked
        from quizwriter.system.http_limits import LimitedClient

        if self._http is None:
            self._http = LimitedClient(
                timeout_s=CONNECT_S, verify=_tls(self.endpoint), proxies=not is_here(self.endpoint.url)
            )
            if self._closed:  # while it was made
                self._http.close()
                raise stopped()
        return self._http

    # -- troubles

    def _require_patience(self) -> None:
        if self._trouble is None:
            return
        if self._trouble.wait_s is None or self._clock() < self._not_before:
            raise self._trouble

    def _note(self, trouble: ModelTrouble) -> None:
        """Leave the server alone from now on, for as long as ``trouble`` asks for."""
        if trouble is self._trouble:
            return
        self._failures += 1
        wait = min(LONGEST_WAIT_S, (trouble.wait_s or 0.0) * 2 ** min(self._failures - 1, 10))
        self._trouble, self._not_before = trouble, self._clock() + max(trouble.wait_s or 0.0, wait)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except DecodingError as trouble:
            raise ModelTrouble(
                f"{self.endpoint.host} answers, but not as a server of language models does ({trouble}).",
                "Check the address in Preferences; it usually ends with /v1.",
                LONGEST_WAIT_S,
                billed=True,
            ) from trouble

    def _require_model(self, answered: str) -> None:
        """Refuse the answer of another model than the one that was asked; servers may add to its name."""
        asked, found = _bare_model(self.endpoint.model), _bare_model(answered)
        if found and asked and not _is_more_of(asked, found) and not _is_more_of(found, asked):
            raise ModelTrouble(
                f"{self.endpoint.host} answers with the model {answered}, not {self.endpoint.model[:80]}.",
                "Choose the model that the server has, in Preferences.",
            )

    def _unreachable(self, trouble: Exception) -> ModelTrouble | Cancelled:
        where = self.endpoint.host
        if self._closed:
            return stopped()
        if (fault := tls_fault(trouble, where)) is not None:
            return ModelTrouble(fault.problem, fault.remedy, None if fault.lasting else FIRST_WAIT_S)
        import httpx

        if isinstance(trouble, httpx.ConnectError):
            return ModelTrouble(
                f"{where} cannot be reached.", "Check that the server runs and that the address is right.",
                FIRST_WAIT_S,
            )  # fmt: skip
        return ModelTrouble(
            f"{where} broke the connection before its answer was whole.",
            "See in the server's log what happened.",
            FIRST_WAIT_S,
            billed=True,
        )

    def _redirected(self, address: str) -> ModelTrouble:
        shown = one_line(self._without_key(address.encode("utf-8", "replace")).decode(), 80)
        return ModelTrouble(
            f"{self.endpoint.host} sends QuizWriter to another address, which gets nothing ({shown}).",
            "Check the address in Preferences.",
        )

    def _refusal(self, status: int, body: bytes, headers: Any) -> ModelTrouble:  # noqa: ANN401
        where, model, said = self.endpoint.host, self.endpoint.model[:80], refusal_text(body)
        quoted = f" ({said})" if said else ""
        if status == 401:
            return ModelTrouble(f"{where} does not accept the key.", "Enter a valid key in Preferences.")
        if status == 403:
            return ModelTrouble(
                f"{where} does not let this key use the model {model}{quoted}.",
                "Choose another model in Preferences, or ask the server's operator.",
            )
        if status == 402:
            return ModelTrouble(f"{where} requires payment{quoted}.", "Check your account there.")
        if status == 404:
            return ModelTrouble(
                f"{where} has no model {model}{quoted}.",
                "Choose a model that it has, in Preferences; the address usually ends with /v1.",
            )
        if 300 <= status < 400 and (location := headers.get("location")):
            return self._redirected(str(location))
        if status in _BUSY:
            asked = _retry_after(headers)
            wait = FIRST_WAIT_S if asked is None else asked
            busy = "has had too many requests" if status == 429 else f"cannot answer now ({status})"
            when = "" if asked is None else f" It asks to be left alone for {_duration(wait)}."
            return ModelTrouble(f"{where} {busy}{quoted}.{when}", "Wait until it answers again.", wait)
        if status == 400 and (fault := unencrypted_fault(body.decode("utf-8", "replace"), where)) is not None:
            return ModelTrouble(fault.problem, fault.remedy)
        if "model" in said.casefold():
            return ModelTrouble(
                f"{where} refuses the model {model}{quoted}.", "Choose a model that it has, in Preferences."
            )
        return ModelTrouble(
            f"{where} refused what QuizWriter asked ({status}{', ' + said if said else ''}).",
            "Check the address and the model in Preferences.",
        )


def _schema_format() -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "guesses", "strict": True, "schema": SCHEMA}}


def _bare_model(name: str) -> str:
    """``name`` without a folder and the endings that servers leave out."""
    bare = name.replace("\\", "/").rpartition("/")[2].casefold().strip()
    for ending in _MODEL_ENDINGS:
        bare = bare.removesuffix(ending)
    return bare


def _is_more_of(name: str, longer: str) -> bool:
    """Whether ``longer`` is ``name``, or ``name`` with a date, a size or the like behind it.

    A word that goes on is another model: owl-4 is neither owl-4o nor owl-4-mini, and owl-3 is not owl-3.5.
    """
    return longer.startswith(name) and _SAME_MODEL.fullmatch(longer, len(name)) is not None


def _retry_after(headers: Any) -> float | None:  # noqa: ANN401
    """The seconds that a server asks to be left alone for; None where it does not say."""
    value = str(headers.get("retry-after", "")).strip()[:100]
    try:
        if value.isdecimal():
            seconds = float(value)
        else:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, OverflowError, TypeError):
        return None
    return min(max(seconds, 1.0), LONGEST_ASKED_S)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return "a second" if seconds < 1.5 else f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7_200 else f"{seconds / 3_600:.0f} hours"


def _require_usable(endpoint: ModelEndpoint) -> None:
    if not is_address(endpoint.url) or "@" in endpoint.url:
        raise ModelTrouble(
            f"{endpoint.url[:100] or 'The empty address'} is not the address of a server of language models.",
            "Give an address such as http://127.0.0.1:11434/v1, without a password in it.",
        )
    if not endpoint.model.strip():
        raise ModelTrouble("No model is named.", "Name a model of the server.")
    if not endpoint.key.isascii() or any(letter <= " " for letter in endpoint.key):
        raise ModelTrouble("The key has characters that no key has.", "Copy the key once more.")
    if is_open(endpoint.url) and not endpoint.plain_ok:
        raise ModelTrouble(
            f"{endpoint.host} would get drafts over plain http, which anyone on the way can read.",
            "Use its https address, or allow plain http for this server in Preferences.",
        )


def _tls(endpoint: ModelEndpoint) -> ssl.SSLContext | None:
    if not is_encrypted(endpoint.url):
        return None
    try:
        context = ssl.create_default_context(cafile=endpoint.ca or None)
    except OSError as trouble:  # ssl.SSLError is one
        raise ModelTrouble(
            f"{endpoint.ca} is not the certificate of an authority.",
            "Name the file of the certificate authority, in PEM format.",
        ) from trouble
    if not endpoint.ca:
        import certifi

        context.load_verify_locations(certifi.where())
    return context
