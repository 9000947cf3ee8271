"""Playtests by mail: the page, what comes back, and what is refused of it."""

from __future__ import annotations

import html
import json
import os
import quopri
import random
import re
import subprocess
import sys
import zipfile
from collections import Counter
from contextlib import nullcontext
from email.message import EmailMessage

import msgspec
import pytest
from msgspec.structs import replace

from quizwriter.cli import main
from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import PutInSet
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import (
    FORMATS,
    Game,
    IllegalMoveError,
    Move,
    MoveKind,
    PlayedTossup,
    Rules,
    Said,
    Seat,
    clean_line,
    seen_lines,
)
from quizwriter.errors import QuizwriterError
from quizwriter.services.playtests import MOST_BYTES
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave
from tests.helpers import processor_time
from tests.helpers.made_games import EELS
from tests.helpers.node import in_node, needs_node

HOSTILE_TEXTS = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    '"><img src=x onerror=alert(1)>',
    "</style><svg onload=alert(1)>",
    "\u2028\u2029\u202e@data@ @script@",
    "${alert(1)} `alert(1)`",
    "&lt;script&gt; &#60;script&#62; \\u003cscript>",
)
SENDING = "0123456789abcdef" * 2


def saved(app, key="a", tossup=EELS, seq=1, before=""):
    edit = Edit(0, before, tossup.text)
    app.store.save(
        PendingSave(key, tossup.text, tossup.answer, 0, seq, (Change(seq, seq, edit, author="ada"),))
    )
    if seq == 1:
        app.store.add_events([Event.new(key, 2, "ada", PutInSet("Spring", "1"))])


def data_of(page):
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1]
    )


def sent(app, name="mACF"):
    return data_of(app.playtests.page(app.games.tossups_of("Spring"), FORMATS[name], "Spring", SENDING))


RIGHT = [
    {"kind": "read", "at_ms": 900, "word": 5},
    {"kind": "buzz", "at_ms": 950, "word": 5},
    {"kind": "answer", "at_ms": 2000, "text": "eels"},
    {"kind": "verdict", "at_ms": 2000, "said": "accept"},
    {"kind": "end", "at_ms": 2000},
]


def results(data, moves=RIGHT, **fields):
    game = {"number": 1, "moves": moves, "felt": "fair", "unfair": "", "comment": "Nice."}
    whole = {
        "kind": data["kind"],
        "id": "ab" * 16,
        "name": "Ben",
        "sent": data["sent"],
        "code": data["code"],
        "games": [game],
    }
    return json.dumps({**whole, **fields})


def test_what_comes_back_is_kept_once_with_its_remark(app):
    saved(app)
    raw = results(sent(app))
    found = app.playtests.understand(raw)
    assert (found.sentence, found.notes) == ("1 tossup played by Ben.", ())
    assert app.playtests.keep(found) == 1
    review = app.store.review_of("a")
    (event,) = review.games
    assert event.body.rules.seats == (Seat("Ben"),)
    assert event.body.replay().state.points(event.body.rules) == (15,)
    assert [one.event.body.text for one in review.comments] == [
        "After a game, as a playtester (Ben): Fair. Nice."
    ]
    again = app.playtests.understand(raw)
    assert (again.games, again.remarks, again.notes) == (
        (),
        (),
        ("The result of tossup 1 was received before.",),
    )


def test_who_plays_a_tossup_again_or_has_the_name_of_somebody_who_did_is_told(app):
    saved(app)
    data = sent(app)
    app.playtests.keep(app.playtests.understand(results(data)))
    found = app.playtests.understand(results(data, id="cd" * 16, name="ben"))
    assert len(found.games) == 1
    assert found.notes == (
        "ben played 1 of these tossups before, and a player who hears a tossup again is not counted. If "
        "this is another person, ask them to save the results again under another name.",
    )
    assert app.playtests.understand(results(data, id="cd" * 16, name="Cem")).notes == ()
    app.playtests.keep(found)
    assert app.recorded_rooms.people("a", app.store.load("a").tossup).figures.rooms == 1
    assert app.playtests.understand(results(data, id="ef" * 16, name="")).notes == ()


def test_results_in_a_zip_are_read_if_they_are_one_file(app, tmp_path):
    saved(app)
    file = tmp_path / "results.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mail/", "")
        archive.writestr("mail/results.json", results(sent(app)))
        archive.writestr("__MACOSX/mail/._results.json", "of a Mac")
    assert len(app.playtests.read(file).games) == 1
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("other.json", results(sent(app)))
    with pytest.raises(QuizwriterError, match=r"it is a zip of 2 files, and results are one file"):
        app.playtests.read(file)
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(QuizwriterError, match="it is damaged or ends early"):
        app.playtests.read(file)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.json", b" " * (2 * MOST_BYTES))
    with pytest.raises(QuizwriterError, match="it becomes longer than 1 MB"):
        app.playtests.read(file)


_AGAIN = """
import sys
from pathlib import Path
from quizwriter.domain.tossup_game import FORMATS
from quizwriter.services.wiring import App
with App(Path(sys.argv[1])) as app:
    page = app.playtests.page(app.games.tossups_of("Spring"), FORMATS["mACF"], "Spring", sys.argv[2])
sys.stdout.buffer.write(page.encode())
"""


def test_every_byte_of_the_page_is_the_same_in_another_process(app, tmp_path):
    saved(app)
    line = "<u>Carl</u> Jung [or <u>C. G.</u> Jung; accept any of depth, deep or deeper; prompt on analysis]"
    saved(app, "b", Tossup("This Swiss wrote of types. Name him.", Answer(line)))
    again = subprocess.run(
        [sys.executable, "-c", _AGAIN, str(tmp_path), SENDING],
        env=os.environ | {"PYTHONHASHSEED": "1"},
        capture_output=True,
        check=True,
    ).stdout
    tossups = app.games.tossups_of("Spring")
    assert again == app.playtests.page(tossups, FORMATS["mACF"], "Spring", SENDING).encode()


@pytest.mark.parametrize(
    ("moves", "said", "noted"),
    [
        (
            [
                *RIGHT[:2], {"kind": "time", "at_ms": 10_950},
                {"kind": "overrule", "at_ms": 10_960, "said": "accept"},
            ],
            Said.REJECT, "The buzz after word 5 has no answer, so it counts as wrong.",
        ),
        (
            [
                *RIGHT[:3], {"kind": "verdict", "at_ms": 2_000, "said": "reject"},
                {"kind": "read on", "at_ms": 2_100}, {"kind": "read", "at_ms": 2_200, "word": 8},
            ],
            Said.ACCEPT, "“eels” of Ben after word 5 counted as wrong there; the judge says accept.",
        ),
    ],
)  # fmt: skip
def test_a_claim_without_an_answer_is_none_and_a_game_saved_early_is_judged(app, moves, said, noted):
    saved(app)
    found = app.playtests.understand(results(sent(app), moves))
    assert found.notes == (f"Tossup 1: {noted}",)
    app.playtests.keep(found)
    (event,) = app.store.review_of("a").games
    assert [one.said for one in event.body.replay().state.buzzes] == [said]


def test_the_verdict_of_the_judge_is_final_and_the_difference_is_told(app):
    saved(app)
    wrong = [*RIGHT[:2], {**RIGHT[2], "text": "carp"}, RIGHT[3]]
    found = app.playtests.understand(results(sent(app), wrong))
    assert found.notes == (
        "Tossup 1: “carp” of Ben after word 5 counted as right there; the judge says reject.",
    )
    ((_, played),) = found.games
    assert played.moves[-1] == Move(MoveKind.OVERRULE, 2000, seat=0, said=Said.REJECT)
    assert played.replay().state.points(played.rules) == (-5,)


def test_what_was_played_of_another_version_is_shown_and_not_kept(app):
    saved(app)
    data = sent(app)
    saved(app, tossup=replace(EELS, text="Another text, of another fish. Name it."), seq=2, before=EELS.text)
    found = app.playtests.understand(results(data))
    assert (found.games, found.remarks) == ((), ())
    assert found.notes == (
        "Tossup 1 was edited after it was sent, so its result is shown here but not kept: after word "
        "5, “eels”.",
    )


@pytest.mark.parametrize(
    "change",
    [
        {"code": "0" * 64},
        {"sent": {"id": SENDING, "format": {"name": "mACF", "power": 1000}, "tossups": [["a", "0" * 64]]}},
        {"id": "x"},
        {"games": [{"number": 0, "moves": []}]},
        {"games": [{"number": 2, "moves": []}]},
        {"games": [{"number": 1, "moves": []}] * 2},
        {"games": [{"number": 1, "moves": [{"kind": "read", "word": 1}] * 2_001}]},
        {"games": [{"number": 1, "moves": [], "felt": "<b>"}]},
        {"games": [{"number": 1, "moves": [], "comment": "x" * 2_001}]},
        {"more": 1},
        {"name": [[[[[[[[[["deep"]]]]]]]]]]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_results_that_are_not_ours_or_out_of_range_are_refused(app, change):
    saved(app)
    with pytest.raises(QuizwriterError):
        app.playtests.understand(results(sent(app), **change))
    assert app.store.review_of("a").games == ()


@pytest.mark.parametrize("raw", ["", "{}", "[1]", "x" * 100, "[" * 5_000, '{"kind": 1e999}'])
def test_what_is_no_results_is_refused(app, raw):
    with pytest.raises(QuizwriterError, match="not results"):
        app.playtests.understand(raw)


def test_results_of_a_page_of_another_version_are_told_where_they_are_received(app):
    saved(app)
    with pytest.raises(QuizwriterError, match="another version of QuizWriter"):
        app.playtests.understand(results(sent(app), kind="quizwriter playtest 2"))


def test_a_log_that_cannot_have_been_is_left_out(app):
    saved(app)
    found = app.playtests.understand(results(sent(app), RIGHT[2:]))
    assert (found.games, len(found.notes)) == ((), 1)
    assert "impossible" in found.notes[0]


def test_another_database_has_another_key(app, tmp_path):
    saved(app)
    data = sent(app)
    with App(tmp_path / "other") as other:
        saved(other)
        with pytest.raises(QuizwriterError, match="not sent from here"):
            other.playtests.understand(results(data))
    key = json.loads(app.store.items("playtest key")[""])
    page = app.playtests.page(app.games.tossups_of("Spring"), FORMATS["ACF"], "Spring", SENDING)
    assert key not in page


def test_names_are_one_line_of_signs_that_are_seen():
    assert clean_line("  Be\u202en\n\tB\u0000en\u200b ") == "Ben Ben"
    assert len(clean_line("x" * 500)) == 40
    assert clean_line("\u3164\u2800 Jose\u0301\u034f") == "José"
    assert clean_line("Z" + "\u0335" * 30 + "e") == "Z\u0335\u0335\u0335e"
    assert clean_line("Z" + "\u0335\u0335\u0335\u200d\u034f" * 10) == "Z\u0335\u0335\u0335"


def test_remarks_keep_tabs_as_spaces_and_what_joins_letters():
    joined = "می\u200cشود \U0001f469\u200d\U0001f52c"
    assert seen_lines(f"too\thard\n\n  {joined}\u202e\u200b") == f"too hard\n\n  {joined}"
    assert seen_lines("ش" + "\u0335\u0335\u0335\u200d" * 2) == "ش\u0335\u0335\u0335\u200d\u200d"
    assert (
        seen_lines("\u200dBen Ro\u0301\u200de, \u0411\u200c\u0435\u043d")
        == "Ben Ro\u0301e, \u0411\u0435\u043d"
    )
    assert clean_line("می\u200cشود") == "میشود"  # names are compared


def test_results_are_read_out_of_a_mail(app):
    saved(app)
    whole = json.loads(results(sent(app)))
    whole["games"][0]["comment"] = "Too  easy > fair ]}."
    text = json.dumps(whole, separators=(",", ":")).replace(" ", "\\u0020")  # as the page shows it
    lines = "\n> ".join(text[at : at + 76] for at in range(0, len(text), 76))
    for mail in (text, f"Dear {{Ada}},\r\n\r\n> {lines}\r\n>\r\n> Bye {{now}}\n", f"\ufeff{text}\n".encode()):
        found = app.playtests.understand(mail)
        assert len(found.games) == 1
        assert "Too  easy > fair ]}." in found.remarks[0][1]


def as_shown(raw):
    """Results as the page shows them as text."""
    text = json.dumps(json.loads(raw), separators=(",", ":"))
    return re.sub(r"[^!-%(-;=?-pr-~]", lambda one: f"\\u{ord(one[0]):04x}", text)


def html_mail(text):
    """A mail of which only the web page has the results, quoted-printable."""
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Ben <ben@example.org>", "Résultats"
    mail.set_content("See the web page.")
    mail.add_alternative(f"<p>Hi!</p><p>{html.escape(text)}</p>", subtype="html", cte="quoted-printable")
    return mail


def forwarded(text, code):
    """A mail with the results as a file, forwarded as a file."""
    inner, outer = EmailMessage(), EmailMessage()
    inner.set_content("Here they are.")
    if code == "7bit":
        text = "\n".join(text[at : at + 900] for at in range(0, len(text), 900))
    inner.add_attachment(text.encode(), "application", "json", cte=code, filename="playtest-results.json")
    outer.set_content("Fwd")
    outer.add_attachment(inner)
    return outer.as_bytes()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace('"', "\u201c"),
        lambda text: re.sub('"([^"]*)"', "\u201e\\1\u201c", text),
        lambda text: "\u200b".join(text[at : at + 60] for at in range(0, len(text), 60)),
        lambda text: "\u2066".join(text[at : at + 60] for at in range(0, len(text), 60)),
        lambda text: "\u00ad\n".join(text[at : at + 60] for at in range(0, len(text), 60)),
        lambda text: " ".join(text[at : at + 60] for at in range(0, len(text), 60)),
        lambda text: "\n> ".join(text),
        lambda text: text.encode("utf-16"),
        lambda text: f"<html><pre>{text}</pre></html>",
        lambda text: html_mail(text).as_string(),
        lambda text: forwarded(text, "quoted-printable"),
        lambda text: forwarded(text, "base64"),
        lambda text: forwarded(text, "7bit").replace(b"\n", b"\r\n"),
        lambda text: quopri.encodestring(text.encode()).decode(),
        lambda text: "\n> ".join(quopri.encodestring(text.encode()).decode().split("\n")),
        lambda text: html.escape("<br>\n".join(text[at : at + 60] for at in range(0, len(text), 60))).replace(
            "&lt;br&gt;", "<br>"
        ),
        lambda text: (
            f"\ufeff<div>Hi,</div><div>{html.escape(text[:99])}<wbr>&nbsp;{html.escape(text[99:])}</div>"
        ),
    ],
    ids=[
        "curly",
        "low and high",
        "zero width",
        "marks of direction",
        "soft hyphens",
        "spaces",
        "quoted",
        "as Notepad saves",
        "HTML",
        "HTML mail",
        "forwarded, quoted-printable",
        "forwarded, base64",
        "forwarded, CRLF",
        "quoted-printable",
        "quoted-printable, quoted",
        "HTML with breaks",
        "HTML with entities",
    ],
)
def test_results_that_a_mail_or_an_editor_spoiled_are_read(app, spoil):
    saved(app)
    text = "„Ça n'est  > pas” – q &lt; \U0001f41f"
    raw = results(sent(app), [*RIGHT[:2], RIGHT[2] | {"text": text}, *RIGHT[3:]])
    found = app.playtests.understand(spoil(as_shown(raw)))
    assert found.games[0][1].replay().state.buzzes[0].answers == (text,)


def test_a_remark_on_a_tossup_that_was_not_read_is_taken_once_and_said(app):
    saved(app)
    game = {"number": 1, "moves": [{"kind": "end", "at_ms": 5}], "comment": "\u202eNo\u200b verb.\n\nFix it."}
    raw = results(sent(app), games=[game])
    found = app.playtests.understand(raw)
    assert (found.sentence, found.remarks) == (
        "1 remark of Ben.",
        (("a", "After a game, as a playtester (Ben): No verb.\n\nFix it.", "ab" * 16 + "1"),),
    )  # fmt: skip
    for _ in range(2):  # shown twice before it is kept
        app.playtests.keep(found)
    again = app.playtests.understand(raw)
    assert (again.remarks, again.notes) == ((), ("The result of tossup 1 was received before.",))
    for more in ({}, {}, {"games": [game]}, {"games": [game]}):  # those without a name say the same
        app.playtests.keep(
            app.playtests.understand(results(sent(app), **{"name": "", "id": new_id(), **more}))
        )
    said = Counter(one.event.body.text for one in app.store.review_of("a").comments)
    assert said == {
        found.remarks[0][1]: 1,
        "After a game, as a playtester: Fair. Nice.": 2,
        "After a game, as a playtester: No verb.\n\nFix it.": 2,
    }


def test_what_was_typed_into_an_older_page_stays_as_it_was_typed(app):
    saved(app)
    text = "long\xa0eels, dur\u202f»\u202f! می\u200cشود\u3000鰻"
    raw = results(sent(app), [*RIGHT[:2], RIGHT[2] | {"text": text}, *RIGHT[3:]])
    raw = json.dumps(json.loads(raw), ensure_ascii=False, separators=(",", ":")).replace(" ", "\\u0020")
    for mail in (raw, f"> {raw[:70]}\n> {raw[70:]}"):
        (game,) = app.playtests.understand(mail).games
        assert game[1].replay().state.buzzes[0].answers == (text,)


def test_what_was_typed_into_an_older_page_is_not_taken_for_the_tags_of_a_mail(app):
    saved(app)
    text = "E <b>&lt; eel"
    raw = results(sent(app), [*RIGHT[:2], RIGHT[2] | {"text": text}, *RIGHT[3:]])
    (game,) = app.playtests.understand(raw).games
    assert game[1].replay().state.buzzes[0].answers == (text,)
    with pytest.raises(QuizwriterError, match="These are not results"):
        app.playtests.understand(f"<p>{html.escape(raw)}</p>")


def new_id():
    return f"{random.getrandbits(128):032x}"


def test_results_whose_spaces_a_mail_may_have_taken_are_refused(app):
    saved(app)
    raw = json.dumps(json.loads(results(sent(app))), separators=(",", ":"))  # a page of an older version
    assert app.playtests.understand(f"Dear Ada,\n\n{raw}\n\nBen").games
    broken = raw.replace(" ", "\n", 1)
    with pytest.raises(QuizwriterError, match="A mail broke the lines"):
        app.playtests.understand(f"Dear Ada,\n\n> {broken}\n")


def test_notes_have_neither_forgotten_names_nor_signs_that_nobody_sees(app):
    saved(app)
    app.playtests.keep(app.playtests.understand(results(sent(app), name="Ben Roe")))
    app.forgotten_people.forget(app.forgotten_people.plan("Ben Roe"))
    asked = [*RIGHT[:2], RIGHT[2] | {"text": "Ben \u202eRoe"}, *RIGHT[3:]]
    data = sent(app)
    saved(app, seq=2, before=EELS.text, tossup=replace(EELS, text=f"{EELS.text} More."))
    (note,) = app.playtests.understand(results(data, asked, id="cd" * 16)).notes
    assert "was edited after it was sent" in note
    assert "■■■ ■■■" in note
    assert "Roe" not in note


def test_what_follows_the_results_in_a_mail_is_left_out(app):
    saved(app)
    raw = results(sent(app))
    for rest in ("\n[see {this]}", f"\n> {raw}\n", "[" * 5_000, '\n-- \n\\ "Ben'):
        assert len(app.playtests.understand(raw + rest).games) == 1


def test_letters_that_were_lost_on_the_way_are_said(app):
    saved(app)
    raw = results(sent(app)).replace("Nice.", "Señor.")
    found = app.playtests.understand(raw.encode("latin-1"))
    assert "Se\ufffdor." in found.remarks[0][1]
    assert found.notes == (
        "Some letters were lost on the way. Each is shown as \ufffd; ask for the file instead.",
    )
    assert app.playtests.understand(raw.encode()).notes == ()


@pytest.mark.parametrize(
    "raw",
    [
        '{"kind":"","name":"' + "x\n" * 500_000 + '"}',
        '{"kind":"","name":"' + f"{'y' * 18}\n" * 52_000 + '"}',
        '{"kind":"","name":"' + "\\\\\n>" * 250_000 + '"}',
        '{"kind":' + "[" * 400_000,
        '{"kind":' + '\\"' * 400_000,
        '{"kind"' + "\n" * 900_000,
        "MIME-Version: 1.0\n" + "Content-Type: multipart/mixed; boundary=x\n\n--x\n" * 20_000,
        "MIME-Version: 1.0\n" + "Content-Type: multipart/mixed; boundary=x\n\n--x\n" * 19 + "y\n" * 400_000,
        "MIME-Version: 1.0\n" + "Content-Type: message/rfc822\n\n" * 3_000,
        "MIME-Version: 1.0\nContent-Type: message/delivery-status\n\n" + "a: b\n\n" * 170_000,
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=a\n\n" + "--a\n\nx\n" * 140_000,
        "<" * 1_000_000,
        "&" * 1_000_000,
        "=\n" * 500_000,
        "= " * 500_000,
    ],
)
def test_a_hostile_mail_is_refused_at_once(app, raw):
    def refuse():
        with pytest.raises(QuizwriterError, match=r"not results of a playtest|broke the lines"):
            app.playtests.understand(raw)

    assert processor_time.seconds(refuse, 2) <= 2


# -- the page


def test_the_page_takes_nothing_from_outside_and_is_the_same_each_time(app):
    saved(app)
    tossups = app.games.tossups_of("Spring")
    page = app.playtests.page(tossups, FORMATS["ACF"], "Spring", SENDING)
    assert page == app.playtests.page(tossups, FORMATS["ACF"], "Spring", SENDING)
    assert "default-src 'none'; script-src 'sha256-" in page
    assert not re.search(
        r"[\s.\"'](?:src|href)=|https?:|url\(|@import|innerHTML|outerHTML|insertAdjacent|document\.write|eval\(",
        page,
    )
    assert not re.search(r"^(?:import|export)\b", page, re.MULTILINE)


def test_hostile_texts_stay_data(app):
    for number in range(3 * len(HOSTILE_TEXTS)):
        hostile = HOSTILE_TEXTS[number % len(HOSTILE_TEXTS)]
        text = f"This {hostile} fish {number}. Name it."
        saved(app, f"t{number}", Tossup(text, Answer(f"eel {hostile}")))
    page = app.playtests.page(
        app.games.tossups_of("Spring"), FORMATS["ACF"], f"Spring {HOSTILE_TEXTS[0]}", SENDING
    )
    assert page.count("<script") == 2  # the data and ours
    assert page.count("</script") == 2
    assert "<!--" not in page
    assert len(data_of(page)["tossups"]) == 3 * len(HOSTILE_TEXTS)


def test_a_packet_of_twenty_is_small(app):
    draw = random.Random(3)
    words = [
        "eel",
        "carp",
        "harbour",
        "symphony",
        "glacier",
        "treaty",
        "novel",
        "enzyme",
        "painter",
        "empire",
    ]
    for number in range(20):
        text = " ".join(draw.choice(words) for _ in range(130))
        names = " or ".join(f"<u>{draw.choice(words).title()} {draw.choice(words)}</u>" for _ in range(8))
        line = (
            f"the {draw.choice(words)} <u>{draw.choice(words)}</u> [accept {names}; prompt on <u>water</u>]"
        )
        saved(app, f"t{number:02}", Tossup(f"{text}. Name it.", Answer(line)))
    page = app.playtests.page(app.games.tossups_of("Spring"), FORMATS["ACF"], "Spring", SENDING)
    assert len(page.encode()) < 300_000


@needs_node
def test_the_page_plays_by_the_same_rules():
    """300 games of moves at random: what may be, the log and the points are those of the state machine."""
    rules = {name: Rules(one, PlayedTossup.of(EELS), (Seat("Ben"),)) for name, one in FORMATS.items()}
    rng = random.Random(1)
    kinds = [one.value for one in MoveKind if one is not MoveKind.UNDO]
    likely = ["read", "buzz", "answer", "verdict", "read on", "read", "overrule", "end", "time"]
    rows, expected = [], []
    for _ in range(300):
        now, tried_moves = 0, []
        for step in range(25):
            now += rng.randrange(0, 7_000)
            kind = likely[step % 9] if rng.random() < 0.7 else rng.choice(kinds)
            word = rng.randrange(0, 15) if rng.random() < 0.3 else step
            tried_moves.append(
                {
                    "kind": kind,
                    "at_ms": now,
                    "word": word,
                    "said": rng.choice(["accept", "prompt", "reject"]),
                    "text": "a",
                }
            )
        of = rules[rng.choice(list(rules))]
        rows.append({"do": "game", "format": of.format, "tossup": of.tossup, "moves": tried_moves})
        expected.append((of, tried_moves))
    for (of, tried_moves), there in zip(expected, in_node(rows), strict=True):
        game, taken = Game(of, lambda: 0), []
        for one in tried_moves:
            try:
                game.take(msgspec.convert(one, Move))
                taken.append(True)
            except IllegalMoveError:
                taken.append(False)
        assert there["taken"] == taken
        assert (there["phase"], there["word"], there["due"]) == (
            game.state.phase,
            game.state.word,
            game.state.due_ms,
        )
        assert there["points"] == sum(game.state.points(of))
        assert [one["kind"] for one in there["log"]] == [one.kind for one in game.log]


def test_the_command_writes_a_page_and_takes_its_results(app, tmp_path, capsys, monkeypatch):
    saved(app)
    monkeypatch.setattr("quizwriter.cli.playtests.opened", lambda _: nullcontext(app))
    page, back = tmp_path / "page.html", tmp_path / "results.json"
    assert main(["playtest", "send", str(page), "--set", "Spring", "--packet", "1"]) == 0
    assert capsys.readouterr().out.startswith("1 tossup written to ")
    back.write_text(results(data_of(page.read_text(encoding="utf-8"))), encoding="utf-8")
    assert main(["playtest", "receive", str(back), "--dry-run"]) == 0
    assert app.store.review_of("a").games == ()
    assert main(["playtest", "receive", str(back), "--json"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "1 tossup played by Ben."
    assert json.loads("\n".join(said[1:]))["tossups"] == ["a"]
    assert len(app.store.review_of("a").games) == 1
    assert main(["playtest", "send", str(page)]) != 0
    assert "The set is missing." in capsys.readouterr().err
