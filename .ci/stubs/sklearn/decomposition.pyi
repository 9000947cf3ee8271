import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

class TruncatedSVD:
    def __init__(self, n_components: int, *, n_iter: int = 5, random_state: int | None = None) -> None: ...
    def fit_transform(self, X: csr_array) -> npt.NDArray[np.float64]: ...
