"""Publishing to a server that is not what it says: one sentence, whatever it answers."""

import pytest

from index_builder.index.elastic_publisher import publish_index
from index_builder.progress import Progress
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import META_KEY, Connection
from quizwriter.errors import QuizwriterError
from tests.helpers.hostile_server import HostileServer

NONSENSE = {
    "a list": b"[]",
    "nothing": b"{}",
    "an index of another program": b'{"%s": {"mappings": {}}}',
    "a number of documents below zero": b'{"%s": {"mappings": {"_meta": {"'
    + META_KEY.encode()
    + b'": {"sent": -1}}}}}',
}


@pytest.mark.parametrize("answer", NONSENSE.values(), ids=NONSENSE)
def test_a_server_that_answers_nonsense_is_named_and_nothing_is_sent(starter, tmp_path, answer):
    def behaviour(request):
        name = request.target.strip("/").partition("/")[0].partition("?")[0]
        request.reply(answer.replace(b"%s", name.encode()))

    def sound(target):
        return b'{"version": {"number": "8.19.0"}}' if target == "/" else None

    with HostileServer(behaviour, sound).running() as server, pytest.raises(QuizwriterError) as said:
        publish_index(Bundle.open(starter), Connection(server.url, "lakes"), tmp_path, Progress(), waits=())

    assert server.url in said.value.problem
    assert said.value.remedy
    assert list(tmp_path.iterdir()) == []
