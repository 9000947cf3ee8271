"""Which tests stay together where several processes test at once.

A file's tests stay in one process, which makes what its fixtures share once. So do all files with trained
networks, and all tests of one version of Elasticsearch. pytest-xdist has marks for this, but its version 3.8
loses them under pytest 9.2.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling

from tests.helpers.elasticsearch_node import VERSIONS

ROOT = Path(__file__).parents[2]
TRAINED = re.compile(r"^def \w+\([^)]*\b(?:trees|forest)\b", re.MULTILINE)
VERSION = re.compile(r"\[({})\b".format("|".join(map(re.escape, VERSIONS))))


class Together(LoadScopeScheduling):
    """Hands out groups of tests, those with most tests first."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        version = VERSION.search(nodeid)
        if version:
            return f"Elasticsearch {version[1]}"
        return "trained networks" if _is_trained(file) else file


@cache
def _is_trained(file: str) -> bool:
    return TRAINED.search((ROOT / file).read_text(encoding="utf-8")) is not None
