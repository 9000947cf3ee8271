"""The server's own ranking, on an index that knows nothing of QuizWriter and on one that was published."""

import pytest
from elasticsearch import Elasticsearch
from msgspec.structs import replace

from quizwriter.domain.evidence import Method
from quizwriter.domain.guessing import Guess, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.elastic.client import Connection
from quizwriter.engine.elastic.ranking import RankingGuesser, ShareBuzzer
from quizwriter.errors import QuizwriterError

ARTICLES = {
    "Madama Butterfly": "An opera by Puccini. Pinkerton leaves a geisha in Nagasaki. Suzuki prays for her.",
    "Turandot": "An opera by Puccini. A princess in Peking asks three riddles.",
    "Nagasaki": "A city and harbor of Japan on the island of Kyushu.",
}
TEXT = "Suzuki prays in this opera, in which Pinkerton leaves Nagasaki. For 10 points, name this opera."
TOSSUP = Tossup(TEXT, Answer("Madama Butterfly", Page("Madama_Butterfly")))


@pytest.fixture(scope="module")
def wiki(elasticsearch):
    """An index of articles as somebody else would make it."""
    with Elasticsearch(elasticsearch.url, request_timeout=60) as client:
        properties = {"name": {"type": "text"}, "opening": {"type": "text"}}
        client.indices.create(index="wiki", mappings={"properties": properties})
        for number, (name, opening) in enumerate(ARTICLES.items()):
            client.index(index="wiki", id=str(number), document={"name": name, "opening": opening})
        client.indices.refresh(index="wiki")
    return elasticsearch.url


@pytest.fixture
def ranking(wiki):
    guesser = RankingGuesser(Connection(wiki, "wiki", fields=("name", "opening")), timeout_s=60)
    yield guesser
    guesser.close()


def test_the_pages_of_any_index_are_guessed_by_the_words_heard(ranking):
    play = ranking.play(TOSSUP)

    assert play.heard[-1] == len(TOSSUP.words)
    assert play.final[0].page == "Madama_Butterfly"
    assert {guess.page for guess in play.final} == {name.replace(" ", "_") for name in ARTICLES}
    assert play.ranks[-1] == 1
    assert play.knows_answer
    scores = [guess.score for guess in play.final]
    assert scores == sorted(scores, reverse=True)


def test_a_guess_is_that_of_the_words_heard_alone(ranking):
    play = ranking.play(TOSSUP)
    for heard, row in zip(play.heard, play.rows, strict=True):
        assert ranking.play(TOSSUP.heard(heard)).final == row


def test_an_answer_without_an_article_is_not_known(ranking):
    assert ranking.play(Tossup(TEXT, Answer("Tosca", Page("Tosca")))).knows_answer is False


def test_the_shares_of_the_words_add_up_to_the_score_of_the_server(ranking):
    found = ranking.explain(TOSSUP, Page("Madama_Butterfly"))

    assert found.method is Method.SHARE
    assert found.score == pytest.approx(ranking.play(TOSSUP).final[0].score, rel=1e-4)
    assert sum(cue.weight for cue in found.cues) == pytest.approx(found.score)
    cues = {cue.span.of(TEXT).strip(".,"): cue.weight for cue in found.cues}
    assert cues["Suzuki"] > cues["opera"] / 2  # which is heard twice
    assert "this" not in cues
    marked = {hit.of(passage.text) for passage in found.passages for hit in passage.hits}
    assert {"Pinkerton", "Suzuki"} <= marked


def test_a_page_that_is_not_there_has_no_evidence(ranking):
    assert ranking.explain(TOSSUP, Page("Tosca")).cues == ()


def test_what_was_published_is_ranked_by_the_words_of_its_passages(starter_there):
    guesser = RankingGuesser(Connection(starter_there.url, "starter", fields=("about", "text")), timeout_s=60)
    try:
        assert guesser.play(TOSSUP).final[0].page == "Madama_Butterfly"
        assert guesser.explain(TOSSUP, Page("Madama_Butterfly")).passages
        assert guesser.report().documents > 100
    finally:
        guesser.close()


def test_fields_that_the_index_lacks_give_no_guess_and_an_index_that_is_not_there_a_sentence(wiki):
    nothing = RankingGuesser(Connection(wiki, "wiki", fields=("no", "such")), timeout_s=60)
    assert nothing.play(TOSSUP).final == ()
    assert nothing.report().documents == 0
    nothing.close()
    missing = RankingGuesser(Connection(wiki, "missing", fields=("name", "opening")), timeout_s=60)
    with pytest.raises(QuizwriterError, match="There is no index missing"):
        missing.play(TOSSUP)
    missing.close()


def test_an_empty_draft_asks_nobody():
    guesser = RankingGuesser(Connection("http://127.0.0.1:9", "wiki", fields=("name", "opening")))
    assert guesser.play(Tossup("")) == Playthrough("elasticsearch", Tossup(""))
    guesser.close()


def test_the_buzzer_looks_at_the_lead_as_a_share_of_the_score():
    words = Tossup(" ".join(["word"] * 60))

    def chance(first, second, heard=60):
        row = (Guess(Page("A"), first), Guess(Page("B"), second))
        return ShareBuzzer().chances(Playthrough("elasticsearch", words, (heard,), (row,), (None,)))[0]

    assert chance(10, 5) == pytest.approx(chance(1_000, 500))
    assert chance(10, 9) < 0.4 < chance(10, 5) < chance(10, 2)
    assert chance(10, 5, heard=10) < chance(10, 5, heard=60)
    assert chance(0, 0) < 0.1
    silent = Playthrough("elasticsearch", words, (1, 60), ((), ()), (None, None))
    assert ShareBuzzer().chances(silent) == (0.0, 0.0)
    assert ShareBuzzer().buzz(replace(silent, chances=(0.0, 0.0))) is None
