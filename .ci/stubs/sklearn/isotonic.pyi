from typing import Any, Self

import numpy as np
import numpy.typing as npt

class IsotonicRegression:
    def __init__(self, *, y_min: float, y_max: float, out_of_bounds: str) -> None: ...
    def fit(
        self, X: npt.NDArray[Any], y: npt.NDArray[Any], sample_weight: npt.NDArray[Any] | None = None
    ) -> Self: ...
    def predict(self, T: npt.NDArray[Any]) -> npt.NDArray[np.float64]: ...
