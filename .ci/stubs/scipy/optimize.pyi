"""The part of scipy.optimize that QuizWriter uses."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

class OptimizeResult:
    x: npt.NDArray[np.float64]

def minimize(
    fun: Callable[[Any], tuple[float, npt.NDArray[np.float64]]],
    x0: npt.NDArray[np.float64],
    *,
    jac: bool,
    method: str,
    options: Mapping[str, float],
) -> OptimizeResult: ...
