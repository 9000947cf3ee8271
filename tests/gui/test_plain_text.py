"""A text from a file or from another person is shown as it is, wherever it is shown, and opens nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QUrl
from PySide6.QtGui import Qt, QTextDocument
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QLineEdit, QTextEdit, QWidget

import quizwriter
from quizwriter.gui.widgets.labels import ElidedLabel, RichPane, plain_label, plain_tooltip, rich_label
from tests.helpers.syntax_trees import syntax_tree

GUI = Path(quizwriter.__file__).parent / "gui"
OWN = GUI / "widgets" / "labels.py"
RICH_MAKERS = {"QLabel", "QTextBrowser", "QTextDocument"}
RICH_METHODS = {"setHtml", "insertHtml", "appendHtml", "setMarkdown", "setTextFormat", "setDefaultStyleSheet"}
TIPS = {"setToolTip", "setStatusTip", "setWhatsThis"}
EVIL = '<img src="/dev/zero"><b>bold</b> &lt;i&gt; '


def rich_texts(tree: ast.Module) -> list[str]:
    """The places in a module at which a text may be taken for HTML."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
            if bases & RICH_MAKERS:
                found.append(f"{node.lineno}: class {node.name}")
        if isinstance(node, ast.FunctionDef) and _is_data(node):
            found += [f"{line}: a tooltip of an item" for line in _unsafe_tips(node)]
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        of_tooltip = isinstance(owner, ast.Name) and owner.id == "QToolTip"
        of_message = isinstance(owner, ast.Name) and owner.id == "QMessageBox"
        if name in RICH_MAKERS or of_message:
            found.append(f"{node.lineno}: {name}(")
        elif name in RICH_METHODS and not _says_plain(node):
            found.append(f"{node.lineno}: .{name}(")
        elif (name in TIPS and not _is_own(node.args[-1])) or (
            of_tooltip and name == "showText" and not _is_own(node.args[1])
        ):
            found.append(f"{node.lineno}: .{name}( of a text that is not in the program")
    return found


def _is_data(node: ast.FunctionDef) -> bool:
    return node.name in {"data", "headerData"}


def _unsafe_tips(node: ast.FunctionDef) -> list[int]:
    """The lines of ``node`` that return a tooltip of an item as it is."""
    return [
        statement.lineno
        for test in ast.walk(node)
        if isinstance(test, ast.If) and "ToolTipRole" in ast.unparse(test.test)
        for statement in test.body
        if isinstance(statement, ast.Return) and statement.value is not None and not _is_own(statement.value)
    ]


def _is_own(text: ast.expr) -> bool:
    """Whether ``text`` is in the program, or made plain."""
    if isinstance(text, ast.IfExp):
        return _is_own(text.body) and _is_own(text.orelse)
    made_plain = isinstance(text, ast.Call) and getattr(text.func, "id", "") == "plain_tooltip"
    return made_plain or isinstance(text, ast.Constant)


def _says_plain(node: ast.Call) -> bool:
    return bool(node.args) and "PlainText" in ast.unparse(node.args[0])


def test_only_one_module_makes_labels_and_rich_texts():
    files = [path for path in sorted(GUI.rglob("*.py")) if path != OWN]
    found = [
        f"{path.relative_to(GUI.parent)}:{place}" for path in files for place in rich_texts(syntax_tree(path))
    ]

    assert len(files) > 60
    assert found == [], "use plain_label, plain_tooltip, rich_label or RichPane of gui/widgets/labels.py"


@pytest.mark.parametrize(
    "source",
    [
        "QLabel(text)",
        "class A(QTextBrowser): pass",
        "pane.setHtml(text)",
        "label.setTextFormat(Qt.TextFormat.RichText)",
        "item.setToolTip(0, text)",
        "button.setToolTip(f'{name} does it')",
        "QToolTip.showText(place, text, self)",
        "QMessageBox.critical(None, 'Title', str(trouble))",
        "def data(self, index, role):\n    if role == Qt.ItemDataRole.ToolTipRole:\n        return row.text",
    ],
)
def test_each_way_to_show_a_rich_text_is_found(source):
    assert len(rich_texts(ast.parse(source))) == 1


@pytest.mark.parametrize(
    "text", [EVIL, "<b>", "a < b & c", "&lt;b&gt;", "line\n<b>x</b>", "<?xml version='1.0'?>"]
)
def test_a_tooltip_shows_any_text_as_it_is(text):
    document = QTextDocument()
    shown = plain_tooltip(text)
    if Qt.mightBeRichText(shown):
        document.setHtml(shown)
        assert document.toPlainText() == text
    else:
        assert shown == text


def test_a_pane_of_our_own_html_reads_no_file(qtbot, tmp_path):
    (tmp_path / "secret.html").write_text("secret")
    pane = RichPane()
    qtbot.addWidget(pane)
    address = QUrl.fromLocalFile(str(tmp_path / "secret.html"))
    pane.show_html(f"<img src='{address.toString()}'>a")

    for kind in (QTextDocument.ResourceType.ImageResource, QTextDocument.ResourceType.HtmlResource):
        assert not pane.document().resource(kind, address)


def test_the_scroll_bar_of_a_pane_stays_from_one_long_text_to_the_next(qtbot):
    pane = RichPane()
    qtbot.addWidget(pane)
    pane.resize(200, 100)
    pane.show()
    pane.show_html("<p>A line.</p>" * 50)
    widths = []
    pane.document().documentLayout().documentSizeChanged.connect(lambda size: widths.append(size.width()))
    pane.show_html("<p>Another line.</p>" * 60)
    assert widths
    assert set(widths) == {pane.viewport().width()}  # nothing was laid out as if there were no bar
    pane.show_html("<p>A line.</p>")
    assert not pane.verticalScrollBar().isVisible()


def test_labels_are_plain_unless_they_are_called_rich(qtbot):
    assert plain_label(EVIL).textFormat() == Qt.TextFormat.PlainText
    assert rich_label().textFormat() == Qt.TextFormat.RichText
    elided = ElidedLabel()
    qtbot.addWidget(elided)
    elided.setText(EVIL)
    assert EVIL.strip() in _plain(elided.toolTip())


def _plain(text: str) -> str:
    """``text`` as Qt shows it in a tooltip."""
    if not Qt.mightBeRichText(text):
        return text
    document = QTextDocument()
    document.setHtml(text)
    return document.toPlainText()


def _shown_rich(widget: QWidget) -> list[str]:
    """What is shown below ``widget`` in which an image of a foreign text is an image."""
    found = []
    for one in [widget, *widget.findChildren(QWidget)]:
        if "\ufffc" in _plain(one.toolTip()):
            found.append(f"tooltip of {one!r}")
        if isinstance(one, QLabel) and one.text() and one.textFormat() != Qt.TextFormat.PlainText:
            if one.textFormat() == Qt.TextFormat.AutoText:
                found.append(f"label {one.text()!r}")
            elif "\ufffc" in _plain_html(one.text()):
                found.append(f"rich label {one.text()!r}")
        if isinstance(one, QTextEdit) and "\ufffc" in one.document().toRawText():
            found.append(f"text {one!r}")
        if isinstance(one, QAbstractItemView) and one.model() is not None:
            model = one.model()
            for row in range(min(5, model.rowCount(QModelIndex()))):
                for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount()):
                    tip = model.index(row, column).data(Qt.ItemDataRole.ToolTipRole)
                    if isinstance(tip, str) and "\ufffc" in _plain(tip):
                        found.append(f"item {tip!r}")
    return found


def _plain_html(html: str) -> str:
    document = QTextDocument()
    document.setHtml(html)
    return document.toPlainText()


def test_no_window_shows_a_foreign_text_rich(qtbot, open_window, tmp_path, player):
    from quizwriter.domain.page import Page
    from quizwriter.domain.tossup import Answer, Tossup
    from tests.helpers.fakes import FakeApp

    page = Page(EVIL.replace(" ", "_"))
    app = FakeApp(tmp_path, [player("ir", page, buzz=2)])
    tossup = Tossup(f"{EVIL} this {EVIL} novel.", Answer(EVIL, page))
    window = open_window(app, tossup=tossup)
    window.messages.show_message("test", EVIL)
    window.save()
    qtbot.wait(50)

    for widget in QApplication.topLevelWidgets():
        assert _shown_rich(widget) == []


@pytest.mark.parametrize("drop", [False, True], ids=["paste", "drop"])
def test_pasted_and_dropped_html_becomes_plain_text(qtbot, open_window, drop):
    window = open_window(start=False)
    data = QMimeData()
    data.setHtml(f"{EVIL}<p>Hello</p>")
    data.setText("Hello")
    if drop:
        window.draft.insertFromMimeData(data)
    else:
        QApplication.clipboard().setMimeData(data)
        window.draft.paste()
        QApplication.clipboard().clear()  # Python is gone when Qt would do so

    assert window.draft.text == "Hello"
    assert "\ufffc" not in window.draft.document().toRawText()
    for field in window.findChildren(QLineEdit):
        assert field.text() != EVIL
