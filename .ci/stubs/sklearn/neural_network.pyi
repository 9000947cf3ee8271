from typing import Any, Self

import numpy as np
import numpy.typing as npt

class MLPClassifier:
    coefs_: list[npt.NDArray[np.float64]]
    intercepts_: list[npt.NDArray[np.float64]]
    def __init__(
        self,
        hidden_layer_sizes: tuple[int, ...],
        *,
        batch_size: int,
        learning_rate_init: float,
        max_iter: int,
        early_stopping: bool,
        n_iter_no_change: int,
        alpha: float,
        random_state: int,
    ) -> None: ...
    def fit(self, X: npt.NDArray[Any], y: npt.NDArray[Any]) -> Self: ...
