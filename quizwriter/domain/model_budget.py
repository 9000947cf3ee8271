"""What a language model may cost on one day, and what it has cost."""

from __future__ import annotations

import msgspec

MILLION = 1_000_000


class Spending(msgspec.Struct, frozen=True):
    """What was asked of language models: requests, tokens sent and answered, and money."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __sub__(self, other: Spending) -> Spending:
        return self + Spending(-other.requests, -other.prompt_tokens, -other.completion_tokens, -other.money)

    def __add__(self, other: Spending) -> Spending:
        return Spending(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.money + other.money,
        )


class BudgetExceededError(Exception):
    """A request would exceed a limit of the day, which is the text of this error."""


class ModelBudget(msgspec.Struct, frozen=True):
    """The most that language models may cost on one day, and what a million tokens cost.

    0 is no limit for money alone: a model on this computer has no price. Prices and money are in the same
    currency, whichever it is.
    """

    requests: int = 300
    tokens: int = 300_000
    money: float = 1.0
    prompt_price: float = 0.0
    completion_price: float = 0.0

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / MILLION

    def request(self, prompt_tokens: int, completion_tokens: int) -> Spending:
        cost = self.cost(prompt_tokens, completion_tokens)
        return Spending(1, prompt_tokens, completion_tokens, cost)

    def exceeded_by(self, spent: Spending, more: Spending) -> str:
        """Which limit ``more`` would exceed after ``spent``, in words; empty where it exceeds none."""
        after = spent + more
        if after.requests > self.requests:
            return "1 request" if self.requests == 1 else f"{self.requests:,} requests"
        if after.tokens > self.tokens:
            return f"{self.tokens:,} tokens"
        if self.money and after.money > self.money:
            return f"{self.money:,.2f} of money"
        return ""


USUAL_BUDGET = ModelBudget()
"""The budget until the user chooses another one: about fifty tossups."""
