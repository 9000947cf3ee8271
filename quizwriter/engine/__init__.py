"""The machine: :func:`load` turns a bundle into players, and is the only door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quizwriter.engine.bundle import Bundle
from quizwriter.engine.buzzers import MarginBuzzer
from quizwriter.engine.pages import Pages
from quizwriter.engine.retrieval import Retrieval
from quizwriter.workflow.analysis import Player


@dataclass(frozen=True)
class Engine:
    """The players of one bundle, and the pages they can name.

    ``digest`` names the exact contents; ``about`` is what the manifest says of them.
    """

    folder: Path
    title: str
    digest: str
    players: tuple[Player, ...]
    pages: Pages
    retrieval: Retrieval
    about: Mapping[str, Any]


def load(folder: Path) -> Engine:
    """The engine in the bundle ``folder``, ready to play.

    Raises:
        QuizwriterError: there is no sound bundle of a known version there.
    """
    bundle = Bundle.open(folder)
    retrieval = Retrieval(bundle)
    return Engine(
        folder=folder,
        title=str(bundle.about.get("title") or folder.name),
        digest=bundle.digest,
        players=(Player(retrieval, MarginBuzzer(), bundle.digest),),
        pages=retrieval.pages,
        retrieval=retrieval,
        about=bundle.about,
    )
