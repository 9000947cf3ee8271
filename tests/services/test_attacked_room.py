"""A room of six that is attacked: no seat waits longer for it, and the memory stays.

QUIZWRITER_ATTACK_S says for how many seconds the room is attacked, and the other that is its control; over
100, pytest needs ``-o faulthandler_timeout=0``. ``--log-cli-level=INFO`` shows what was measured.
"""

from __future__ import annotations

import logging
import os
import random
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from select import select
from statistics import median, quantiles

import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS, Phase, PlayedBy, Said
from quizwriter.services.match import Match, MatchTossup
from quizwriter.services.room_lines import RoomGuests
from quizwriter.services.rooms import RoomHost
from tests.helpers.room_client import Phone, RoomProcess

SECONDS = float(os.environ.get("QUIZWRITER_ATTACK_S", "10"))
PAIRS = max(6, min(24, int(SECONDS / 20)))
TURN_S, SEATS, CODE = SECONDS / PAIRS, 6, "012345"
ATTACKS_A_SECOND = 20
MOST_MB = 5.0
MOST_SLOWER = 1.25
"""What the ratio of the medians may be; above it is only an interval that is above as a whole."""
MOST_TOSSUPS = 9_999
PAUSE_S = 2 * SECONDS / MOST_TOSSUPS  # so that there are enough of them
EELS = Tossup("This fish swims far. For 10 points, name it.", Answer("eel"))
log = logging.getLogger(__name__)


def memory_mb(pid):
    """The memory that a process has in use."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


@contextmanager
def attackers_apart():
    """Attackers sit at computers of their own, so give them a core: which one.

    The system would else have them run where somebody wrote to them, which is the core of the room.
    """
    cores = os.sched_getaffinity(0)
    theirs = max(cores)
    os.sched_setaffinity(0, cores - {theirs} or cores)
    try:
        yield theirs
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def attack(port, seed, core, ended, phones):
    """Attackers of the room at ``port``, at work already; how many attacks there were goes to ``ended``.

    Until they are, ``phones`` hear what they are told: the room sends away who answers no ping.
    """
    given = map(str, (port, ATTACKS_A_SECOND, seed, core))
    command = [sys.executable, "-m", "tests.helpers.room_attacker", *given]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            while process.stdout not in (ready := select([process.stdout, *phones], [], [])[0]):
                for phone in ready:
                    phone.hear()
            assert process.stdout.read(1)
            yield
        finally:
            process.kill()
            ended.append(1 + len(process.stdout.read()))


@contextmanager
def decoy(folder):
    """The port of a room in which nobody plays."""
    process = RoomProcess()
    try:
        match = Match("d", [MatchTossup("t", EELS)], FORMATS["ACF"], (), lambda: 0, PlayedBy.ROOM)
        RoomHost(match, process.send).opening("127.0.0.1", CODE, "Spring", folder / "d.jsonl")
        yield process.opened()
    finally:
        process.close()


def ratio_of_medians(attacked, control, draws=2_000):
    """The ratio with its 95 % interval, by drawing pairs of turns: the buzzes of a turn share its luck."""
    draw, pairs = random.Random(0), range(len(attacked))
    found = []
    for _ in range(draws):
        drawn = draw.choices(pairs, k=len(pairs))
        found.append(
            median(chain(*(attacked[at] for at in drawn))) / median(chain(*(control[at] for at in drawn)))
        )
    cuts = quantiles(found, n=40)
    return median(chain(*attacked)) / median(chain(*control)), cuts[0], cuts[-1]


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
            phone.has(3, number)
        first.say({"ack": 3, "number": number})
        began = time.perf_counter()
        first.say({"buzz": True, "number": number})
        heard = other.hear(lambda one: "lock" in one)
        assert heard is not None, f"the room closed the connection: {other.closed}"
        assert heard["lock"] == number % SEATS
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
    """The control is the same attackers at the same rate, at another room where nobody plays.

    They take as much of the computer then, and all that differs is whose process hears them. Turns come in
    pairs, every other pair with the control first; both turns of a pair begin with the same attacks.
    """
    with attackers_apart() as core:
        # what else runs may fall on one kind of turns; a room that is slower is so twice
        folders = (tmp_path / "first", tmp_path / "again")
        assert any(slower(folder, core) <= MOST_SLOWER for folder in folders)


def slower(folder, core):
    """By how much the room is slower while it is attacked than while the other is: at least so much."""
    folder.mkdir()
    room = Played(folder)
    took, attacks = {"attacked": [], "control": []}, {"attacked": [], "control": []}
    try:
        with decoy(folder) as other:
            ports = {"attacked": room.port, "control": other}
            for pair in range(PAIRS):
                for name in sorted(ports, reverse=pair % 2 == 1):
                    with attack(ports[name], pair, core, attacks[name], room.phones):
                        until, turn = time.monotonic() + TURN_S, []
                        while time.monotonic() < until:
                            turn.append(room.lock_ms())
                    took[name].append(turn)
                    room.lose_and_return()
                if pair == 1:
                    memory = memory_mb(room.process.process.pid)
            grown = memory_mb(room.process.process.pid) - memory
    finally:
        room.close()
    for name, turns in took.items():
        all_ms = list(chain(*turns))
        p50, p95 = median(all_ms), quantiles(all_ms, n=20)[-1]
        log.info(
            "%s: n %d in %d turns, p50 %.1f, p95 %.1f ms, %d attacks",
            name, len(all_ms), PAIRS, p50, p95, sum(attacks[name]),
        )  # fmt: skip
    ratio, low, high = ratio_of_medians(took["attacked"], took["control"])
    log.info(
        "ratio of the medians %.2f (95 %% %.2f to %.2f); load %.1f", ratio, low, high, os.getloadavg()[0]
    )
    log.info("memory: %.1f MB, grown by %.1f MB", memory, grown)
    assert room.host.wrong_codes
    assert abs(grown) <= MOST_MB
    return low
