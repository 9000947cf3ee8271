"""The part of statsmodels.duration.survfunc that QuizWriter uses."""

import numpy as np
import numpy.typing as npt

class SurvfuncRight:
    surv_times: npt.NDArray[np.float64]
    surv_prob: npt.NDArray[np.float64]
    surv_prob_se: npt.NDArray[np.float64]
    def __init__(self, time: npt.NDArray[np.float64], status: npt.NDArray[np.int64]) -> None: ...
