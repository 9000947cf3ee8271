from typing import Any

import numpy as np
import numpy.typing as npt

class TruncatedSVD:
    def __init__(self, n_components: int, *, n_iter: int = 5, random_state: int | None = None) -> None: ...
    def fit_transform(self, X: Any) -> npt.NDArray[np.float64]: ...
