from typing import Any, Self

import numpy as np
import numpy.typing as npt

class StandardScaler:
    mean_: npt.NDArray[np.float64]
    scale_: npt.NDArray[np.float64]
    def fit(self, X: npt.NDArray[Any]) -> Self: ...
    def transform(self, X: npt.NDArray[Any]) -> npt.NDArray[Any]: ...
