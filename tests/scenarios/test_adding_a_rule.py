"""A rule that only this file knows is everywhere where rules are: it is declared once."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from quizwriter.challenge.layout import write_manifest
from quizwriter.challenge.verify import verify
from quizwriter.cli import command_parser, main
from quizwriter.domain.review import Status
from quizwriter.domain.style_sheet import STANDARD_STYLE
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.gui.dialogs.set_style import StyleSheetDialog
from quizwriter.gui.review.status_dialog import StatusDialog
from quizwriter.gui.theme import Theme
from quizwriter.services.review import PlannedStatus
from quizwriter.workflow.checks import check, checks_version
from quizwriter.workflow.problems.rule import Finding, HoldsBack, Inspection, Rule, RuleNeed, found_by
from quizwriter.workflow.problems.rules import RULES, find_problems
from tests.helpers.challenge_desk import Desk

ROOT = Path(__file__).parents[2]


def eels(inspection):

    for span, word in found_by(re.compile("eels?"), inspection.text):
        yield Finding(span, f"It names {word}.")


@pytest.fixture
def rule(monkeypatch):
    made = Rule(
        "eels", "Slippery animals", eels, "This king sold eels.", "This king sold cod.",
        holds_back=HoldsBack("the text has no eel", "No eel is in the text."),
    )  # fmt: skip
    monkeypatch.setitem(RULES, made.name, made)
    return made


TOSSUP = Tossup("This king sold eels. For 10 points, name this king.", Answer("Knut"))


def test_it_finds_problems_in_the_command(rule, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    assert "eels" in {one.rule for one in find_problems(Inspection(TOSSUP))}
    draft = tmp_path / "draft.txt"
    draft.write_text(TOSSUP.text, encoding="utf-8")
    main(["problems", str(draft)])
    assert "Slippery animals: It names eels." in capsys.readouterr().out


def test_it_holds_a_tossup_back_after_the_other_checks_and_can_be_overridden(rule):
    assert check(TOSSUP)[-1].finding == "It names eels."
    assert check(Tossup("This king sold cod."))[-1].finding == "No eel is in the text."
    assert check(TOSSUP, dismissed=lambda problem: problem.rule == "eels")[-1].passed
    status = command_parser().parse_args(["status", "a", "--set", "ready", "--override", "eels=A pun."])
    assert status.override == [("eels", "A pun.")]


def test_a_check_that_lacks_its_need_does_not_pass(rule, monkeypatch):
    needy = Rule(rule.name, rule.title, eels, holds_back=rule.holds_back, needs=(RuleNeed.PAST,))
    monkeypatch.setitem(RULES, "eels", needy)
    assert check(Tossup("This king sold cod."))[-1].finding == RuleNeed.PAST.missing


def test_the_style_sheet_and_the_status_dialog_show_it(rule, qtbot, qapp):
    theme = Theme(QApplication.instance(), scheme="light", draft_font="", draft_size_px=16)
    sheet = StyleSheetDialog(theme, "Spring", STANDARD_STYLE)
    status = StatusDialog(theme, Status.READY, {"a": "Knut"}, explain=False)
    for dialog in (sheet, status):
        qtbot.addWidget(dialog)
    assert sheet.rules.topLevelItem(len(RULES) - 1).text(0) == "Slippery animals"
    status.show_plan({"a": PlannedStatus(Status.DRAFT, (Status.READY,), "", check(TOSSUP))})
    shown = {
        child.accessibleName() for child in status.findChildren(object) if hasattr(child, "accessibleName")
    }
    assert "Slippery animals: reason for overriding" in shown


def test_findings_that_were_kept_without_it_are_not_used_again(rule, monkeypatch):
    with_it = checks_version()
    monkeypatch.delitem(RULES, rule.name)
    assert checks_version() != with_it


def test_a_challenge_set_lists_it_and_its_verification_repeats_it(rule, starter, tmp_path):
    desk, out = Desk(tmp_path / "home", starter), tmp_path / "out"
    desk.write("a", "This king sold eels. " + "They were long. " * 20)
    desk.export(out)
    sound = verify(desk.app, out).problems
    questions = out / "questions.json"
    whole = json.loads(questions.read_text(encoding="utf-8"))
    (made,) = [one for one in whole["quizwriter"][0]["checks"] if one["check"] == "eels"]
    assert (made["passed"], sound) == (False, [])

    made["passed"] = True
    questions.write_text(json.dumps(whole), encoding="utf-8")
    manifest = json.loads((out / "MANIFEST.json").read_text(encoding="utf-8"))
    del manifest["files"]
    write_manifest(out, manifest)
    assert any(
        "the check “eels” comes out the other way" in str(one) for one in verify(desk.app, out).problems
    )
    desk.app.store.close()


def test_the_guide_for_editors_lists_it(rule):
    pytest.importorskip("sphinx")
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs/extensions/tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    assert "Slippery animals" in tables.Rules.run(None)[0].astext()
    assert "the text has no eel" in tables.Checks.run(None)[0].astext()
