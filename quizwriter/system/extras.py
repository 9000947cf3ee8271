"""The extras of the package: what only some people need, such as PyTorch, is not installed for everybody."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from quizwriter.errors import QuizwriterError

EXTRAS: Mapping[str, Mapping[str, str]] = {
    "train": {
        "torch": "PyTorch",
        "sklearn": "scikit-learn",
        "scipy": "SciPy",
        "threadpoolctl": "threadpoolctl",
    },
    "dense": {
        "onnx": "ONNX",
        "onnxruntime": "onnxruntime",
        "safetensors": "safetensors",
        "tokenizers": "tokenizers",
    },
    "science": {"matplotlib": "Matplotlib", "scipy": "SciPy", "statsmodels": "statsmodels"},
}
"""The modules of each extra of pyproject.toml that the program asks for, and the names of their packages."""

TRAINING = "The training of players"
"""Begins the sentence of :func:`require_extra` about the extra ``train``."""

_CHECKOUT = Path(__file__).parents[2]


def require_extra(extra: str, purpose: str) -> None:
    """Return if the packages of ``extra`` are installed; whoever imports one of them calls this first.

    ``purpose`` begins the sentence about those that are missing, for example "The training of players".
    Nothing is imported.
    """
    missing = [name for module, name in EXTRAS[extra].items() if find_spec(module) is None]
    if missing:
        *first, last = missing
        names = f"{', '.join(first)} and {last}" if first else last
        raise QuizwriterError(
            f"{purpose} needs {names}, which {'are' if first else 'is'} not installed.",
            f"Install what is missing with this command: {_command(extra)}",
        )


def _command(extra: str) -> str:
    """The command that installs ``extra`` beside the program that is running."""
    if (_CHECKOUT / ".ci" / "setup.py").is_file():
        return "make setup" if sys.platform != "win32" else "py .ci\\setup.py"
    return f'{sys.executable} -m pip install "quizwriter[{extra}]"'
