"""What a language model is sent, costs and does, in plain English."""

from __future__ import annotations

from quizwriter.domain.model_budget import ModelBudget, Spending
from quizwriter.domain.server_address import is_address, is_here, is_open
from quizwriter.workflow.wording import counted_noun, sentence

SENTENCES_A_TOSSUP = 6
"""The sentences of a usual tossup; at the end of each the model is asked."""

TOKENS_SENT, TOKENS_ANSWERED = 420, 250
"""The tokens of a usual request: the rules with half a tossup, and five answers with their clues."""


def money_line(money: float) -> str:
    """An amount in the currency of the user's prices, which has no name here."""
    return f"{money:,.2f}" if money >= 0.01 or not money else f"{money:,.4f}"


def privacy_paragraph(url: str, host: str, budget: ModelBudget) -> str:
    """What is sent to a language model, to whom, how often, and what that may cost."""
    if not is_address(url):
        where = "to the server"
    elif is_here(url):
        where = f"to {host}, which is on this computer"
    elif is_open(url):
        where = f"unencrypted to {host}"
    else:
        where = f"encrypted to {host}"
    tossup = budget.cost(SENTENCES_A_TOSSUP * TOKENS_SENT, SENTENCES_A_TOSSUP * TOKENS_ANSWERED)
    tokens = SENTENCES_A_TOSSUP * (TOKENS_SENT + TOKENS_ANSWERED)
    price = f" or {money_line(tossup)} at your prices" if tossup else ""
    limits = [f"{budget.requests:,} requests", f"{budget.tokens:,} tokens"]
    limits += [f"{money_line(budget.money)} of money"] if budget.money and tossup else []
    return (
        f"While the LLM plays, QuizWriter sends the words of your draft {where}: at the end of each "
        "sentence and when you pause, all words up to there. It sends neither the answer line nor names, "
        "and each text only once, because it keeps the answers. The operator of the server may keep what "
        "it receives. "
        f"A tossup of {SENTENCES_A_TOSSUP} sentences takes about {SENTENCES_A_TOSSUP} requests and "
        f"{tokens:,} tokens{price}, and more if you change its first sentences. On one day it stops at "
        f"{', '.join(limits[:-1])} or {limits[-1]}."
    )


def cost_line(cost: Spending) -> str:
    """What something will cost, about: 6 requests and about 4,000 tokens."""
    if not cost.requests:
        return "nothing: all answers are kept from before"
    said = f"{counted_noun(cost.requests, 'request')} and about {round(cost.tokens, -1):,} tokens"
    return f"{said}, which is about {money_line(cost.money)} at your prices" if cost.money else said


def spent_line(spent: Spending) -> str:
    if not spent.requests:
        return "Nothing was asked today."
    said = f"Today: {counted_noun(spent.requests, 'request')}, {spent.tokens:,} tokens"
    return f"{said}, {money_line(spent.money)} of money." if spent.money else f"{said}."


def models_line(models: tuple[str, ...], wanted: str) -> str:
    """What a server of language models says of itself; ``wanted`` is the model that the user chose."""
    if not models:
        return "It answers, but lists no model."
    named = ", ".join(models[:12]) + (f" and {len(models) - 12:,} more" if len(models) > 12 else "")
    if wanted and wanted not in models:
        return f"It answers, but has no model {wanted}. It has {named}."
    return sentence(f"it answers. It has {counted_noun(len(models), 'model')}: {named}.")
