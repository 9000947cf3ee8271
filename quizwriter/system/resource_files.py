"""The data that come with the program: the folder ``resources``, and lists of words in it."""

from __future__ import annotations

from pathlib import Path

from quizwriter.errors import QuizwriterError


def resources_folder() -> Path:
    """The folder of shipped data: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / "resources", package.parent / "resources"):
        if folder.is_dir():
            return folder
    raise QuizwriterError("The program's resources folder is missing.", "Install QuizWriter again.")


def resource_lines(name: str) -> list[str]:
    """The lines of the shipped text file ``name``, a path in the folder of resources."""
    try:
        return (resources_folder() / name).read_text(encoding="utf-8").splitlines()
    except OSError as trouble:
        raise QuizwriterError(
            f"The file {name} of the program's resources cannot be read.", "Install QuizWriter again."
        ) from trouble
