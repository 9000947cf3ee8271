"""What language models said of texts, kept so that no text is paid for twice, and what was spent on a day."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date

from quizwriter.domain.model_budget import MILLION, Spending
from quizwriter.store.database import Database


class ModelAnswers:
    """The answers of language models in the database of a writer. Any thread may use it."""

    def __init__(self, database: Database, today: Callable[[], date] = date.today) -> None:
        """The answers in ``database``; ``today`` is the day on whose budget something is spent."""
        self._database, self._today = database, today

    def find(self, model: str, digest: str) -> str | None:
        """The answer of ``model`` to the text with this digest; None if none is kept, or it is no text.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        with self._database.reading() as db:
            sql = "select body from model_answer where (model, digest) = (?, ?)"
            row = db.execute(sql, [model, digest]).fetchone()
        return row[0] if row is not None and isinstance(row[0], str) else None

    def keep(self, model: str, digest: str, body: str) -> None:
        """Keep the answer ``body``, in place of another one.

        Raises:
            QuizwriterError: the database cannot be written.
        """
        with self._database.transaction() as db:
            db.execute(
                "insert or replace into model_answer (model, digest, body, at_ms) values (?, ?, ?, ?)",
                [model, digest, body, time.time_ns() // MILLION],
            )

    def spent(self) -> Spending:
        """What was spent today on all models together.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        with self._database.reading() as db:
            row = db.execute(
                """
                select requests, prompt_tokens, completion_tokens, money_millionths from model_spending
                where day = ?
                """,
                [self._today().isoformat()],
            ).fetchone()
        if row is None:
            return Spending()
        return Spending(row[0], row[1], row[2], row[3] / MILLION)

    def spend(self, spending: Spending) -> None:
        """Add ``spending`` to what was spent today.

        Raises:
            QuizwriterError: the database cannot be written.
        """
        with self._database.transaction() as db:
            db.execute(
                """
                insert into model_spending values (?, ?, ?, ?, ?) on conflict (day) do update set
                requests = requests + excluded.requests,
                prompt_tokens = prompt_tokens + excluded.prompt_tokens,
                completion_tokens = completion_tokens + excluded.completion_tokens,
                money_millionths = money_millionths + excluded.money_millionths
                """,
                [
                    self._today().isoformat(),
                    spending.requests,
                    spending.prompt_tokens,
                    spending.completion_tokens,
                    round(spending.money * MILLION),
                ],
            )
