"""A room: its seats, who is first, which word counts, and what attackers get."""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import suppress

import httpx
import msgspec
import pytest

from quizwriter.domain.tossup_game import FORMATS, Impression, Move, MoveKind, PlayedBy, Ruling, Said, Seat
from quizwriter.errors import QuizwriterError
from quizwriter.services.match import GameChoices, Match, MatchTossup
from quizwriter.services.room_door import MOST_HEAD_BYTES, MOST_LET_IN, MOST_WAITING
from quizwriter.services.room_lines import (
    Guest,
    RoomAnswered,
    RoomBuzzed,
    RoomGuests,
    RoomOpening,
    RoomSeat,
    RoomTossup,
    RoomTrouble,
)
from quizwriter.services.room_server import (
    BEAT_S,
    GRACE_MS,
    MOST_CONNECTIONS,
    MOST_MESSAGE_BYTES,
    MOST_TRIES,
    MOST_WRONG_CODES,
    OTHER_ROOM,
    SENT_AWAY,
    TAKEN_OVER,
    TOO_MANY,
)
from quizwriter.services.rooms import (
    LONGEST_BREAK_S,
    KilledRoom,
    RoomHost,
    RoomJournals,
    RoomPlan,
    new_code,
    own_addresses,
    read_log,
)
from quizwriter.services.score_sheets import write_score_sheet
from tests.helpers.made_games import EELS
from tests.helpers.room_attacker import NOISE
from tests.helpers.room_client import Phone, RoomProcess, RoomThread

CODE = "012345"


class OpenRoom:
    """A match of two tossups in a room that is served."""

    def __init__(self, folder, server, *, fixed=(), spoken=False, times=2, spares=0, adviser="", before=None):
        self.ms = 0
        tossups, others = [MatchTossup("t", EELS)] * times, [MatchTossup("s", EELS)] * spares
        self.match = Match(
            "m", tossups, FORMATS["mACF"], fixed, lambda: self.ms, PlayedBy.ROOM, spares=others
        )
        self.process = server()
        self.host = RoomHost(self.match, self.process.send, spoken=spoken, adviser=adviser)
        self.journal = folder / "m.jsonl"
        self.host.opening("127.0.0.1", CODE, "Spring", self.journal, before)
        self.port = self.process.opened()
        self.phones = []

    def phone(self, name="", team="", *, token=""):
        """A phone that has joined, and what it was told."""
        phone = Phone(self.port, token)
        self.phones.append(phone)
        hello = phone.hear(lambda one: "token" in one) if token else phone.join(CODE, name, team)
        here = len(self.host.guests)
        while len(self.host.guests) < here + (not token):
            self.take(RoomGuests)
        return phone, hello

    def take(self, kind):
        """Take reports up to the next one of this kind; it, and whether the game went on by it."""
        while True:
            report = self.process.reports.get(timeout=30)
            went_on = self.host.take(report)
            if isinstance(report, kind):
                return report, went_on

    def read(self, words):
        for _ in range(words):
            self.ms += 200
            self.match.game.read(self.match.state.word + 1)

    def close(self):
        for phone in self.phones:
            phone.close()
        self.process.close()


@pytest.fixture
def room(tmp_path):
    rooms = []

    def make(server=RoomThread, **given):
        rooms.append(OpenRoom(tmp_path, server, **given))
        return rooms[-1]

    yield make
    for one in rooms:
        one.close()


def told(phone, phase):
    """What the phone is told once the game is in ``phase``: only then does its page allow what follows."""
    return phone.hear(lambda got: got.get("view", {}).get("phase") == phase)["view"]


def closing(phone):
    """With which code the room closes the connection of a phone, whatever it told it before."""
    phone.hear(lambda _: False)
    return phone.closed


def acked(phone, words, number=1):
    """The phone has so many words on its screen, and says so."""
    phone.has(words, number)
    phone.say({"ack": words, "number": number})


def test_a_tossup_is_played_by_phones_word_by_word_and_the_host_judges(room):
    one = room()
    ada, hello = one.phone(" A\u202eda\u200b ", "Red")
    ben, _ = one.phone("Ada", "Blue")
    assert hello["name"] == "Ada"
    assert one.host.guests == (Guest("Ada", "Red"), Guest("Ada (2)", "Blue"))
    one.host.begin()
    one.read(6)
    acked(ada, 6)
    ada.say({"buzz": True, "number": 1})
    report, went_on = one.take(RoomBuzzed)
    assert (report, went_on) == (RoomBuzzed(1, 0, 6, False), True)
    assert ben.hear(lambda got: "lock" in got)["lock"] == 0
    told(ada, "answering")
    ada.say({"answer": "a \u202efish", "number": 1})
    assert one.take(RoomAnswered)[1]
    view = told(ben, "prompted")
    assert (view["ask"], view["seat"]) == ("what kind of fish?", 0)
    assert view["buzzes"] == [{"name": "Ada", "word": 6, "answer": "a fish", "said": "prompt", "points": 0}]
    told(ada, "prompted")
    ada.say({"answer": "eels", "number": 1})
    one.take(RoomAnswered)
    view = told(ben, "decided")
    assert view["score"] == [["Red", 15], ["Blue", 0]]
    assert one.match.played.replay().state.answered.word == 6
    assert one.match.played.rules.seats == (Seat("Ada", "Red"), Seat("Ada (2)", "Blue"))


def test_phones_count_the_seconds_of_the_one_clock_and_a_pause_stops_them(room):
    one = room()
    ada, hello = one.phone("Ada")
    one.host.begin()
    one.read(3)
    assert ada.has(3, number=1)["view"]["left_ms"] is None
    ada.say({"buzz": True, "number": 1})
    one.take(RoomBuzzed)
    assert told(ada, "answering")["left_ms"] == FORMATS["mACF"].answer_ms
    one.ms += 4_000
    one.host.pause(paused=True)
    assert ada.hear(lambda got: got.get("view", {}).get("paused"))["view"]["left_ms"] is None
    one.ms += 60_000
    one.host.pause(paused=False)
    assert told(ada, "answering")["left_ms"] == FORMATS["mACF"].answer_ms - 4_000
    time.sleep(0.05)  # of the room's own clock
    _, again = one.phone(token=hello["token"])
    assert 0 < again["view"]["left_ms"] < FORMATS["mACF"].answer_ms - 4_000


def test_no_phone_gets_a_word_before_it_is_read_nor_the_answer_line(room):
    one = room(times=1)
    ada, _ = one.phone("Ada")
    late = []
    one.host.begin()
    words = len(EELS.words)
    for word in range(1, words + 1):
        one.read(1)
        acked(ada, word)
        if word == 9:
            late.append(one.phone("Late")[1])
    one.match.game.end()
    got = told(ada, "over")
    assert got["word"] == words
    assert late[0]["words"] == EELS.heard_text.split()[:9]
    page = httpx.get(f"http://127.0.0.1:{one.port}/", trust_env=False)
    assert page.status_code == 200
    for text in (page.text, json.dumps(got), one.journal.read_text()):
        assert "eel" not in text
        assert "long fish" not in text
    assert "connect-src ws://127.0.0.1:" in page.text


def test_who_comes_first_is_first_and_a_team_answers_once(room):
    one = room()
    (ada, _), (ben, _), (cem, _) = one.phone("Ada", "Red"), one.phone("Ben", "Red"), one.phone("Cem")
    one.host.begin()
    one.read(4)
    for phone in (ben, ada, cem):
        acked(phone, 4)
    cem.say({"buzz": True, "number": 1})
    assert ada.hear(lambda got: "lock" in got)["lock"] == 2
    ada.say({"buzz": True, "number": 1})
    report, _ = one.take(RoomBuzzed)
    assert report.seat == 2
    told(cem, "answering")
    cem.say({"answer": "carp", "number": 1})
    one.take(RoomAnswered)
    one.match.game.read_on()
    ada.hear(lambda got: 0 in got.get("view", {}).get("may", ()))
    ben.say({"buzz": True, "number": 1})
    assert one.take(RoomBuzzed)[0].seat == 1
    one.match.game.judge(Said.REJECT)
    one.match.game.read_on()
    assert told(ada, "reading")["may"] == []
    ada.say({"buzz": True, "number": 1})
    ada.say({"answer": "eel", "number": 1})
    one.match.game.end()
    told(ada, "over")
    assert [buzz.seat for buzz in one.match.state.buzzes] == [2, 1]
    assert one.process.reports.empty()


def test_a_screen_that_is_far_behind_does_not_decide_the_word(room):
    one = room()
    ada, _ = one.phone("Ada")
    one.host.begin()
    one.read(3)
    acked(ada, 3)
    began = time.monotonic()
    one.read(2)  # the screen is behind by less than GRACE_MS
    ada.say({"buzz": True, "number": 1})
    report, _ = one.take(RoomBuzzed)
    took_ms = 1_000 * (time.monotonic() - began)
    # unless the machine of the test is so busy that it is behind by more
    assert report == RoomBuzzed(1, 0, 3, False) or took_ms > GRACE_MS
    one.match.game.judge(Said.REJECT)
    one.match.next()
    one.host.begin()
    one.read(3)
    ada.has(3, number=2)
    time.sleep((GRACE_MS + 100) / 1_000)  # the law is about the room's clock
    ada.say({"ack": 900, "number": 1})  # of the tossup before, and not yet read
    ada.say({"buzz": True, "number": 2})
    assert one.take(RoomBuzzed)[0] == RoomBuzzed(2, 0, 3, True)
    assert one.match.game.log[-1].marked


def test_a_machine_is_first_only_if_nobody_was_before(room):
    one = room(fixed=(Seat("IR", machine="ir"),))
    ada, hello = one.phone("Ada")
    assert hello["seat"] == 1
    one.host.begin()
    one.read(4)
    acked(ada, 4)
    one.host.ask(0)
    assert one.take(RoomBuzzed)[0] == RoomBuzzed(1, 0, 4, False)
    assert not one.match.answer_page("Carp")
    one.match.game.read_on()
    ada.hear(lambda got: got.get("view", {}).get("may") == [1])
    ada.say({"buzz": True, "number": 1})
    one.take(RoomBuzzed)
    one.host.ask(0)
    one.match.game.judge(Said.ACCEPT)
    assert one.match.score == (-5, 15)
    assert one.process.reports.empty()


def test_a_moderator_reads_aloud_and_says_at_which_word_it_was(room):
    one = room(spoken=True)
    ada, hello = one.phone("Ada")
    assert not hello["typed"]
    one.host.begin()
    ada.hear(lambda got: "view" in got)
    ada.say({"buzz": True, "number": 1})
    assert one.take(RoomBuzzed)[1]
    assert one.match.state.word == 0
    assert one.host.settle(7)
    one.match.answer("fish")
    assert one.match.state.buzzes[0].prompt == "what kind of fish?"
    assert told(ada, "prompted")["ask"] == ""  # she asks it aloud: it is of the answer line
    one.match.answer("eel")
    view = told(ada, "decided")
    assert "words" not in view
    assert one.match.played.replay().state.answered.word == 7
    one.match.next()
    one.host.begin()
    ada.hear(lambda got: got.get("view", {}).get("may") == [0])
    ada.say({"buzz": True, "number": 2})
    assert one.take(RoomBuzzed)[1]
    one.host.refuse()  # nobody had buzzed, she says
    assert ada.hear(lambda got: "view" in got and "lock" not in got)["view"]["may"] == [0]


def test_who_has_no_phone_is_asked_for_the_word_as_well_and_a_latecomer_takes_no_buzz_away(room):
    one = room(spoken=True, fixed=(Seat("Ann"),))
    one.host.begin()
    one.host.ask(0)
    assert one.take(RoomBuzzed)[1]
    assert one.match.state.buzzes == ()
    one.phone("Cem")
    assert one.host.settle(7)
    assert [(buzz.seat, buzz.word) for buzz in one.match.state.buzzes] == [(0, 7)]


def test_a_buzz_before_the_first_word_is_in_the_log_as_on_the_scoreboard(room):
    one = room()
    ada, _ = one.phone("Ada")
    one.host.begin()
    ada.hear(lambda got: got.get("view", {}).get("may") == [0])
    ada.say({"buzz": True, "number": 1})
    one.take(RoomBuzzed)
    one.match.answer("carp")
    one.match.game.end()
    assert one.match.standings == (("Ada", -5),)
    assert one.match.record().replay().state.points(one.match.game.rules) == (-5,)


def test_nobody_is_called_as_a_machine_or_another_and_a_team_is_one_in_any_capitals(room):
    one = room(fixed=(Seat("IR", machine="ir"), Seat("Ada")))
    for name, team in (("ir", "Red"), ("ADA", "rED"), ("Ada (2)", "blue"), ("I\u202eR" * 60, "")):
        one.phone(name, team)
    assert [(guest.name, guest.team) for guest in one.host.guests] == [
        ("ir (2)", "Red"), ("ADA (2)", "Red"), ("Ada (2) (2)", "blue"), ("IR" * 20, ""),
    ]  # fmt: skip


def test_no_name_or_team_looks_like_the_adviser_a_machine_or_another(room):
    one = room(fixed=(Seat("IR", machine="ir"), Seat("Ada")), adviser="DAN")
    asked = [
        ("DAN", "ir"), ("\u0406R", "IR"), ("\uff29\uff32", "Ada"), ("lR", "\u0410da"), ("D\u0430n", ""),
        ("Red", ""), ("Cem", "red"), ("Blue", "Blue"), ("Eli", "blue"), ("BIue", "BIue"), ("Fay", "biue"),
    ]  # fmt: skip
    for name, team in asked:
        one.phone(name, team)
    assert [(guest.name, guest.team) for guest in one.host.guests] == [
        ("DAN (2)", "ir (2)"), ("\u0406R (3)", "ir (2)"), ("\uff29\uff32 (4)", "Ada (2)"),
        ("lR (5)", "\u0410da (3)"), ("D\u0430n (3)", ""),
        ("Red", ""), ("Cem", "red (2)"), ("Blue", "Blue"), ("Eli", "Blue"),
        ("BIue (2)", "BIue (2)"), ("Fay", "BIue (2)"),
    ]  # fmt: skip


def test_a_buzz_that_meets_the_moderators_undo_is_none_and_locks_nobody_out(room):
    for spoken in (False, True):
        one = room(spoken=spoken)
        ada, _ = one.phone("Ada")
        ben, _ = one.phone("Ben")
        one.host.begin()
        if spoken:
            told(ada, "reading")
        else:
            one.read(3)
            acked(ada, 3)
        ada.say({"buzz": True, "number": 1})
        one.take(RoomBuzzed)
        if spoken:
            assert one.host.settle(3)
        one.match.game.judge(Said.REJECT)
        one.match.game.read_on()
        told(ben, "answering")
        told(ben, "reading")
        ben.say({"buzz": True, "number": 1})
        report = one.process.report(RoomBuzzed)  # it is on its way
        for _ in range(3):
            one.match.undo()
        one.host.pause(paused=True)
        assert not one.host.take(report)
        assert (one.host.waiting, one.match.state.buzzes) == (None, ())
        one.host.pause(paused=False)
        told(ben, "decided")
        assert ben.hear(lambda got: "lock" not in got and "view" in got and not got["view"]["paused"])
        ben.say({"buzz": True, "number": 1})
        assert one.take(RoomBuzzed)[0].seat == 1
        if spoken:
            assert one.host.settle(3)
        told(ben, "answering")
        ((_, played),) = read_log(one.journal).played
        assert played.replay().state == one.match.state
        one.close()
        one.journal.unlink()


def test_a_message_in_ever_more_pieces_ends_one_connection(room):
    one = room()
    ben, _ = one.phone("Ben")
    ben.raw(b"\x01\x80abcd")  # it begins, and never ends
    piece = b"\x00\xe4abcd" + b"x" * 100
    with pytest.raises(OSError):  # noqa: PT011 - the system words it
        ben.raw(piece * 100_000)
    assert one.phone("Ada")[1]["seat"] == 1


def test_a_phone_that_was_lost_comes_back_and_a_second_tab_takes_the_seat_over(room):
    one = room()
    (ada, hello), (ben, _) = one.phone("Ada"), one.phone("Ben")
    one.host.begin()
    one.read(5)
    acked(ada, 5)
    ada.close()
    gone, _ = one.take(RoomGuests)
    while gone.guests[0].here:
        gone, _ = one.take(RoomGuests)
    one.read(2)
    acked(ben, 7)
    back, again = one.phone(token=hello["token"])
    assert (again["seat"], len(again["words"]), again["view"]["word"]) == (0, 7, 7)
    tab, _ = one.phone(token=hello["token"])
    assert closing(back) == TAKEN_OVER
    acked_words = {"ack": 7, "number": 1}
    tab.say(acked_words)
    tab.say({"buzz": True, "number": 1})
    assert one.take(RoomBuzzed)[0] == RoomBuzzed(1, 0, 7, False)


def test_whom_the_host_sends_away_has_no_seat_any_more(room):
    one = room()
    ada, hello = one.phone("Ada")
    one.host.remove(0)
    assert closing(ada) == SENT_AWAY
    other = Phone(one.port, hello["token"])
    assert closing(other) == SENT_AWAY
    other.close()


def test_guesses_of_the_code_are_limited_for_all_and_seats_are_not_locked_out(room):
    one = room()
    ada, hello = one.phone("Ada")
    phones = [Phone(one.port) for _ in range(MOST_WRONG_CODES // 4 + 2)]
    said = [phones[at // 4 % len(phones)].join(f"{at:06}")["refused"] for at in range(4 * len(phones))]
    assert said[:MOST_WRONG_CODES] == ["The code is wrong."] * MOST_WRONG_CODES
    assert set(said[MOST_WRONG_CODES + 4 :]) == {"Too many codes were tried. Wait a minute and try again."}
    assert "Too many" in phones[0].join(CODE)["refused"]  # a guesser would go on until it is right
    one.host.begin()
    one.read(3)
    acked(ada, 3)
    ada.say({"buzz": True, "number": 1})
    assert one.take(RoomBuzzed)[0].seat == 0
    _, again = one.phone(token=hello["token"])
    assert again["seat"] == 0
    assert one.host.wrong_codes >= MOST_WRONG_CODES
    for phone in phones:
        phone.close()


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("", "http://evil.example"),
        ("", "none"),
        ("", "null"),
        ("evil.example", "http://evil.example"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("localhost", ""),
    ],
)
def test_only_pages_that_were_served_here_speak_with_the_room(room, host, origin):
    one = room()
    phone = Phone(one.port, host=host, origin=origin)
    assert phone.refused
    phone.close()
    if host:
        answer = httpx.get(f"http://127.0.0.1:{one.port}/", headers={"Host": host}, trust_env=False)
        assert (answer.status_code, "Spring" in answer.text) == (421, False)


def test_garbage_replays_and_buzzes_for_others_disturb_nobody(room):
    one = room()
    (ada, _), (ben, _) = one.phone("Ada"), one.phone("Ben")
    one.host.begin()
    one.read(4)
    acked(ada, 4)
    acked(ben, 4)
    for noise in NOISE:
        ben.say(noise)
    ben.say({"answer": "eel", "number": 1})  # nobody buzzed
    ben.say({"buzz": True, "number": 0})
    ben.say({"buzz": True, "number": 2})
    stranger = Phone(one.port)
    for message in ({"buzz": True, "number": 1}, {"answer": "eel", "number": 1}, {"ack": 4, "number": 1}):
        stranger.say(message)
    stranger.close()
    ada.say({"buzz": True, "number": 1})
    assert one.take(RoomBuzzed)[0].seat == 0
    told(ada, "answering")
    ben.say({"answer": "eel", "number": 1})  # for Ada
    ada.say({"answer": "carp", "number": 1})
    assert one.take(RoomAnswered)[0] == RoomAnswered(0, "carp")
    one.match.game.read_on()
    told(ada, "decided")
    told(ada, "reading")
    ada.say({"buzz": True, "number": 1})  # again
    told(ben, "decided")
    told(ben, "reading")
    ben.say({"buzz": True, "number": 1})
    assert one.take(RoomBuzzed)[0].seat == 1
    assert one.match.state.buzzes[0].answers == ("carp",)


def test_a_thousand_buzzes_end_one_connection_and_nothing_else(room):
    one = room()
    (ada, _), (ben, hello) = one.phone("Ada"), one.phone("Ben")
    for _ in range(1000):
        ben.say({"buzz": True, "number": 1})
    assert closing(ben) == 1006
    one.host.begin()
    one.read(2)
    acked(ada, 2)
    ada.say({"buzz": True, "number": 1})
    assert one.take(RoomBuzzed)[0].seat == 0
    assert one.phone(token=hello["token"])[1]["name"] == "Ben"


def test_a_message_that_is_too_long_ends_the_connection(room):
    one = room()
    ada, _ = one.phone("Ada")
    ada.say("x" * (MOST_MESSAGE_BYTES + 1))
    assert closing(ada) in (1009, 1006)


def test_of_fifty_that_say_nothing_the_oldest_makes_room_and_who_has_a_seat_comes_back(room):
    one = room()
    _, hello = one.phone("Ada")
    others = [Phone(one.port) for _ in range(MOST_CONNECTIONS)]
    assert closing(others[0]) == TOO_MANY
    assert one.phone("Ben")[1]["name"] == "Ben"
    assert one.phone(token=hello["token"])[1]["name"] == "Ada"
    for phone in others:
        phone.close()


def test_a_room_with_fifty_seats_is_full(room):
    one = room(fixed=[Seat(f"P{at}") for at in range(MOST_CONNECTIONS)])
    more = Phone(one.port)
    assert closing(more) == TOO_MANY
    more.close()


@pytest.mark.parametrize("frame", [b"\x89\x80abcd", b"\x8a\x80abcd"], ids=["pings", "pongs"])
def test_a_flood_of_frames_that_say_nothing_ends_one_connection(room, frame):
    one = room()
    ben, _ = one.phone("Ben")
    with pytest.raises(OSError):  # noqa: PT011 - the system words it
        ben.raw(frame * 1_000_000)
    assert one.phone("Ada")[1]["seat"] == 1


def asker(port, said, address="127.0.0.1"):
    """Somebody at ``address`` who says something to the room's port."""
    one = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(address, 0))
    one.sendall(said)
    return one


def test_while_strangers_crowd_the_door_seats_come_back_and_other_addresses_take_turns(room):
    one = room()
    _, hello = one.phone("Ada")
    request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % one.port
    crowd = [asker(one.port, request) for _ in range(MOST_LET_IN + MOST_WAITING // 2)]
    began = time.monotonic()
    with asker(one.port, request, "127.0.0.2") as other:
        assert other.recv(15) == b"HTTP/1.1 200 OK"
    assert one.phone(token=hello["token"])[1]["seat"] == 0
    crowd[-1].settimeout(0.01)
    with pytest.raises(TimeoutError):
        crowd[-1].recv(1)
    assert time.monotonic() - began < MOST_WAITING // 2 / 10
    for stranger in crowd:
        stranger.close()


def test_of_many_that_ask_for_nothing_the_first_goes_and_no_request_is_endless(room):
    one = room()
    silent = [asker(one.port, b"GET / HTTP/1.1\r\n") for _ in range(MOST_WAITING + 1)]
    silent.append(asker(one.port, b"GET / HTTP/1.1\r\nX: " + b"x" * 2 * MOST_HEAD_BYTES))
    for ended in (silent[0], silent[-1]):
        with suppress(ConnectionResetError):
            assert ended.recv(1) == b""
    for stranger in silent:
        stranger.close()


def test_who_has_no_seat_says_little(room):
    one = room()
    stranger = Phone(one.port)
    for _ in range(MOST_TRIES + 1):
        stranger.say({"buzz": True, "number": 1})
    assert closing(stranger) == 1006
    stranger.close()
    ada, _ = one.phone("Ada")
    one.host.begin()
    for words in range(1, 2 * MOST_TRIES):  # with a seat, it may be more
        one.read(1)
        acked(ada, words)
    ada.say({"buzz": True, "number": 1})
    assert one.take(RoomBuzzed)[0].word == 2 * MOST_TRIES - 1


def test_who_brings_something_is_not_listened_to(room):
    one = room()
    with socket.create_connection(("127.0.0.1", one.port), timeout=30) as sender:
        sender.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 99999\r\n\r\n" % one.port)
        answer = b"".join(iter(lambda: sender.recv(9_999), b""))
    assert answer.startswith(b"HTTP/1.1 405")
    with socket.create_connection(("127.0.0.1", one.port), timeout=30) as sender:
        sender.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 99999\r\n\r\n" % one.port)
        answer = b"".join(iter(lambda: sender.recv(9_999), b""))
    assert answer.startswith(b"HTTP/1.1 413")
    with socket.create_connection(("127.0.0.1", one.port), timeout=30) as sender:
        sender.sendall(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        answer = b"".join(iter(lambda: sender.recv(9_999), b""))
    assert answer.startswith(b"HTTP/1.1 421")


def test_the_seat_of_another_room_is_told_so_at_once(room):
    one = room()
    for token in ("x" * 22, "%C3%A9", "%00"):
        phone = Phone(one.port, token)
        assert closing(phone) == OTHER_ROOM
        phone.close()


def test_a_phone_hears_something_every_two_seconds(room):
    ada, _ = room().phone("Ada")
    began = time.monotonic()
    assert ada.hear(lambda got: not got) == {}
    assert time.monotonic() - began < 3 * BEAT_S


def test_an_address_of_somebody_else_is_refused_in_a_sentence(tmp_path):
    match = Match("m", [MatchTossup("t", EELS)], FORMATS["ACF"], (), lambda: 0)
    process = RoomThread()
    try:
        RoomHost(match, process.send).opening("192.0.2.1", CODE, "Spring", tmp_path / "m.jsonl")
        trouble = process.report(RoomTrouble)
    finally:
        process.close()
    assert trouble.problem.startswith("No room can be opened at 192.0.2.1: ")


def test_the_log_is_whole_when_the_host_is_killed(room):
    one = room()
    ada, _ = one.phone("Ada")
    one.host.begin()
    one.read(6)
    acked(ada, 6)
    ada.say({"buzz": True, "number": 1})
    one.take(RoomBuzzed)
    told(ada, "answering")
    ada.say({"answer": "eel", "number": 1})
    one.take(RoomAnswered)
    told(ada, "decided")
    one.process.close()  # as it is when the window is killed
    ((key, played),) = read_log(one.journal).played
    assert (key, played) == ("t", one.match.played)


def test_a_kill_loses_no_ruling_and_the_sheet_of_the_log_is_that_of_the_match(room, tmp_path):
    one = room(fixed=(Seat("IR", machine="ir"),), spares=2)
    match = one.match
    match.reaction_ms = 250
    ada, _ = one.phone("Ada", "Red")

    def play(word, *rulings):
        one.host.begin()
        one.read(word)
        acked(ada, word, match.number)
        ada.say({"buzz": True, "number": match.number})
        one.take(RoomBuzzed)
        match.answer("eel")
        match.game.end()
        for ruling in rulings:
            match.rule(ruling)
        match.record()

    play(6, Ruling(10), Ruling(10, "Misread."), Ruling(10, "Misread.", replaced=True, replacement=4))
    match.next()
    assert match.current.key == "s"
    play(5, Ruling(20))
    match.next()
    play(4, Ruling(30), Ruling(0, "Ben was first."))
    one.process.close()  # as it is when the window is killed
    kept = read_log(one.journal).played
    assert kept == [(tossup.key, played) for tossup, played in match.records]
    assert [(played.number, played.question, played.replaced) for _, played in kept] == [
        (1, 1, True), (4, 1, False), (2, 2, False),
    ]  # fmt: skip
    assert all(tuple(played.replay().log) == played.moves for _, played in kept)
    tossups = {tossup.key: tossup for tossup, _ in match.records}
    again = [(tossups[key], played) for key, played in kept]
    for name in ("match.qbj", "match.json", "match.csv"):
        for records, folder in ((match.records, "window"), (again, "log")):
            (tmp_path / folder).mkdir(exist_ok=True)
            write_score_sheet(tmp_path / folder / name, records)
        assert (tmp_path / "window" / name).read_bytes() == (tmp_path / "log" / name).read_bytes()


def test_the_log_survives_a_kill_of_the_room_at_any_move(room):
    one = room(RoomProcess)
    ada, _ = one.phone("Ada")
    one.host.begin()
    one.read(4)
    acked(ada, 4)
    ada.say({"buzz": True, "number": 1})
    one.take(RoomBuzzed)
    told(ada, "answering")
    one.process.process.kill()
    one.process.process.wait(20)
    ((_, played),) = read_log(one.journal).played
    assert played.moves == tuple(one.match.game.log)
    whole = one.journal.read_bytes()
    for cut in range(len(whole)):  # whatever was written of the last line
        one.journal.write_bytes(whole[:cut])
        for _, part in read_log(one.journal).played:
            assert part.replay() is not None
            assert len(part.moves) <= len(played.moves)


@pytest.mark.parametrize("spoken", [False, True])
def test_a_killed_room_goes_on_where_it_was_and_everybody_has_their_seat(room, spoken):
    given = {"times": 3, "fixed": (Seat("IR", machine="ir"),), "spoken": spoken}
    first = room(**given)
    match = first.match
    plan = RoomPlan.of(match, GameChoices(spoken=spoken))
    with first.journal.open("ab") as file:  # the window begins the log with it
        file.write(msgspec.json.encode(plan) + b"\n")
    for name in ("Ada", "Ben", "Cem"):
        first.phone(name, "Red")
    first.host.remove(2)  # Cem
    first.host.begin()
    match.game.read(6)
    match.game.buzz(1)
    match.answer("eel")
    match.rule(Ruling(20))
    match.game.end()
    match.record()
    match.next()
    first.phone("Dan", "Blue")
    first.host.begin()
    match.game.read(4)
    match.game.buzz(4)
    match.answer("fish")
    first.phone("Eve")  # in the middle of the tossup
    first.process.close()  # as it is when the window is killed
    log = read_log(first.journal)
    assert log.plan == plan
    assert [(one.name, one.team, one.barred) for one in log.opening.seats] == [
        ("Ada", "Red", False), ("Ben", "Red", False), ("Cem", "Red", True), ("Dan", "Blue", False),
        ("Eve", "", False),
    ]  # fmt: skip
    again = room(before=log.opening, **given)
    again.ms = 99_000_000  # a computer that was started anew has another clock
    KilledRoom.of(log).resume(again.match)
    again.ms += 60_000  # until the phones are back
    assert again.port == first.port
    assert again.match.standings == match.standings
    assert again.match.records == match.records
    assert (again.match.state, again.match.game.log) == (match.state, match.game.log)
    dan, hello = again.phone(token=hello_of(log, "Dan"))
    assert (hello["seat"], hello["name"]) == (4, "Dan")
    again.take(RoomGuests)
    sent_away = Phone(again.port, hello_of(log, "Cem"))
    again.phones.append(sent_away)
    assert (sent_away.hear(), sent_away.closed) == (None, SENT_AWAY)
    again.host.begin()
    again.host.pause(paused=False)
    assert told(dan, "prompted")["paused"]
    view = told(dan, "prompted")
    assert (view["seat"], view["word"], view["number"]) == (4, 4, 2)
    assert view["left_ms"] == FORMATS["mACF"].answer_ms
    if not spoken:
        dan.say({"answer": "eel", "number": 2})
        again.take(RoomAnswered)
    else:
        again.match.answer("eel")
    told(dan, "decided")
    again.match.game.end()
    again.match.record()
    again.match.next()
    again.host.begin()
    assert [one.name for one in again.match.seats] == ["IR", "Ada", "Ben", "Cem", "Dan", "Eve"]
    again.match.game.read(3)
    again.process.close()
    whole = read_log(first.journal)
    assert [one for _, one in whole.played] == [*(one for _, one in again.match.records), again.match.played]
    assert whole.opening.seats == log.opening.seats


@pytest.mark.parametrize("stop", ["thrown out", "spare begun"])
def test_a_kill_between_a_thrown_out_tossup_and_its_spare_loses_neither(room, stop):
    given = {"times": 2, "spares": 2}
    first = room(**given)
    match, said = first.match, Impression("too hard", comment="Nice.")
    with first.journal.open("ab") as file:  # the window begins the log with it
        file.write(msgspec.json.encode(RoomPlan.of(match, GameChoices(alone=False, title="Spring"))) + b"\n")
    first.phone("Ada")
    first.host.begin()
    match.game.read(6)
    match.game.buzz(0)
    match.answer("eel")
    match.game.end()
    match.rule(Ruling(impression=said))
    match.rule(Ruling(replaced=True, replacement=4, impression=said))
    if stop != "thrown out":
        match.record()
        match.next()
        first.host.begin()
    first.process.close()  # as it is when the window is killed
    with first.journal.open("ab") as file:
        file.write(b'{"kind":"re')  # as it is when the computer loses its power
    log = read_log(first.journal)
    again = room(before=log.opening, **given)
    killed = KilledRoom.of(log)
    assert killed.place == "Spring, tossup 1 of 2"
    killed.resume(again.match)
    again.take(RoomGuests)
    assert (again.match.ruling, again.match.records) == (match.ruling, match.records)
    assert (again.match.place, again.match.state) == (match.place, match.state)
    assert next(remark for _, _, remark in log.games()) == "After a game, as the reader: Too hard. Nice."
    again.host.begin()
    again.host.pause(paused=False)
    if stop == "thrown out":
        again.match.record()
        again.match.next()
        again.host.begin()
    assert (again.match.number, again.match.replaces) == (4, 1)
    again.match.game.read(5)
    again.match.rule(Ruling(0, "Misread."))
    again.process.close()
    assert [one for _, one in read_log(first.journal).played] == [
        *(one for _, one in again.match.records), again.match.played,
    ]  # fmt: skip


def test_a_room_goes_on_though_a_tossup_that_was_played_has_been_shortened_since():
    matches = [
        Match("m", tossups, FORMATS["mACF"], (Seat("Ada"),), lambda: 0, PlayedBy.ROOM)
        for tossups in (
            [MatchTossup("t", EELS), MatchTossup("s", EELS)],
            [MatchTossup("t", msgspec.structs.replace(EELS, text="Name this fish.")), MatchTossup("s", EELS)],
        )
    ]
    match, again = matches
    match.game.read(6)
    match.game.buzz(0)
    match.answer("eel")
    match.record()
    match.next()
    match.game.read(2)
    again.go_on([match.records[0][1], match.played], 2, 0, Ruling())
    assert (again.standings, again.state) == (match.standings, match.state)


def hello_of(log, name):
    """The token of somebody's seat."""
    return next(one.token for one in log.opening.seats if one.name == name)


def test_a_room_whose_port_was_taken_meanwhile_opens_at_another(room):
    first = room()
    first.process.close()
    opening = read_log(first.journal).opening
    assert opening.port == first.port
    with socket.create_server(("127.0.0.1", first.port)):
        again = room(before=opening)
        assert again.port not in (0, first.port)


class Tossups:
    """Finds one tossup."""

    clock = staticmethod(lambda: 0)

    def tossups(self, keys):
        return [MatchTossup(key, EELS) for key in keys]


def test_the_last_killed_room_of_an_evening_can_go_on_and_no_log_names_another_file(app, tmp_path):
    journals = RoomJournals(app.store, tmp_path)
    match = Match("a", [MatchTossup("t", EELS)], FORMATS["mACF"], (), lambda: 0, PlayedBy.ROOM)
    rows = [
        RoomOpening("012345", ("127.0.0.1",), "Spring", "", 5_000),
        RoomSeat("Ada", "", "token"),
        RoomTossup("a", "t", 1, match.game.rules),
        Move(MoveKind.READ, 5, 3),
    ]

    def write(name, plan, age_s):
        path = journals.begin(msgspec.structs.replace(plan, game=name))
        assert path.stat().st_mode & 0o077 == 0  # who has a token has the seat
        with path.open("ab") as file:
            file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
        os.utime(path, (time.time() - age_s,) * 2)
        return path

    plan = RoomPlan.of(match, GameChoices(title="Spring"))
    old = write("old", plan, LONGEST_BREAK_S + 60)
    young, younger = write("young", plan, 60), write("younger", plan, 30)
    other = write("other", plan, 10)
    other.write_bytes(other.read_bytes().replace(b'"game":"other"', b'"game":"../other"'))
    killed = journals.killed(["younger"])
    assert (killed.plan.game, killed.place) == ("young", "Spring, tossup 1 of 1")
    assert [(one.name, one.token) for one in killed.opening.seats] == [("Ada", "token")]
    with pytest.raises(QuizwriterError, match="cannot be continued"):  # by a spare that there is not
        msgspec.structs.replace(killed, ruling=Ruling(replaced=True, replacement=2)).match(Tossups())
    assert killed.match(Tossups()).current == match.current
    kept = []
    assert journals.recover(lambda key, *_: kept.append(key), ["younger"], may_go_on="young") == 2
    assert kept == ["t", "t"]  # of the old one, and of the one whose log is of another
    assert [one.exists() for one in (old, young, younger, other)] == [False, True, True, False]


def test_codes_have_six_digits_and_the_own_addresses_end_with_loopback():
    codes = {new_code() for _ in range(50)}
    assert len(codes) > 45
    assert {len(one) for one in codes} == {6}
    assert own_addresses()[-1] == "127.0.0.1"
