from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

class LogisticRegression:
    coef_: npt.NDArray[np.float64]
    intercept_: npt.NDArray[np.float64]
    classes_: npt.NDArray[np.int64]
    def __init__(self, *, C: float = 1.0, max_iter: int = 100) -> None: ...
    def fit(
        self,
        X: npt.NDArray[Any],
        y: npt.NDArray[Any] | Sequence[int],
        sample_weight: npt.NDArray[Any] | None = None,
    ) -> Self: ...
