"""The part of scipy.special that QuizWriter uses."""

import numpy as np
import numpy.typing as npt

def expit(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
