"""A process of its own that attacks the room at a port until it is killed.

It is given the port, how many attacks a second it begins at most, the seed of their order, and the core that
it runs on; it writes a byte for each attack that is over.
"""

from __future__ import annotations

import os
import random
import socket
import sys
import time
from contextlib import suppress

from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from quizwriter.services.room_server import MOST_MESSAGE_BYTES
from tests.helpers.room_client import Phone

BUZZ = {"buzz": True, "number": 1}
NOISE = (
    "", "{", "[]", "null", "1e999", "[" * 400, '{"join":1}', '{"buzz":true}', '{"ack":-1}', '{"ack":1e9}',
    '{"buzz":true,"number":1,"seat":1}', '{"view":{}}', '{"join":{"code":"1","name":[]}}', "\u0000",
    '{"answer":"eel","number":1}', '{"lock":0}', "x" * MOST_MESSAGE_BYTES, b"\xff\xfe", b"",
)  # fmt: skip


def flood(port, _):
    phone = Phone(port, patience=2)
    for _ in range(1_000):
        phone.say(BUZZ)
    phone.close()


def guess(port, draw):
    phone = Phone(port, patience=2)
    for _ in range(5):
        phone.join(f"{draw.randrange(10**6):06}", "\u202eEve" * 9)
    phone.close()


def babble(port, draw):
    phone = Phone(port, patience=2)
    for _ in range(15):
        phone.say(draw.choice(NOISE))
    phone.close()


def shout(port, _):
    phone = Phone(port, patience=2)
    phone.say("x" * (MOST_MESSAGE_BYTES + 1))
    phone.close()


def pretend(port, draw):
    Phone(port, draw.choice(("", "x" * 22)), origin="http://evil.example", patience=2).close()


def dawdle(port, _, waiting=[]):  # noqa: B006 - those that are left open
    one = socket.create_connection(("127.0.0.1", port), timeout=2)
    one.sendall(b"GET / HTTP/1.1\r\n")
    waiting.append(one)
    if len(waiting) > 30:
        waiting.pop(0).close()


def ping(port, draw):
    phone = Phone(port, patience=2)
    for _ in range(100):
        phone.raw(draw.choice((b"\x89\x80abcd", b"\x8a\x80abcd")) * 1_000)


def upload(port, _):
    with socket.create_connection(("127.0.0.1", port), timeout=2) as one:
        one.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 999999999\r\n\r\n" % port)
        for _ in range(100):
            one.sendall(b"x" * 100_000)


def crowd(port, _):
    phones = [Phone(port, patience=2) for _ in range(60)]
    for phone in phones:
        phone.close()


ATTACKS = flood, guess, babble, shout, pretend, dawdle, ping, upload, crowd


def main(port, a_second, seed):
    draw, due = random.Random(seed), time.monotonic()
    while True:
        with suppress(OSError, AssertionError, LocalProtocolError, RemoteProtocolError):  # it is sent away
            draw.choice(ATTACKS)(port, draw)
        sys.stdout.buffer.write(b".")
        sys.stdout.buffer.flush()
        due = max(due + 1 / a_second, time.monotonic() - 1 / a_second)
        time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    os.sched_setaffinity(0, {int(sys.argv[4])})
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
