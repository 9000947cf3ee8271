"""The part of scipy.optimize that QuizWriter uses."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]

class _Minimum(Protocol):
    @property
    def x(self) -> _Floats: ...
    @property
    def success(self) -> bool: ...

def minimize(
    fun: Callable[[_Floats], tuple[float, _Floats]],
    x0: _Floats,
    *,
    jac: bool,
    method: str,
    bounds: Sequence[tuple[float | None, float | None]] | None = None,
    options: Mapping[str, object] | None = None,
) -> _Minimum: ...
