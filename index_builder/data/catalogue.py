"""Public data that can be fetched: address, size, checksum and terms, as its publishers state them."""

from __future__ import annotations

import msgspec


class DataSource(msgspec.Struct, frozen=True):
    """Data on the internet; ``bytes`` and ``sha256`` are those of the unpacked contents, None if unknown."""

    title: str
    address: str
    file: str  # what it is called on this computer
    bytes: int | None
    sha256: str | None
    terms: str  # the licence in a sentence or two, as a writer reads it
    notice: str  # kept beside the data

    @property
    def size(self) -> str:
        """The size as a writer reads it; empty if unknown."""
        return megabytes(self.bytes) if self.bytes else ""


def megabytes(number: int) -> str:
    """A number of bytes as a writer reads it: "169.0 MB"."""
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{number / 1e6:.1f} MB"


# Address, size and checksum: huggingface/datasets, datasets/qanta/dataset_infos.json. It calls the licence
# unknown, and qanta.org names none.
QANTA = DataSource(
    title="QANTA 2018.04.18, past questions",
    address="https://s3-us-west-2.amazonaws.com/pinafore-us-west-2/qanta-jmlr-datasets/"
    "qanta.mapped.2018.04.18.json",
    file="qanta.mapped.2018.04.18.json",
    bytes=169_001_564,
    sha256="5f2f429724e13df1d4b216dba5549dac597fbaf884ed0c3e01f90ee72cb2753a",
    terms="Its publishers name no licence: the questions belong to those who wrote them. For your own use.",
    notice="""\
QANTA data set, version 2018.04.18 (past quizbowl questions, with the Wikipedia page of each answer).

Published by the QANTA project, http://www.qanta.org/, and described in
    Pedro Rodriguez, Shi Feng, Mohit Iyyer, He He, Jordan Boyd-Graber:
    Quizbowl: The Case for Incremental Question Answering. arXiv:1904.04792.

The publishers name no licence. The questions were written by the writers and editors of the tournaments
named in each row and belong to them. Keep them for your own use; ask before you pass them on.
""",
)

WIKIPEDIA = DataSource(
    title="Wikipedia, on the answers of those questions",
    address="https://en.wikipedia.org/w/api.php",
    file="wikipedia.jsonl",
    bytes=None,
    sha256=None,
    terms="Creative Commons Attribution-ShareAlike 4.0: share it under the same terms, naming its authors.",
    notice="""\
Text of the English Wikipedia, https://en.wikipedia.org/, without its markup, as fetched by QuizWriter.

It is under the Creative Commons Attribution-ShareAlike 4.0 licence,
https://creativecommons.org/licenses/by-sa/4.0/. Whoever passes it on, changed or not, must do so under the
same licence and name its authors. Those of an article are listed in its history: each row gives the
article's title and the number of the revision, as in
https://en.wikipedia.org/w/index.php?title=TITLE&oldid=REVISION.
""",
)
