"""One token tells slow work that nobody wants it any more."""

from __future__ import annotations

import pytest

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.errors import QuizwriterError


def test_work_goes_on_until_it_is_cancelled_and_never_again():
    cancellation = Cancellation()
    cancellation.check()
    assert not cancellation.cancelled

    cancellation.cancel()
    cancellation.cancel()

    assert cancellation.cancelled
    for _ in range(2):
        with pytest.raises(Cancelled):
            cancellation.check()
    assert issubclass(Cancelled, QuizwriterError)


def test_within_the_block_what_was_asked_for_is_called_once():
    cancellation, called = Cancellation(), []
    with cancellation.on_cancel(lambda: called.append("early")):
        pass
    with cancellation.on_cancel(lambda: called.append("in time")):
        cancellation.cancel()
        assert called == ["in time"]
    with cancellation.on_cancel(lambda: called.append("late")):
        pass
    assert called == ["in time", "late"]
