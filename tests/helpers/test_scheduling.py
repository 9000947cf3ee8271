"""The order in which groups of tests are handed out."""

from __future__ import annotations

from collections import OrderedDict

import pytest

from tests.helpers.elasticsearch_node import VERSIONS
from tests.helpers.scheduling import LONGEST, ROOT, SERVER, TRAINED_NETWORKS, Together


@pytest.fixture
def scheduling(pytestconfig, monkeypatch):
    """Hands out tests to one process; ``given`` has the groups in the order in which they were given."""
    monkeypatch.setattr(pytestconfig.option, "tx", ["popen"])

    class Noting(Together):
        def _assign_work_unit(self, node):
            super()._assign_work_unit(node)
            self.given = list(self.assigned_work[node])

    return Noting(pytestconfig)


class Process:
    """Takes every test it is told to run."""

    def send_runtest_some(self, indices):
        """As a process of pytest-xdist does."""


def test_the_longest_groups_begin_and_of_the_others_those_with_most_tests(scheduling):
    small, large = "tests/system/test_atomic.py", "tests/system/test_decoding.py"
    sizes = {small: 1, large: 4, LONGEST[-1]: 1, LONGEST[3]: 2}
    scheduling.workqueue = OrderedDict(
        (group, {f"{group}::test_{number}": False for number in range(size)}) for group, size in sizes.items()
    )
    process = Process()
    scheduling.registered_collections[process] = [
        test for unit in scheduling.workqueue.values() for test in unit
    ]

    while scheduling.workqueue:
        scheduling._assign_work_unit(process)

    assert scheduling.given == [LONGEST[3], LONGEST[-1], large, small]


def test_files_with_trained_networks_and_tests_of_one_server_stay_together(scheduling):
    first, *_ = VERSIONS
    groups = {
        "tests/engine/test_networks.py::test_a": TRAINED_NETWORKS,
        "tests/engine/test_ensemble.py::test_a[dan]": TRAINED_NETWORKS,
        f"tests/engine/elastic/test_client.py::test_a[{first}]": SERVER.format(first),
        "tests/system/test_atomic.py::test_a": "tests/system/test_atomic.py",
    }
    assert {test: scheduling._split_scope(test) for test in groups} == groups


def test_every_long_group_is_there():
    servers = {SERVER.format(version) for version in VERSIONS}
    files = [group for group in LONGEST if group not in {*servers, TRAINED_NETWORKS}]
    assert len({*LONGEST}) == len(LONGEST)
    assert [file for file in files if not (ROOT / file).is_file()] == []
