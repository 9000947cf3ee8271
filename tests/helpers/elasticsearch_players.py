"""Listeners and players for tests with real servers."""

from __future__ import annotations

from index_builder.progress import Progress
from quizwriter.engine.elastic.guesser import ElasticGuesser


class Watched(Progress):
    """Remembers how far publishing says it is; may stop it as Ctrl-C does, after ``stop`` documents."""

    def __init__(self, stop=None):
        self.sent = []
        self.waits = []
        self._stop = stop

    def sending(self, done, total):
        self.sent.append((done, total))
        if self._stop is not None and done >= self._stop:
            raise KeyboardInterrupt

    def waiting(self, why, seconds):
        self.waits.append(why)


def patient(connection):
    """A player that waits longer than a writer would: the machine of a test may be busy."""
    player = ElasticGuesser(connection)
    player._client = player._client.options(request_timeout=60)
    return player
