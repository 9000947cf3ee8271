"""Which groups of tests begin, and which tests only prove."""

from __future__ import annotations

import re
from collections import OrderedDict
from types import SimpleNamespace

import pytest

from tests.helpers.elasticsearch_node import VERSIONS
from tests.helpers.scheduling import (
    ALL,
    EXPERIMENTS,
    LONGEST,
    PROOFS,
    ROOT,
    SERVER,
    TRAINED_NETWORKS,
    TRAINING_PROCESS,
    Together,
    is_proof,
    undeclared,
)


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
    """Takes every test it is told to run, in ``taken``, as a process of pytest-xdist does."""

    shutting_down = False

    def __init__(self, name=TRAINING_PROCESS):
        self.gateway = SimpleNamespace(id=name)
        self.taken = []

    def send_runtest_some(self, indices):
        self.taken += indices

    def shutdown(self):
        self.shutting_down = True


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


def test_files_that_train_experiments_and_tests_of_one_server_stay_together(scheduling):
    first, *_ = VERSIONS
    groups = {
        "tests/engine/test_networks.py::test_a": TRAINED_NETWORKS,
        "tests/engine/test_ensemble.py::test_a[dan]": TRAINED_NETWORKS,
        f"tests/engine/elastic/test_client.py::test_a[{first}]": SERVER.format(first),
        "tests/domain/test_rater_agreement.py::test_a": TRAINED_NETWORKS,
        "tests/experiments/test_attacks.py::test_a": TRAINED_NETWORKS,
        "tests/experiments/test_curves.py::test_a": EXPERIMENTS,
        "tests/experiments/test_tags.py::test_a": EXPERIMENTS,
        "tests/system/test_atomic.py::test_a": "tests/system/test_atomic.py",
    }
    assert {test: scheduling._split_scope(test) for test in groups} == groups


@pytest.mark.parametrize("names", [("gw0", "gw1"), ("gw1", "gw0")])
def test_one_process_alone_has_the_files_that_train(scheduling, names):
    trained = ["tests/engine/test_dense.py::test_a", "tests/index_builder/training/test_dan.py::test_b"]
    scheduling.numnodes = 2
    processes = {name: Process(name) for name in names}
    for name, process in processes.items():
        scheduling.add_node(process)
        scheduling.add_node_collection(process, trained if name == TRAINING_PROCESS else [])
    scheduling.schedule()

    assert processes["gw0"].taken == [0, 1]
    assert processes["gw1"].taken == []
    assert all(process.shutting_down for process in processes.values())


@pytest.mark.parametrize(("left_out", "refused"), [("test_dense", False), ("test_bundle", True)])
def test_all_processes_have_every_other_test(scheduling, left_out, refused):
    told, scheduling.numnodes = [], 2
    hook = SimpleNamespace(pytest_collectreport=lambda report: told.append(report.longrepr))
    scheduling.config = SimpleNamespace(hook=hook)
    tests = [f"tests/engine/{name}.py::test_a" for name in ("test_bundle", "test_dense")]
    for name, known in {"gw0": tests, "gw1": [test for test in tests if left_out not in test]}.items():
        process = Process(name)
        scheduling.add_node(process)
        scheduling.add_node_collection(process, known)

    assert scheduling._check_nodes_have_same_collection() is not refused
    assert [left_out in one for one in told] == [True] * refused


def test_every_declared_group_and_test_is_there():
    servers = {SERVER.format(version) for version in VERSIONS}
    files = {*LONGEST, *PROOFS} - {*servers, TRAINED_NETWORKS, EXPERIMENTS}
    assert len({*LONGEST}) == len(LONGEST)
    assert [file for file in files if not (ROOT / file).is_file()] == []
    for file, names in PROOFS.items():
        there = re.findall(r"^def (test_\w+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert names is ALL or set(names) <= set(there), file


@pytest.mark.parametrize(
    ("test", "fixtures", "proof"),
    [
        ("tests/scenarios/test_kill.py::test_anything[3]", (), True),
        ("tests/bench/test_clue_accuracy.py::test_another", (), False),
        ("tests/formats/test_packets.py::test_no_document_takes_long[cells]", (), True),
        ("tests/store/test_store.py::test_anything", ("tmp_path",), False),
        ("tests/store/test_store.py::test_anything", ("tmp_path", "shared_data"), True),
        ("tests/store/test_store.py::test_anything[8.19.0]", ("elasticsearch",), True),
    ],
)
def test_a_test_is_a_proof_if_it_is_declared_or_needs_what_takes_long(test, fixtures, proof):
    assert is_proof(test, fixtures) is proof


def test_the_marks_of_this_run_come_from_the_tables(request):
    for item in request.session.items:
        marked = item.get_closest_marker("proof") is not None
        assert marked is is_proof(item.nodeid, item.fixturenames), item.nodeid


def test_a_run_names_what_took_long_and_is_not_declared():
    short, long = (f"tests/domain/test_moments.py::test_{name}" for name in ("short", "long"))
    many = [f"tests/domain/test_styles.py::test_many[{number}]" for number in range(6)]
    declared = f"{LONGEST[-1]}::test_anything"
    durations = [(short, 0.2), (long, 12.0), (long, 4.0), *((test, 6.0) for test in many)]

    assert undeclared([*durations, (declared, 9.0), (declared, 9.0), (declared, 9.0)]) == [
        f"{long} took 16 s: make it shorter, or declare it in PROOFS.",
        f"{declared} took 27 s: make it shorter, or declare it in PROOFS.",
        "tests/domain/test_styles.py took 36 s: declare the group in LONGEST.",
    ]
    assert undeclared([(short, 0.2), (short, 0.1)]) == []
