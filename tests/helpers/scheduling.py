"""Which tests stay together where several processes test at once, and which of them begin.

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
TRAINED = re.compile(r"^def \w+\([^)]*\b(?:trees|forest|novels_with_distractor)\b", re.MULTILINE)
VERSION = re.compile(r"\[({})\b".format("|".join(map(re.escape, VERSIONS))))


SERVER, TRAINED_NETWORKS = "Elasticsearch {}", "trained networks"
FIRST_VERSION, *OTHER_VERSIONS = VERSIONS

LONGEST = (
    SERVER.format(FIRST_VERSION),
    TRAINED_NETWORKS,
    "tests/scenarios/test_kill.py",
    *(SERVER.format(version) for version in OTHER_VERSIONS),  # two servers at once would wait for each other
    "tests/challenge/test_challenge_set.py",
    "tests/test_released_files.py",
    "tests/scenarios/test_five_writers.py",
    "tests/index_builder/training/test_trainer.py",
    "tests/formats/test_packets.py",
    "tests/fuzz/test_fuzz.py",
    "tests/test_patterns.py",
    "tests/cli/test_hostile_inputs.py",
    "tests/store/test_store.py",
    "tests/system/test_http_limits.py",
    "tests/index_builder/test_pipeline.py",
    "tests/gui/dialogs/test_evidence_download.py",
    "tests/gui/test_players.py",
    "tests/formats/test_question_files.py",
    "tests/test_starter_texts.py",
    "tests/gui/dialogs/test_server.py",
    "tests/index_builder/test_starter.py",
    "tests/store/test_rescue.py",
    "tests/judging/test_judge_on_data.py",
    "tests/gui/test_main_window.py",
    "tests/gui/dialogs/test_preferences.py",
    "tests/gui/history/test_history_window.py",
    "tests/engine/test_library.py",
    "tests/index_builder/test_title_lists.py",
    "tests/store/test_merging.py",
    "tests/engine/test_dense.py",
    "tests/scenarios/test_editors_day.py",
    "tests/gui/test_large_text.py",
)
"""The groups of more than ten seconds, the longest first; ``--durations=0`` says how long each test takes."""


class Together(LoadScopeScheduling):
    """Hands out groups of tests: the longest first, then those with most tests.

    So no process is left with a long group when there is nothing for the others any more.
    """

    def _assign_work_unit(self, node):
        self.workqueue.move_to_end(min(self.workqueue, key=self._place), last=False)
        super()._assign_work_unit(node)

    def _place(self, group: str) -> tuple[int, int]:
        place = LONGEST.index(group) if group in LONGEST else len(LONGEST)
        return place, -len(self.workqueue[group])

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        version = VERSION.search(nodeid)
        if version:
            return SERVER.format(version[1])
        return TRAINED_NETWORKS if _is_trained(file) else file


@cache
def _is_trained(file: str) -> bool:
    return TRAINED.search((ROOT / file).read_text(encoding="utf-8")) is not None
