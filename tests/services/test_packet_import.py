"""A packet that was exported and imported again is printed as it was, with styles, tag and origin."""

import json

import pytest
from msgspec.structs import replace

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.formats.packet_files import packet_modaq, write_word
from quizwriter.formats.printed_packet import PrintedPacket, packet_text, printed_tossup
from quizwriter.services.transfer import left_out_lines
from quizwriter.services.wiring import App
from tests.formats.test_printed_packet import spans_of

ADA = "Ada Example"
STOVE = (
    'A made-up novel, The Stove, has a cat called Anouk ("ah-NOOK") who counts 10 flies (*) above H2O & tea '
    "< 5. For 10 points, name this animal that purrs."
)
CAT = "cat [accept kitten or Felis; prompt on animal by asking “which?”; or C5+]"
TRAINS = "This other animal of a second made-up story barks at trains. For 10 points, name it."
DOG = "dog [accept hound]"


FIRST = {
    "styles": spans_of(STOVE, italic="The Stove", subscript="2O", bold_underline="purrs"),
    "answer_styles": spans_of(CAT, bold_underline="cat", underline="animal", italic="Felis", superscript="+"),
    "category": ("Literature", "American Literature"),
}
SECOND = {"based_on": "2011 Winter Open of a made-up tournament, vol. 2, tossup 4"}


def printed(stored=None):
    if stored is None:
        return PrintedPacket(
            "",
            (
                printed_tossup(Tossup(STOVE, Answer(CAT)), number=1, author=ADA, **FIRST),
                printed_tossup(Tossup(TRAINS, Answer(DOG)), number=2, author="Bo", **SECOND),
            ),
        )
    return PrintedPacket(
        "",
        tuple(
            printed_tossup(
                one.tossup,
                number=number,
                styles=one.styles,
                answer_styles=one.answer_styles,
                author=name,
                category=review.category,
                based_on=review.based_on.body.source if review.based_on else "",
            )
            for number, (one, review, name) in enumerate(stored, start=1)
        ),
    )


def word_file(path):
    with path.open("w+b") as file:
        write_word(printed(), file)


def modaq_file(path):
    path.write_text(json.dumps(packet_modaq(printed())), encoding="utf-8")


@pytest.fixture
def app(tmp_path):
    app = App(tmp_path / "home")
    app.profile.save_settings(replace(app.profile.settings, profile_id="bo", profile_name="Bo"))
    yield app
    app.store.close()


@pytest.mark.parametrize(("name", "write"), [("packet.docx", word_file), ("packet.json", modaq_file)])
def test_a_packet_comes_back_as_it_was(app, tmp_path, name, write):
    path = tmp_path / name
    write(path)

    report = app.transfer.import_files([path])

    assert (len(report.added), report.reports[0].rejected) == (2, {})
    people = app.store.people()
    found = []
    for key in report.added:
        review = app.store.review_of(key)
        writer = people[review.writer].name if review.writer in people else ""
        found.append((app.store.load(key), review, writer))
    found.sort(key=lambda one: one[0].tossup.text)
    assert [one.tossup.text for one, _, _ in found] == [STOVE, TRAINS]
    assert found[0][0].styles == FIRST["styles"]
    assert found[0][0].answer_styles == FIRST["answer_styles"]
    assert found[0][0].tossup.power == Tossup(STOVE).power
    assert printed(found) == printed()


def test_a_plain_text_keeps_its_signs_as_styles(app, tmp_path):
    path = tmp_path / "packet.txt"
    path.write_text(
        f"1. {STOVE.replace('The Stove', '~The Stove~')}\nANSWER: _cat_ [accept ~Felis~]\n", encoding="utf-8"
    )

    (key,) = app.transfer.import_files([path]).added

    stored = app.store.load(key)
    assert (stored.tossup.text, stored.tossup.answer.line) == (STOVE, "cat [accept Felis]")
    assert stored.styles == spans_of(STOVE, italic="The Stove")
    assert stored.answer_styles == spans_of("cat [accept Felis]", underline="cat", italic="Felis")


def test_a_preview_shows_a_packet_of_modaq_and_adds_nothing(app, tmp_path):
    modaq_file(tmp_path / "packet.json")

    preview = app.transfer.preview_import([tmp_path / "packet.json"])

    assert [row.answer_line for row in preview.drafts] == [CAT, DOG]
    assert list(app.store.release_states()) == []


def test_a_preview_keeps_the_order_of_the_packet_and_quotes_what_is_no_question(app, tmp_path):
    path = tmp_path / "packet.txt"
    head = "Read all of them slowly and wait for five seconds\nbefore each, as the clubs of the north do"
    path.write_text(
        f"{head}\n\n1. {STOVE}\nANSWER: _yak_\n\n2. {STOVE} Again.\nANSWER: _ant_\n", encoding="utf-8"
    )

    preview = app.transfer.preview_import([path])

    assert [row.answer_line for row in preview.drafts] == ["yak", "ant"]
    (said,) = left_out_lines(preview.reports)
    assert said.endswith(
        "1 part left out: text without an answer line. It begins “Read all of them slowly and wait for”."
    )
    app.transfer.import_files([path])
    again = app.transfer.preview_import([path])
    assert (again.drafts, again.known) == ((), 2)


def test_what_was_imported_is_listed_as_if_one_had_written_it_in_the_order_of_the_packet(app, tmp_path):
    path = tmp_path / "packet.txt"
    path.write_text(
        "\n\n".join(
            f"{number}. This made-up king number {number} kept eels in {number + 7} mills. For 10 points, "
            f"name this king.\nANSWER: Eelking {number}"
            for number in range(1, 31)
        ),
        encoding="utf-8",
    )
    app.transfer.import_files([path], set_name="Spring")
    listed = [one.answer_line for one in app.tossups.summaries()]
    assert listed == [f"Eelking {number}" for number in range(30, 0, -1)]


@pytest.fixture
def packet(tmp_path):
    """A function that writes a packet with a question about each of some eels."""

    def packet(name, *eels):
        path = tmp_path / name
        texts = [
            f"{number}. This king kept {eel} eels in a mill. For 10 points, name this king.\nANSWER: {eel}"
            for number, eel in enumerate(eels, start=1)
        ]
        path.write_text("\n\n".join(texts), encoding="utf-8")
        return path

    return packet


def test_a_packet_under_another_name_adds_only_what_is_new_in_it(app, packet):
    app.transfer.import_files([packet("Spring 3.txt", "green", "brown", "white")])
    session = app.tossups.session(app.tossups.summaries()[0].tossup_id)
    session.type("Another text. For 10 points, name this king.")
    app.store.save(session.take_unsaved())
    path = packet("Spring 3 final.txt", "black", "green", "brown", "white")

    preview = app.transfer.preview_import([path])
    assert [row.answer_line for row in preview.drafts] == ["black"]
    assert preview.known == 3
    report = app.transfer.import_files([path])
    assert report.sentence() == "1 draft added; 3 were here already."
    assert len(app.tossups.summaries()) == 4
    assert app.transfer.preview_import([path]).drafts == ()


def test_two_packets_of_one_import_share_their_questions(app, packet):
    paths = [packet("round 1.txt", "green", "brown"), packet("round 1 (old).txt", "white", "green", "brown")]

    preview = app.transfer.preview_import(paths)
    assert (len(preview.drafts), preview.known) == (3, 2)
    assert app.transfer.import_files(paths).sentence() == "3 drafts added; 2 were here already."


def test_a_text_that_a_packet_has_twice_is_two_drafts_under_every_name(app, packet):
    for name, added in (("a.txt", 2), ("b.txt", 0), ("b.txt", 0), ("a.txt", 0)):
        assert len(app.transfer.import_files([packet(name, "green", "green")]).added) == added


def test_the_plain_text_of_a_packet_keeps_where_its_questions_come_from(app, tmp_path):
    path = tmp_path / "packet.txt"
    path.write_text(packet_text(printed()), encoding="utf-8")

    report = app.transfer.import_files([path])

    based_on = {app.store.review_of(key).based_on for key in report.added} - {None}
    assert [one.body.source for one in based_on] == [SECOND["based_on"]]
    assert {app.store.load(key).tossup.answer.line for key in report.added} == {CAT, DOG}


def test_the_rules_see_the_required_words_of_a_word_file(app, tmp_path):
    word_file(tmp_path / "packet.docx")

    first, second = app.problems.tossups_in(tmp_path / "packet.docx")

    assert first.answer.line.startswith(
        "<b><u>cat</u></b> [accept kitten or <i>Felis</i>; prompt on <u>animal"
    )
    assert second.answer.line == DOG


@pytest.mark.parametrize("name", ["round.qbj", "round.json"])
@pytest.mark.parametrize(
    "held",
    [
        {"tossups_read": 20, "match_questions": []},
        {
            "version": "2.1.1",
            "objects": [{"type": "Packet", "questions": [{"text": "A river.", "answer": "Elm"}]}],
        },
    ],
)
def test_of_qbj_no_drafts_are_made_and_one_sentence_says_so(app, tmp_path, name, held):
    path = tmp_path / name
    path.write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(QuizwriterError, match="is QBJ, of which no drafts are made") as raised:
        app.transfer.preview_import([path])
    assert "people's buzzes" in raised.value.remedy


def test_an_answer_may_be_objects(app, tmp_path):
    path = tmp_path / "one.jsonl"
    text = "These made-up things kept eels in a mill. For 10 points, name these things."
    path.write_text(json.dumps({"answer": "objects", "text": text}), encoding="utf-8")
    assert [row.answer_line for row in app.transfer.preview_import([path]).drafts] == ["objects"]
