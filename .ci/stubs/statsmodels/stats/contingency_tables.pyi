"""The part of statsmodels.stats.contingency_tables that QuizWriter uses."""

from collections.abc import Sequence
from typing import Protocol

class _Result(Protocol):
    @property
    def statistic(self) -> float: ...
    @property
    def pvalue(self) -> float: ...

def mcnemar(table: Sequence[Sequence[int]], exact: bool = True, correction: bool = True) -> _Result: ...
