"""The part of scipy.sparse that QuizWriter uses."""

from typing import Any

import numpy as np
import numpy.typing as npt

class csr_array:
    data: npt.NDArray[Any]
    @property
    def T(self) -> csr_array: ...
    def __matmul__(self, other: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...

class coo_array:
    def __init__(
        self,
        parts: tuple[npt.NDArray[Any], tuple[npt.NDArray[Any], npt.NDArray[Any]]],
        shape: tuple[int, int],
    ) -> None: ...
    def tocsr(self) -> csr_array: ...

class dia_array:
    def __matmul__(self, other: csr_array) -> csr_array: ...

def diags_array(diagonals: npt.NDArray[Any]) -> dia_array: ...

class csr_matrix:
    def __init__(
        self, parts: tuple[npt.NDArray[np.float32], Any] | tuple[Any, Any, Any], shape: tuple[int, int]
    ) -> None: ...
    @property
    def T(self) -> csr_matrix: ...
    def tocsr(self) -> csr_matrix: ...
    def __matmul__(self, other: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]: ...
