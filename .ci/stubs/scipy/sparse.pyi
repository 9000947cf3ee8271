"""The part of scipy.sparse that QuizWriter uses."""

from typing import Any

import numpy as np
import numpy.typing as npt

class csr_matrix:
    def __init__(
        self, parts: tuple[npt.NDArray[np.float32], Any] | tuple[Any, Any, Any], shape: tuple[int, int]
    ) -> None: ...
    @property
    def T(self) -> csr_matrix: ...
    def tocsr(self) -> csr_matrix: ...
    def __matmul__(self, other: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]: ...
