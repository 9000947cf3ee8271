"""A server, or a proxy before it, that repeats what it was sent: no sentence holds a key or odd letters."""

import base64
import unicodedata
import warnings

import pytest

from index_builder.index.elastic_publisher import publish_index
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import Connection, probe_index
from quizwriter.errors import QuizwriterError
from tests.helpers.elasticsearch_players import Watched
from tests.helpers.http_servers import Server

KEY = "c2VjcmV0LWtleS13aXRoLXNsYXNo/A=="
SIGNED_IN = {"key": {"api_key": KEY}, "password": {"user": "ada", "secret": "swordfish/9"}}


class Parrot(Server):
    """Says in the place of its version, or of its trouble, what it was sent."""

    def __init__(self, status, written):
        super().__init__()
        self._status, self._written = status, written

    def answer(self, request):
        scheme, _, sent = request.headers["Authorization"].partition(" ")
        said = base64.b64decode(sent).decode() if scheme == "Basic" and self._written == "decoded" else sent
        said = said.replace("/", "\\u002f") if self._written == "escaped" else said
        text = f"7 \\u202e\\n{said}"
        body = f'{{"version": {{"number": "{text}"}}, "error": {{"type": "{text}"}}}}'
        if self._written == "text":
            body = f"7 \u202e {said}"
        kind = "text/plain" if self._written == "text" else "application/json"
        headers = {"X-Elastic-Product": "Elasticsearch", "Content-Type": kind, "Warning": f'299 - "{sent}"'}
        request.reply(body.encode(), self._status, headers=headers)


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("written", ["plain", "escaped", "text", "decoded"])
@pytest.mark.parametrize("how", SIGNED_IN)
def test_no_sentence_holds_what_opens_the_server(status, written, how):
    with Parrot(status, written).running() as parrot, warnings.catch_warnings(record=True) as printed:
        warnings.simplefilter("always")
        with pytest.raises(QuizwriterError) as trouble:
            probe_index(Connection(parrot.address, "questions", **SIGNED_IN[how]))

    said = str(trouble.value)
    assert not any(secret in said for secret in (KEY[:12], "swordfish", "YWRhOn"))
    assert not any(unicodedata.category(letter)[0] == "C" for letter in said)
    assert not printed


def test_a_password_that_is_the_name_of_the_index_too_leaves_it_readable(
    elasticsearch, bare_forest, tmp_path
):
    connection = Connection(elasticsearch.url, "quizwriter", user="elastic", secret="quizwriter")
    publish_index(Bundle.open(bare_forest), connection, tmp_path, Watched())

    report = probe_index(connection)
    assert report.index.startswith("quizwriter-")
    assert (report.documents > 0, report.bundle) == (True, Bundle.open(bare_forest).digest)
