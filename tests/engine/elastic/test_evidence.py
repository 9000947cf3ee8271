"""The evidence of the player on Elasticsearch, against real servers of version 8 and 9."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Tossup
from tests.helpers.strategies import tossups

pytestmark = pytest.mark.logs("has failed for|marked alive|Retrying request", always=False)
"""The client logs each node that does not answer, and each that answers again."""

laws = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)


@laws
@given(tossup=tossups)
def test_cues_add_up_to_the_score_they_explain(player, tossup):
    for guess in player.play(tossup).final[:2]:
        evidence = player.explain(tossup, guess.page)

        assert evidence.score == pytest.approx(guess.score, rel=1e-5, abs=1e-5)
        assert sum(cue.weight for cue in evidence.cues) == pytest.approx(guess.score, rel=1e-5, abs=1e-5)


def test_a_title_read_aloud_speaks_against_its_page(player):
    tossup = Tossup("Pinkerton and this opera Madama Butterfly")

    (cue,) = [c for c in player.explain(tossup, Page("Madama_Butterfly")).cues if c.weight < 0]

    assert cue.span.of(tossup.text) == "Butterfly"
    assert player.play(tossup).final[0].page != "Madama_Butterfly"


def test_a_page_that_the_index_does_not_know_has_no_evidence(player):
    assert player.explain(Tossup("Pinkerton sings."), Page("Nobody_at_all")) == Evidence(
        "elasticsearch", Page("Nobody_at_all")
    )


def test_the_same_passages_are_chosen_and_the_same_words_marked(real, real_there):
    _, engine, asked = real
    same = passages = marked = marks = 0
    for tossup in asked[:10]:
        page = engine.retrieval.play(tossup).final[0].page
        ours = engine.retrieval.explain(tossup, page)
        theirs = real_there.explain(tossup, page)
        assert [cue.span for cue in theirs.cues] == [cue.span for cue in ours.cues]
        assert [cue.weight for cue in theirs.cues] == pytest.approx(
            [cue.weight for cue in ours.cues], rel=1e-2, abs=1e-2
        )
        by_text = {(passage.sentence, passage.text): passage for passage in theirs.passages}
        for passage in ours.passages:
            passages += 1
            twin = by_text.get((passage.sentence, passage.text))
            if twin is not None:
                same += 1
                assert twin.source == passage.source
                marked += len(set(twin.hits) & set(passage.hits))
                marks += len(set(twin.hits) | set(passage.hits))

    assert passages > 20
    assert same / passages > 0.9
    assert marked / marks > 0.9
