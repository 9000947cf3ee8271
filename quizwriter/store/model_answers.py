"""The answers of language models, kept so that no text is paid for twice, and the spending of each day."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from datetime import date

from quizwriter.domain.model_budget import MILLION, BudgetExceededError, ModelBudget, Spending
from quizwriter.store.database import Database


class ModelAnswers:
    """The answers of language models in the database of a writer. Any thread may use it."""

    def __init__(self, database: Database, today: Callable[[], date] = date.today) -> None:
        """The answers in ``database``; ``today`` is the day on whose budget something is spent."""
        self._database, self._today = database, today

    def find(self, model: str, digest: str) -> str | None:
        """The answer of ``model`` to the text with this digest; None if none is kept, or it is no text."""
        with self._database.reading() as db:
            sql = "select body from model_answer where (model, digest) = (?, ?)"
            row = db.execute(sql, [model, digest]).fetchone()
        return row[0] if row is not None and isinstance(row[0], str) else None

    def keep(self, model: str, digest: str, body: str) -> None:
        """Keep the answer ``body``, in place of another one."""
        with self._database.transaction() as db:
            db.execute(
                "insert or replace into model_answer (model, digest, body, at_ms) values (?, ?, ?, ?)",
                [model, digest, body, time.time_ns() // MILLION],
            )

    def spent(self) -> Spending:
        with self._database.reading() as db:
            return _spent_on(db, self._today().isoformat())

    def reserve(self, most: Spending, budget: ModelBudget) -> str:
        """Count ``most`` as spent on this day, which is the result; other programs see it at once."""
        day = self._today().isoformat()
        with self._database.transaction() as db:
            if limit := budget.exceeded_by(_spent_on(db, day), most):
                raise BudgetExceededError(limit)
            _add(db, day, most)
        return day

    def settle(self, day: str, more: Spending) -> None:
        with self._database.transaction() as db:
            _add(db, day, more)


def _spent_on(db: sqlite3.Connection, day: str) -> Spending:
    row = db.execute(
        """
        select requests, prompt_tokens, completion_tokens, money_millionths from model_spending where day = ?
        """,
        [day],
    ).fetchone()
    return Spending() if row is None else Spending(row[0], row[1], row[2], row[3] / MILLION)


def _add(db: sqlite3.Connection, day: str, more: Spending) -> None:
    db.execute(
        """
        insert into model_spending values (?, ?, ?, ?, ?) on conflict (day) do update set
        requests = requests + excluded.requests,
        prompt_tokens = prompt_tokens + excluded.prompt_tokens,
        completion_tokens = completion_tokens + excluded.completion_tokens,
        money_millionths = money_millionths + excluded.money_millionths
        """,
        [
            day,
            more.requests,
            more.prompt_tokens,
            more.completion_tokens,
            round(more.money * MILLION),
        ],
    )
