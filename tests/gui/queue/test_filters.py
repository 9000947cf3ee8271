"""What narrows the queue, alone: what can be ticked, what is said of it, and the filter that comes of it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtWidgets import QCheckBox

from quizwriter.gui.queue.filters import MoreFiltersButton
from quizwriter.gui.widgets.facet_button import FacetButton
from quizwriter.workflow.queue import QueueFilter

CATEGORIES = (
    (("Science",), "Science", 4),
    (("Science", "Biology"), "Biology", 1_200),
    (("Fine Arts",), "Fine Arts", 7),
)


@pytest.fixture
def facet(qtbot, theme):
    facet = FacetButton(theme, "Category")
    qtbot.addWidget(facet)
    facet.offer(CATEGORIES)
    return facet


@pytest.fixture
def more(qtbot, theme):
    more = MoreFiltersButton(theme)
    qtbot.addWidget(more)
    more.offer(["ir", "dan"])
    return more


def test_a_facet_has_its_title_before_it_is_known_what_there_is_to_choose(qtbot, theme):
    facet = FacetButton(theme, "Category")
    qtbot.addWidget(facet)

    assert (facet.text(), facet.toolTip()) == ("Category", "Category")


def rows(facet):
    """What the list says, in levels: name, count and tick."""

    def below(item):
        return [
            (
                item.child(at).text(0),
                item.child(at).text(1),
                item.child(at).checkState(0) is Qt.CheckState.Checked,
                below(item.child(at)),
            )
            for at in range(item.childCount())
        ]

    return below(facet.tree.invisibleRootItem())


def tick(facet, *names):
    """Tick or untick the entry so many levels down, as a click does."""
    item = facet.tree.invisibleRootItem()
    for name in names:
        item = next(item.child(at) for at in range(item.childCount()) if item.child(at).text(0) == name)
    ticked = item.checkState(0) is Qt.CheckState.Checked
    item.setCheckState(0, Qt.CheckState.Unchecked if ticked else Qt.CheckState.Checked)


def test_what_is_above_counts_what_is_below(facet):
    assert rows(facet) == [
        ("Science", "1,204", False, [("Biology", "1,200", False, [])]),
        ("Fine Arts", "7", False, []),
    ]


def test_ticks_are_chosen_and_said_on_the_button(qtbot, facet):
    with qtbot.waitSignal(facet.changed):
        tick(facet, "Fine Arts")
    assert facet.chosen == (("Fine Arts",),)
    assert facet.text() == "Category: Fine Arts"

    with qtbot.waitSignal(facet.changed):
        tick(facet, "Science", "Biology")
    assert set(facet.chosen) == {("Fine Arts",), ("Science", "Biology")}
    assert facet.text() == "Category: 2"
    assert set(facet.toolTip().splitlines()) == {"Category", "Fine Arts", "Biology"}

    tick(facet, "Fine Arts")
    tick(facet, "Science", "Biology")
    assert facet.chosen == ()
    assert facet.text() == "Category"


def test_what_lies_below_a_tick_is_not_said_twice(facet):
    tick(facet, "Science", "Biology")
    tick(facet, "Science")

    assert facet.chosen == (("Science",),)


def test_choosing_from_elsewhere_ticks_and_says_nothing(qtbot, facet):
    with qtbot.assertNotEmitted(facet.changed):
        facet.choose([("Science", "Biology")])

    assert rows(facet)[0][3] == [("Biology", "1,200", True, [])]
    assert facet.text() == "Category: Biology"


def test_a_tick_outlives_a_new_count_and_what_is_above_it_opens(qtbot, facet):
    facet.choose([("Science", "Biology")])
    with qtbot.assertNotEmitted(facet.changed):
        facet.offer([(("Science", "Biology"), "Biology", 3)])

    assert rows(facet) == [("Science", "3", False, [("Biology", "3", True, [])])]
    assert facet.tree.topLevelItem(0).isExpanded()
    assert facet.chosen == (("Science", "Biology"),)


def test_what_nobody_offers_any_more_stays_chosen_until_it_is_unticked(facet):
    facet.choose([("Trash",)])
    facet.offer(CATEGORIES)

    assert facet.chosen == (("Trash",),)
    assert facet.text() == "Category: Trash"
    tick(facet, "Fine Arts")
    assert facet.chosen == (("Fine Arts",),)


def test_a_name_with_an_ampersand_is_shown_as_it_is(facet):
    facet.offer([(("Arts & Letters",), "Arts & Letters", 1)])
    facet.choose([("Arts & Letters",)])

    assert facet.text() == "Category: Arts && Letters"  # Qt shows one


def test_nothing_to_tick_is_no_trouble(facet):
    facet.offer([])

    assert rows(facet) == []
    assert facet.chosen == ()


def boxes(more):
    """Everything that can be ticked in the form, by what it is called."""
    return {box.text(): box for box in more.menu().findChildren(QCheckBox)}


def test_the_form_wishes_nothing_at_first(more):
    assert more.put_into(QueueFilter(text="lake")) == QueueFilter(text="lake")


def test_every_wish_of_the_form_goes_into_the_filter(qtbot, more):
    for do in (
        lambda: boxes(more)["Stumps DAN"].click(),
        lambda: more.least.setValue(80),
        lambda: more.most.setValue(130),
        lambda: more.edited.click(),
        lambda: more.commented.click(),
        lambda: more.is_since.click(),
        lambda: more.since.setDate(QDate(2031, 10, 4)),
    ):
        with qtbot.waitSignal(more.changed):
            do()

    start = QDate(2031, 10, 4).startOfDay().toMSecsSinceEpoch()
    assert more.put_into(QueueFilter(text="lake")) == QueueFilter(
        text="lake",
        stumps=("dan",),
        least_words=80,
        most_words=130,
        changed_after_ms=start,
        changed=True,
        commented=True,
    )


def test_a_filter_is_shown_as_it_is_and_says_nothing(qtbot, more):
    start = QDate(2031, 10, 4).startOfDay().toMSecsSinceEpoch()
    wanted = QueueFilter(stumps=("rnn",), most_words=99, changed_after_ms=start, commented=True)
    with qtbot.assertNotEmitted(more.changed):
        more.show_filter(wanted)

    assert more.put_into(QueueFilter()) == wanted
    assert boxes(more)["Stumps RNN"].isChecked()  # nobody had offered it
    more.show_filter(QueueFilter())
    assert more.put_into(QueueFilter()) == QueueFilter()


def test_a_player_is_offered_once(more):
    more.offer(["dan", "ir"])

    assert sorted(name for name in boxes(more) if name.startswith("Stumps")) == ["Stumps DAN", "Stumps IR"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_button_that_narrows_differs_from_one_that_does_not(theme, facet, more, scheme):
    theme.use_theme(scheme)
    plain = facet.styleSheet(), more.styleSheet()
    facet.choose([("Science",)])
    more.show_filter(QueueFilter(changed=True))

    assert facet.styleSheet() != plain[0]
    assert more.styleSheet() != plain[1]
    facet.choose([])
    more.show_filter(QueueFilter())
    assert (facet.styleSheet(), more.styleSheet()) == plain


def test_a_style_is_read_anew_only_where_it_is_another(facet, monkeypatch):
    read = []
    monkeypatch.setattr(FacetButton, "setStyleSheet", lambda _, sheet: read.append(sheet))
    facet.offer(CATEGORIES)
    facet.choose(())
    assert read == []

    facet.choose([("Science",)])
    assert len(read) == 1
