"""A room of six that is attacked: no seat waits longer for it, and the memory stays.

QUIZWRITER_ATTACK_S says for how many seconds, ``--log-cli-level=INFO`` shows what was measured.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS, Phase, PlayedBy, Said
from quizwriter.services.match import Match, MatchTossup
from quizwriter.services.room_lines import RoomGuests
from quizwriter.services.rooms import RoomHost
from tests.helpers.room_client import Phone, RoomProcess

SECONDS = float(os.environ.get("QUIZWRITER_ATTACK_S", "30"))
TURN_S, SEATS, CODE = 2.5, 6, "012345"
MOST_MB = 5.0
MOST_TOSSUPS = 9_999
PAUSE_S = SECONDS / MOST_TOSSUPS  # so that there are enough of them
EELS = Tossup("This fish swims far. For 10 points, name it.", Answer("eel"))
log = logging.getLogger(__name__)


def memory_mb(pid):
    """The memory that a process has in use."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


@contextmanager
def stopped(*command):
    """A process that runs only between SIGCONT and SIGSTOP."""
    process = subprocess.Popen([sys.executable, *command])
    process.send_signal(signal.SIGSTOP)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class Played:
    """Six phones and a host that play tossups, one after another; the first to buzz is each in turn."""

    def __init__(self, folder):
        self.process = RoomProcess()
        self.match = Match(
            "m", [MatchTossup("t", EELS)] * MOST_TOSSUPS, FORMATS["ACF"], (), lambda: 0, PlayedBy.ROOM
        )
        self.host = RoomHost(self.match, self.process.send)
        self.host.opening("127.0.0.1", CODE, "Spring", folder / "m.jsonl")
        self.port = self.process.opened()
        self.tokens, self.phones = [], []
        for seat in range(SEATS):
            self.phones.append(Phone(self.port))
            self.tokens.append(self.phones[-1].join(CODE, f"P{seat}")["token"])
        while len(self.host.guests) < SEATS:
            self.host.take(self.process.report(RoomGuests))

    def lock_ms(self):
        """Play a tossup: after how many milliseconds the others were locked out."""
        match, number = self.match, self.match.number
        self.host.begin()
        match.game.read(3)
        first, other = self.phones[number % SEATS], self.phones[(number + 1) % SEATS]
        for phone in self.phones:
            phone.hear(lambda one: one.get("from", 0) + len(one.get("words", ())) >= 3)
        first.say({"ack": 3, "number": number})
        began = time.perf_counter()
        first.say({"buzz": True, "number": number})
        assert other.hear(lambda one: "lock" in one)["lock"] == number % SEATS
        took = 1_000 * (time.perf_counter() - began)
        while match.state.phase is Phase.READING:
            self.host.take(self.process.reports.get(timeout=30))
        match.game.judge(Said.REJECT)
        match.game.end()
        match.next()
        time.sleep(PAUSE_S)
        return took

    def lose_and_return(self):
        """The first phone is lost, and comes back to its seat."""
        self.phones[0].close()
        self.phones[0] = Phone(self.port, self.tokens[0])
        assert self.phones[0].hear(lambda one: "token" in one)["seat"] == 0

    def close(self):
        for phone in self.phones:
            phone.close()
        self.process.close()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_attackers_make_no_seat_slower_and_the_memory_stays(tmp_path):
    """Turns of an attacker and of a process that only computes: so both leave as much of the computer."""
    room = Played(tmp_path)
    found = {"attacked": [], "busy": []}
    try:
        with (
            stopped("-m", "tests.helpers.room_attacker", str(room.port)) as attacker,
            stopped("-c", "while True: pass") as busy,
        ):
            memory, end, turn = 0.0, time.monotonic() + SECONDS, 0
            while time.monotonic() < end:
                name, process = (("attacked", attacker), ("busy", busy))[turn % 2]
                process.send_signal(signal.SIGCONT)
                until = time.monotonic() + TURN_S
                while time.monotonic() < until:
                    found[name].append(room.lock_ms())
                process.send_signal(signal.SIGSTOP)
                room.lose_and_return()
                turn += 1
                if turn == 4:
                    memory = memory_mb(room.process.process.pid)
            grown = memory_mb(room.process.process.pid) - memory
    finally:
        room.close()
    for name, took in found.items():
        log.info("%s: n %d, p50 %.1f, p95 %.1f ms", name, len(took), median(took), quantiles(took, n=20)[-1])
    log.info("memory: %.1f MB, grown by %.1f MB", memory, grown)
    assert room.host.wrong_codes
    assert abs(grown) <= MOST_MB
    assert median(found["attacked"]) <= 1.5 * median(found["busy"]) + 5
