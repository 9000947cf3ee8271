from typing import Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt

Rows = TypeVar("Rows")

def normalize(X: Rows, *, axis: Literal[0, 1] = 1) -> Rows: ...

class StandardScaler:
    mean_: npt.NDArray[np.float64]
    scale_: npt.NDArray[np.float64]
    def fit(self, X: npt.NDArray[Any]) -> Self: ...
    def partial_fit(self, X: npt.NDArray[Any]) -> Self: ...
    def transform(self, X: npt.NDArray[Any], copy: bool | None = None) -> npt.NDArray[Any]: ...
