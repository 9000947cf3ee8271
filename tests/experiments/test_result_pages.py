"""The pages of results: nothing measured is typed by hand, and a page says when it is stale."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation
from quizwriter.cli import main
from quizwriter.cli.results import _Results
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import ServerReport
from quizwriter.errors import QuizwriterError
from quizwriter.experiments import column
from quizwriter.experiments.controls import ControlCandidate
from quizwriter.experiments.registry import Experiment, Found, Series
from quizwriter.experiments.result_pages import (
    FIXED_TOSSUPS,
    PAGES,
    RECIPE,
    RECORDED_GAMES,
    BundleSources,
    ResultPage,
    ResultRun,
    RunRecord,
    filled,
    read_records,
    reasons_stale,
    recipe_digest,
    run_block,
)
from quizwriter.experiments.runner import ExperimentReport
from quizwriter.formats.game_files import read_games, text_digest
from quizwriter.services.engines import Engines
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.estimates import Estimate
from tests.helpers.challenge_desk import words

DOCS = Path(__file__).parents[2] / "docs" / "results"

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@every_page
def test_a_page_begins_with_what_was_found_and_shows_each_of_its_runs(page):
    text = (DOCS / f"{page.name}.md").read_text(encoding="utf-8")
    records = read_records(DOCS)

    assert re.search(r"\A# .+\n\n<!-- results head -->\n\*\*", text), "the finding comes first"
    for run in page.runs:
        assert f"<!-- results {run.name} -->" in text
        assert records[run.name].sentence in text
        assert f"\nquizwriter experiment {run.command} --seed 1\n" in text


@every_page
def test_no_measured_number_of_a_page_is_typed_by_hand(page):
    text = (DOCS / f"{page.name}.md").read_text(encoding="utf-8")
    by_hand = re.sub(r"<!-- results [\w-]+ -->.*?<!-- end -->", "", text, flags=re.DOTALL)

    assert not re.search(r"\d+(?:\.\d+)? %|(?<![\w.])0?\.\d{2,}|\d,\d{3}", by_hand)


@every_page
def test_no_page_shows_a_row_that_its_run_leaves_out(page):
    text = (DOCS / f"{page.name}.md").read_text(encoding="utf-8")
    for run in page.runs:
        block = text.partition(f"<!-- results {run.name} -->")[2].partition("<!-- end -->")[0]
        labels = {
            part.strip() for row in re.findall(r"^\| ([^|]*)", block, re.MULTILINE) for part in row.split(",")
        }

        assert len(labels) > 2
        assert labels.isdisjoint(run.left_out)


def test_the_recorded_games_are_on_the_adversarial_questions_and_a_control_for_each_at_most(shared_data):
    with lzma.open(shared_data / "trickme.jsonl.xz", "rt", encoding="utf-8") as file:
        asked = {text_digest(json.loads(line)["text"]) for line in file}
    games = read_games(DOCS / RECORDED_GAMES).games
    players = {player for player, _ in games}

    assert players == {"qanta-dan", "qanta-birnn"}
    for name in players:
        texts = {text for player, text in games if player == name}
        assert asked <= texts
        assert 0.9 * len(asked) < len(texts - asked) <= len(asked)


def test_every_page_in_the_folder_is_declared_and_every_plot_is_shown():
    pages = {path.stem for path in DOCS.glob("*.md")}
    shown = {
        name
        for page in DOCS.glob("*.md")
        for name in re.findall(r"\]\((\S+\.png)\)", page.read_text("utf-8"))
    }

    assert pages == {page.name for page in PAGES}
    assert {path.name for path in DOCS.glob("*.png")} == shown


def test_the_record_has_the_recipe_of_the_declared_bundle():
    records = [record for record in read_records(DOCS).values() if record.recipe]

    assert records
    assert len({record.recipe for record in records}) == 1


def test_a_run_is_stale_where_any_part_of_it_changed_and_not_by_its_time():
    was = RunRecord("people", {"a": "1"}, "", {}, "t", "Said.", "o", 3.0, "one machine", "0.1")

    assert reasons_stale(None, was) == ["it was never made"]
    assert reasons_stale(was, replace(was, seconds=9.0, machine="other", program="0.2")) == []
    assert reasons_stale(was, replace(was, outputs="p")) == ["what the program puts out changed"]
    assert reasons_stale(was, replace(was, files={"a": "2"}, table="u")) == [
        "the data changed",
        "the table changed",
    ]
    assert reasons_stale(was, replace(was, table="")) == []  # it was not made anew


def test_what_a_page_does_not_show_is_no_part_of_its_digest():
    shown = ResultRun("r", "people --players ir,dan", ("group", "right"))

    def digest(right, bpa, sentence="Said."):
        found = Found([["all", Estimate(9, right), bpa]], sentence)
        columns = (column.text("group"), column.share("right"), column.number("BPA"))
        chosen = Experiment(
            "r", "R", "", "", columns, None, frozenset(), frozenset(), (), (), lambda given: found
        )
        return shown.table_digest(ExperimentReport(chosen, found, "", 1, (), {}, ()))

    assert digest(0.5, 1.0) == digest(0.5, 2.0)
    assert len({digest(0.5, 1.0), digest(0.6, 1.0), digest(0.5, 1.0, "Else.")}) == 3
    assert shown.players == ("ir", "dan")


def test_a_row_is_left_out_by_a_label_that_the_page_shows():
    run = ResultRun("r", "retrain", ("learned", "right"), left_out=("40 %",))
    rows = [["ir", share, Estimate(9, 0.5)] for share in ("20 %", "40 %")]
    columns = (column.text("player"), column.text("learned"), column.share("right"))
    found = Found(rows, "Said.")
    chosen = Experiment(
        "r", "R", "", "", columns, None, frozenset(), frozenset(), (), (), lambda given: found
    )

    block = run_block(run, ExperimentReport(chosen, found, "", 1, (), {}, ()))

    assert "| 20 % |" in block
    assert "| 40 % |" not in block


def test_only_the_named_blocks_of_a_page_are_written():
    page = "# T\n\n<!-- results head -->\nold\n<!-- end -->\n\nBy hand.\n\n<!-- results a -->\n<!-- end -->\n"

    assert filled(page, {"a": "new | text"}) == page.replace(
        "<!-- results a -->\n", "<!-- results a -->\nnew | text\n"
    )
    with pytest.raises(QuizwriterError, match="no place for b"):
        filled(page, {"b": ""})


def test_the_recipe_of_a_bundle_is_told_by_the_digests_of_its_files():
    digests = {name: name for names in RECIPE.values() for name in names}

    assert recipe_digest(digests) != recipe_digest({**digests, "trickme.jsonl.xz": "changed"})
    assert BundleSources().digests == {}


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Runs the command on one page about three recorded tossups; the data are beside it."""
    runs = (ResultRun("people", "people --buzzes buzzes.jsonl.xz", ("group", "right", "conversion"), 0.1),)
    monkeypatch.setattr("quizwriter.experiments.result_pages.PAGES", (ResultPage("people", runs),))
    docs, data = tmp_path / "docs", tmp_path / "data"
    docs.mkdir()
    data.mkdir()
    page = "# People\n\n<!-- results head -->\n<!-- end -->\n\n<!-- results people -->\n<!-- end -->\n"
    (docs / "people.md").write_text(page, encoding="utf-8")
    (docs / FIXED_TOSSUPS).write_text("bq-1\nbq-2\n", encoding="utf-8")
    tossups = [{"bq": f"bq-{number}", "text": "one two three four", "answer": "x"} for number in range(3)]
    pack(data / "buzz_tossups.jsonl.xz", tossups)
    write_buzzes(data, right=9)

    def results(*arguments):
        return main(["results", "--docs", str(docs), "--data", str(data), *arguments])

    return results, docs, data


def read_examples():
    lines = (resources_folder() / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def pack(path, rows):
    path.write_bytes(lzma.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode()))


def write_buzzes(data, right):
    rows = [
        {
            "bq": f"bq-{number % 3}", "set": "s", "round": "1", "game": f"g{number}", "player": f"p{number}",
            "team": f"t{number % 4}", "pos": 3, "n_words": 4, "value": 10 * (number < right),
            "correct": number < right,
        }
        for number in range(12)
    ]  # fmt: skip
    pack(data / "buzzes.jsonl.xz", rows)


def test_a_page_is_made_and_fresh_until_its_data_change_and_then_its_head_says_so(results, capsys):
    results, docs, data = results

    assert results() == 0
    made = (docs / "people.md").read_text(encoding="utf-8")
    assert "**People are right in 75.0 % of 12 buzzes" in made
    assert "| right | 0.750 " in made or "| all | 0.750 " in made
    assert "Fresh. Made of `buzzes.jsonl.xz` " in made
    assert b"rooms answered" in (docs / "people.png").read_bytes()

    capsys.readouterr()
    assert results("--check") == 0
    assert capsys.readouterr().out == "people: fresh.\n0 of 1 page are stale.\n"
    assert (docs / "people.md").read_text(encoding="utf-8") == made

    write_buzzes(data, right=6)
    assert results("--check") == 0
    assert (
        "people: stale (people: the data changed, what the program puts out changed, the table changed)"
        in (capsys.readouterr().out)
    )
    assert "**Stale** (people: the data changed, " in (docs / "people.md").read_text(encoding="utf-8")


def test_only_stale_runs_are_made_if_these_are_asked_for(results, capsys):
    results, docs, data = results

    assert results("--stale") == 0
    made = read_records(docs)["people"]
    assert "made in" in capsys.readouterr().out
    assert results("--stale") == 0
    assert read_records(docs)["people"] == made, "its time, too"
    assert "Fresh." in (docs / "people.md").read_text(encoding="utf-8")
    write_buzzes(data, right=6)
    assert results("--stale") == 0
    assert read_records(docs)["people"].table != made.table


def outputs_of(run, docs, data, home):
    home.mkdir()
    return _Results(docs, data, None, home, Cancellation())._outputs(run)


def test_the_outputs_of_a_run_with_a_control_change_with_the_draw_of_the_control(
    results, tmp_path, monkeypatch
):
    _, docs, data = results
    clue = "Banquo, three witches, and Birnam Wood at Dunsinane are in this play."
    texts = {"bq-1": words(1, 24), "bq-2": f"{words(2, 11)}. {clue}", "bq-3": words(3, 90)}
    pack(data / "buzz_tossups.jsonl.xz", [{"bq": bq, "text": texts[bq], "answer": "Macbeth"} for bq in texts])
    (docs / FIXED_TOSSUPS).write_text("\n".join(texts), encoding="utf-8")
    monkeypatch.setattr("quizwriter.cli.results._FIXED", 1)
    run = ResultRun(
        "curves",
        "curves --questions buzz_tossups.jsonl.xz --against held-back --players ir",
        ("player", "set", "right after 100 %"),
        labels=2,
    )

    def outputs(name):
        return outputs_of(run, docs, data, tmp_path / name)

    found = outputs("one")
    assert outputs("two") == found
    nearest = ControlCandidate.distance
    monkeypatch.setattr(ControlCandidate, "distance", lambda self, other: -nearest(self, other))
    assert outputs("three") != found


def test_what_the_plot_of_a_run_draws_is_a_part_of_its_outputs():
    shown = ResultRun("r", "people", ("group",))

    def outputs(*up):
        found = Found([["all"]], "Said.", [Series("IR", [1.0, 2.0], up)])
        chosen = Experiment(
            "r", "R", "", "", (column.text("group"),), None, frozenset(), frozenset(), (), (), lambda _: found
        )
        return shown.outputs(ExperimentReport(chosen, found, "", 1, (), {}, ()))

    assert outputs(0.5, 0.25) == outputs(0.5, 0.250001)
    assert outputs(0.5, 0.25) != outputs(0.5, 0.26)


CHANGES = [
    ("adversarial", "quizwriter.experiments.adversarial.SHARES", (25, 50, 75, 90)),
    ("adversarial", "quizwriter.experiments.adversarial._right", lambda games: np.ones((len(games), 4))),
    ("adversarial", "quizwriter.experiments.adversarial._is_shown", lambda cell: False),
    ("adversarial", "quizwriter.store.plays.PlaySummary.right_after", lambda *_: True),
    ("beaten", "quizwriter.services.beat_goal.WINS_FROM", 1.1),
    ("beaten", "quizwriter.judging.may_be_right", lambda answer, guess: False),
    ("beaten", "quizwriter.experiments.beaten.share_of", lambda right, number: Estimate(number, 0.5)),
    ("points", "quizwriter.engine.elastic.game.TITLE_POINTS", 0.5),
    ("points", "quizwriter.engine.elastic.game.PAGES_PER_QUERY", 61),
    ("points", "quizwriter.engine.elastic.game.ServerGame._add_ranked", lambda *_: None),
    ("ranking", "quizwriter.engine.elastic.ranking.HITS_PER_QUERY", 61),
    ("ranking", "quizwriter.engine.elastic.ranking.RankingGuesser._pages", lambda *_: {}),
    ("retrain", "quizwriter.experiments.retraining._right", lambda game: False),
    ("seeds", "quizwriter.experiments.training_plans._right", lambda answers, known: [1.0] * len(known)),
    ("seeds", "quizwriter.experiments.training_plans.share_of", lambda hits, number: Estimate(number, 0.5)),
    ("seeds", "quizwriter.experiments.training_plans._known", lambda given, ground, answers: [0, 1, 2]),
]
"""For each run, what somebody may change of how it counts."""

_MADE = "--questions buzz_tossups.jsonl.xz --players ir"
_ASKS = f"{_MADE},elasticsearch --elasticsearch http://127.0.0.1:9200"
COUNTING = (
    ResultRun(
        "adversarial", f"adversarial {_MADE} --against held-back",
        ("player", "of", "right after 100 %"), small=False, made=True,
    ),
    ResultRun(
        "beaten", f"beaten {_MADE}",
        ("player", "beaten by the page", "beaten by F1"), small=False, made=True, judged=True,
    ),
    ResultRun("points", f"adversarial {_ASKS}", ("player",), small=False),
    ResultRun("ranking", f"adversarial {_ASKS} --fields about,text", ("player",), small=False),
    ResultRun("retrain", f"retrain {_MADE} --plan kfold", ("learned", "right in the end"), fixed="--folds 2"),
    ResultRun(
        "seeds", "retrain --questions buzz_tossups.jsonl.xz --plan seeds",
        ("learned", "right in the end", "stumped"), trains=True,
    ),
)  # fmt: skip


def test_every_change_of_how_a_page_counts_changes_its_outputs(results, tmp_path, monkeypatch):
    _, docs, data = results
    shown = read_examples()
    names = [f"bq-{at}" for at in range(len(shown))]
    pack(data / "buzz_tossups.jsonl.xz", [{**row, "bq": bq} for row, bq in zip(shown, names, strict=True)])
    (docs / FIXED_TOSSUPS).write_text("\n".join(names), encoding="utf-8")
    cases = [("accept", "Scottish Play"), ("prompt", "play"), ("reject", "Hamlet")]
    line = "Macbeth [accept the Scottish Play; prompt on play]"
    (data / "answer_check_tests.jsonl").write_text(
        "".join(f"{json.dumps({'answerline': line, 'given': given})}\n" for _, given in cases),
        encoding="utf-8",
    )
    monkeypatch.setattr("quizwriter.cli.results._FIXED", len(names) // 2)
    monkeypatch.setattr("quizwriter.experiments.adversarial.FEWEST", 2)
    monkeypatch.setattr(
        "quizwriter.experiments.inputs.ExperimentInputs.unread", lambda _, questions: questions
    )
    made = _Results(docs, data, None, tmp_path, Cancellation())
    before = {run.name: made._outputs(run) for run in COUNTING}
    assert {run.name: made._outputs(run) for run in COUNTING} == before

    unseen = []
    for name, changed, becomes in CHANGES:
        with monkeypatch.context() as patched:
            patched.setattr(changed, becomes)
            run = next(one for one in COUNTING if one.name == name)
            made.__dict__.pop("_verdicts", None)
            if made._outputs(run) == before[name]:
                unseen.append(changed)
    assert unseen == []


def test_a_run_that_asks_a_server_is_made_only_if_that_is_asked_for(results, monkeypatch, capsys):
    results, docs, data = results
    for name in {name for names in RECIPE.values() for name in names}:
        (data / name).touch()
    command = "curves --questions held-back --players elasticsearch --elasticsearch http://server"
    runs = (ResultRun("people", command, ("player",), small=False),)
    monkeypatch.setattr("quizwriter.experiments.result_pages.PAGES", (ResultPage("people", runs),))
    monkeypatch.setattr(_Results, "_games", {})
    monkeypatch.setattr(_Results, "_asked_of_server", lambda self, fields: iter(()))

    assert results() == 0
    assert "**Stale** (people: it was never made)" in (docs / "people.md").read_text(encoding="utf-8")
    assert results("--with-server") == 1
    assert "These pages need a bundle." in capsys.readouterr().err


def test_a_server_that_holds_another_bundle_makes_no_page(results, tmp_path, monkeypatch, bare_forest):
    _, docs, data = results
    held = "another"
    probed = []

    def probe(engines, server, secret=""):
        probed.append(server.fields)
        return ServerReport("8.19.0", "quizwriter-1", 3, 1.0, held)

    monkeypatch.setattr(Engines, "probe_server", probe)
    monkeypatch.setattr("quizwriter.experiments.runner.run", lambda name, given: name)
    made = _Results(docs, data, None, tmp_path, Cancellation())
    command = "adversarial --players ir --elasticsearch http://127.0.0.1:9200 --fields about,text"

    with pytest.raises(QuizwriterError, match="quizwriter-1 does not hold the bundle") as refusal:
        made._report(command, bare_forest)
    assert "index_builder publish --bundle" in refusal.value.remedy
    held = Bundle.open(bare_forest).digest
    assert made._report(command, bare_forest) == "adversarial"
    assert probed == ["about,text", "about,text"]


def test_the_outputs_of_a_server_that_ranks_are_what_it_is_asked(results, tmp_path, monkeypatch):
    _, docs, data = results
    tossup = {"bq": "bq-1", "text": words(1, 24), "answer": "Macbeth"}
    pack(data / "buzz_tossups.jsonl.xz", [tossup])

    def outputs(name, *more):
        home = tmp_path / name
        home.mkdir()
        command = f"adversarial --players elasticsearch --elasticsearch http://server {' '.join(more)}"
        run = ResultRun("server", command, ("player",), small=False)
        return _Results(docs, data, None, home, Cancellation())._outputs(run)

    monkeypatch.setattr(_Results, "_games", {})
    found = outputs("one", "--fields", "about,text")
    assert outputs("two", "--fields", "about,text") == found
    assert outputs("three") != found
    monkeypatch.setattr("quizwriter.engine.elastic.ranking.HITS_PER_QUERY", 61)
    assert outputs("four", "--fields", "about,text") != found


def test_a_shared_file_that_is_missing_is_one_sentence(results, monkeypatch, capsys):
    results, _, data = results
    (data / "buzz_tossups.jsonl.xz").unlink()
    assert results("--check") == 1
    assert f"There is no file buzz_tossups.jsonl.xz in {data}." in capsys.readouterr().err
    made = _Results(data, data, None, data, Cancellation())
    with pytest.raises(QuizwriterError, match=r"no file answer_check_tests\.jsonl in") as refusal:
        _ = made._verdicts
    assert "--data" in refusal.value.remedy


def test_folders_without_pages_or_without_a_bundle_are_one_sentence(results, tmp_path, capsys):
    _, _, data = results
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    assert main(["results", "--docs", str(elsewhere), "--data", str(data), "--check"]) == 1
    assert f"{elsewhere / FIXED_TOSSUPS} cannot be read" in capsys.readouterr().err
    with pytest.raises(QuizwriterError, match=r"manifest\.json cannot be read"):
        _ = _Results(data, data, elsewhere, data, Cancellation())._built


def test_a_page_that_is_not_declared_is_refused(results, capsys):
    results, _, _ = results

    assert results("nobody") == 1
    assert "There is no page of results called nobody." in capsys.readouterr().err


def test_out_writes_a_readme_of_all_reports_in_the_folder_and_a_citation(results, tmp_path):
    _, _, data = results
    for by in ("team", "set"):
        words = ["experiment", "people", "--buzzes", str(data / "buzzes.jsonl.xz"), "--by", by]
        assert main([*words, "--out", str(tmp_path / "out" / by)]) == 0
    folder = tmp_path / "out" / "set"
    assert main(["experiment", "published", "--out", str(folder)]) == 0

    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "\n## people\n" in readme
    assert "\n## published\n" in readme
    assert "\nquizwriter experiment people --buzzes buzzes.jsonl.xz --by set --seed 1\n" in readme
    assert "Files: published.csv, published.json." in readme
    assert "title: QuizWriter\n" in (folder / "CITATION.cff").read_text(encoding="utf-8")
