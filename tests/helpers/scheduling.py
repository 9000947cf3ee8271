"""Which tests stay together where several processes test at once, and which of them begin.

A file's tests stay in one process, which makes what its fixtures share once. So do all files that train, of
which the first waits three seconds for PyTorch's optimizers, all experiments, which import statistics and
plots, and all tests of one version of Elasticsearch. pytest-xdist has marks for this, but its version 3.8
loses them under pytest 9.2. Only the process that trains imports the files that do: PyTorch takes it three
seconds more, and each process waits for the others.

``make test`` runs what a developer needs at every change. Tests that only prove get the mark ``proof`` from
the tables here; ``make test-all`` runs them, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling

from tests.helpers.elasticsearch_node import VERSIONS

ROOT = Path(__file__).parents[2]
TRAINED = re.compile(
    r"^def \w+\([^)]*\b(?:trees|forest|novels_with_distractor)\b|"
    r"^from index_builder\.(?:training|trials)\b|^import torch\b|^ *from sklearn\b",
    re.MULTILINE,
)
VERSION = re.compile(r"\[({})\b".format("|".join(map(re.escape, VERSIONS))))


LONG_TEST_S, LONG_GROUP_S = 15.0, 30.0  # of three processes that share two cores
"""A run names the tests and groups that take longer on its machine and are not declared here."""

SERVER, TRAINED_NETWORKS, EXPERIMENTS = "Elasticsearch {}", "trained networks", "experiments"
TRAINING_PROCESS = "gw0"
"""What pytest-xdist calls the process that trains."""

FIRST_VERSION, *OTHER_VERSIONS = VERSIONS

PROVING_FIXTURES = frozenset({"elasticsearch", "forest", "novels_with_distractor", "shared_data", "site"})
"""Servers, trained networks, the real questions, the built pages: a test that needs one of them proves."""

ALL = ("",)
PROOFS = {
    "tests/bench/test_long.py": ("test_a_long_day_types_all_keys_and_changes_bundles_in_turns",),
    "tests/bench/test_clue_accuracy.py": ("test_the_bench_of_the_desk_has_these_figures_and_times",),
    "tests/bench/test_window.py": (
        "test_a_history_of_all_its_edits_is_opened_and_gone_through",
        "test_each_bell_is_clicked_before_and_after_its_evidence_is_prepared",
        "test_the_queue_is_timed_over_all_its_rows",
    ),
    "tests/challenge/test_challenge_set.py": ("test_a_withdrawn_question_is_listed_and_all_else_stays",),
    "tests/challenge/test_release_claims.py": (
        "test_a_version_never_goes_back_behind_a_retraction_or_an_export",
    ),
    "tests/challenge/test_recounted_figures.py": (
        "test_every_figure_of_a_random_set_is_what_a_plain_recount_gives",
    ),
    "tests/cli/test_maintenance.py": ("test_bench_takes_the_figures_of_players_texts_and_starts",),
    "tests/cli/test_window.py": ("test_the_window_is_made_without_what_is_used_after_it_is_shown",),
    "tests/engine/elastic/test_client.py": (
        "test_a_server_that_hangs_is_given_up_and_one_that_dies_is_said",
        "test_copies_answer_for_a_lost_node_and_without_copies_it_is_said",
    ),
    "tests/engine/test_stock_clue_truth.py": ALL,
    "tests/engine/test_dense.py": ("test_networks_that_are_trained_later_leave_its_buzzer",),
    "tests/experiments/test_result_pages.py": (
        "test_every_change_of_how_a_page_counts_changes_its_outputs",
        "test_the_outputs_of_a_run_with_a_control_change_with_the_draw_of_the_control",
        "test_the_outputs_of_a_server_that_ranks_are_what_it_is_asked",
    ),
    "tests/experiments/test_skills.py": (
        "test_two_skills_are_found_where_people_have_two",
        "test_one_ability_is_enough_where_people_have_one",
    ),
    "tests/experiments/test_training_plans.py": ("test_the_process_does_what_it_is_asked",),
    "tests/experiments/test_attacks.py": (
        "test_the_same_seed_gives_the_same_bytes_and_attacks_do_not_depend_on_each_other",
    ),
    "tests/index_builder/test_synonym_list.py": ("test_the_list_that_comes_with_us_is_of_wordnet",),
    "tests/formats/test_styled_html.py": ("test_the_time_grows_with_the_length",),
    "tests/formats/test_packets.py": (
        "test_a_text_of_fifty_thousand_short_lines_is_read_in_linear_time",
        "test_generated_packets_come_back_in_every_layout",
        "test_no_document_takes_long",
    ),
    "tests/fuzz/test_fuzz.py": ALL,
    "tests/gui/dialogs/test_evidence_download.py": (
        "test_the_real_program_brings_real_evidence_through_cuts_and_kills",
    ),
    "tests/gui/dialogs/test_publishing_to_nodes.py": (
        "test_of_three_nodes_one_is_killed_while_passages_are_sent_and_nothing_is_lost",
    ),
    "tests/gui/test_elasticsearch_player.py": (
        "test_a_server_that_hangs_and_comes_back_and_then_dies_in_a_query",
    ),
    "tests/gui/background/test_garbage.py": ("test_loaded_data_that_became_garbage_are_released",),
    "tests/gui/game/test_all_faces.py": ALL,
    "tests/gui/game/test_key_down.py": ALL,
    "tests/gui/writing/test_draft_undo.py": (
        "test_any_mix_of_keys_switching_and_restarting_gives_the_texts_of_a_plain_model",
    ),
    "tests/index_builder/data/test_encyclopedia.py": (
        "test_real_articles_from_a_stand_in_of_their_encyclopedia",
    ),
    "tests/index_builder/test_main.py": ("test_training_prints_its_report_as_json_and_nothing_else",),
    "tests/index_builder/index/test_delta_index.py": (
        "test_with_no_tolerance_an_addition_plays_as_a_bundle_of_everything",
    ),
    "tests/index_builder/test_pipeline.py": ("test_another_program_reads_the_progress_in_lines",),
    "tests/index_builder/test_starter.py": ALL,
    "tests/index_builder/training/test_distractor.py": (
        "test_chances_of_saying_and_copying_are_one_together_and_padding_is_never_copied",
        "test_the_same_seed_learns_the_same_bytes_and_another_does_not",
    ),
    "tests/index_builder/training/test_fine_tuning.py": ALL,
    "tests/index_builder/training/test_qanta_recipes.py": ALL,
    "tests/index_builder/training/test_trainer.py": ALL,
    "tests/judging/test_judge_on_data.py": ALL,
    "tests/judging/test_verdict_table.py": (
        "test_all_published_cases",
        "test_thousands_of_answers_to_shared_lines",
    ),
    "tests/scenarios/test_playtest_page.py": ALL,
    "tests/scenarios/test_editors_day.py": ALL,
    "tests/scenarios/test_ensemble_match.py": ALL,
    "tests/scenarios/test_five_writers.py": ALL,
    "tests/scenarios/test_full_disk.py": ALL,
    "tests/scenarios/test_kill.py": ALL,
    "tests/scenarios/test_power_loss.py": ALL,
    "tests/scenarios/test_room_page.py": ALL,
    "tests/scenarios/test_screen_reader.py": ALL,
    "tests/scenarios/test_together.py": ALL,
    "tests/scenarios/test_whose_day.py": ALL,
    "tests/scenarios/test_writers_day.py": ALL,
    "tests/services/test_attacked_room.py": ALL,
    "tests/services/test_crowded_rooms.py": ALL,
    "tests/services/test_faces.py": ("test_300_scripted_games_end_in_the_same_log_in_all_faces",),
    "tests/services/test_playtests.py": (
        "test_a_hostile_mail_is_refused_at_once",
        "test_a_packet_of_twenty_is_small",
        "test_every_byte_of_the_page_is_the_same_in_another_process",
    ),
    "tests/services/test_publishing.py": ("test_a_server_that_does_not_answer_is_a_line_with_a_remedy",),
    "tests/services/test_rooms.py": (
        "test_a_flood_of_frames_that_say_nothing_ends_one_connection",
        "test_a_killed_room_goes_on_where_it_was_and_everybody_has_their_seat",
        "test_a_phone_hears_something_every_two_seconds",
        "test_a_room_whose_port_was_taken_meanwhile_opens_at_another",
        "test_of_many_that_ask_for_nothing_the_first_goes_and_no_request_is_endless",
        "test_while_strangers_crowd_the_door_seats_come_back_and_other_addresses_take_turns",
        "test_a_message_that_is_too_long_ends_the_connection",
        "test_a_thousand_buzzes_end_one_connection_and_nothing_else",
        "test_of_fifty_that_say_nothing_the_oldest_makes_room_and_who_has_a_seat_comes_back",
        "test_garbage_replays_and_buzzes_for_others_disturb_nobody",
        "test_guesses_of_the_code_are_limited_for_all_and_seats_are_not_locked_out",
        "test_only_pages_that_were_served_here_speak_with_the_room",
        "test_the_log_survives_a_kill_of_the_room_at_any_move",
        "test_whom_the_host_sends_away_has_no_seat_any_more",
    ),
    "tests/store/test_merging.py": (
        "test_any_order_any_repetition_and_any_subset_first_make_the_same_store",
        "test_machines_that_have_told_each_other_everything_know_the_same",
    ),
    "tests/store/test_store.py": (
        "test_programs_that_open_a_new_database_at_once_all_get_it_or_are_told_to_wait",
    ),
    "tests/store/test_views.py": ("test_sqlite_utils_is_imported_for_a_new_database_only_and_never_pandas",),
    "tests/system/test_extras.py": ("test_what_everybody_needs_imports_nothing_of_an_extra",),
    "tests/system/test_http_limits.py": ("test_a_hostile_answer_is_one_sentence_and_leaves_nothing",),
    "tests/test_patterns.py": ALL,
    "tests/test_released_files.py": ALL,
    "tests/test_starter_texts.py": ("test_it_is_hard_enough_to_be_fun",),
    "tests/workflow/test_answer_notes.py": ("test_a_hostile_line_is_looked_at_in_linear_time",),
    "tests/workflow/test_glossary.py": ("test_the_wheel_holds_the_glossary",),
    "tests/workflow/test_text_merge.py": ("test_texts_of_repeated_signs_are_merged_in_time",),
    "tests/workflow/test_problems.py": ("test_a_long_hostile_text_takes_linear_time_and_a_bounded_list",),
}
"""Other tests that prove: kills, floods, random stores, fuzzing, trainings, whole days, released files."""


def is_proof(test: str, fixtures: Collection[str]) -> bool:
    """Whether the test of this node id, which uses ``fixtures``, is left to ``make test-all``."""
    file, _, name = test.partition("::")
    return name.startswith(PROOFS.get(file, ())) or not PROVING_FIXTURES.isdisjoint(fixtures)


LONGEST = (
    SERVER.format(FIRST_VERSION),
    TRAINED_NETWORKS,
    EXPERIMENTS,
    "tests/index_builder/training/test_trainer.py",
    *(SERVER.format(version) for version in OTHER_VERSIONS),  # two servers at once would wait for each other
    "tests/fuzz/test_fuzz.py",
    "tests/engine/elastic/test_client.py",
    "tests/gui/dialogs/test_publishing_to_nodes.py",
    "tests/engine/test_stock_clue_truth.py",
    "tests/formats/test_packets.py",
    "tests/system/test_http_limits.py",
    "tests/scenarios/test_kill.py",
    "tests/gui/dialogs/test_preferences.py",
    "tests/services/test_playtests.py",
    "tests/services/test_rooms.py",
    "tests/services/test_attacked_room.py",
    "tests/gui/game/test_all_faces.py",
    "tests/gui/game/test_key_down.py",
    "tests/gui/game/test_room.py",
    "tests/judging/test_verdict_table.py",
    "tests/scenarios/test_playtest_page.py",
    "tests/scenarios/test_room_page.py",
    "tests/index_builder/training/test_fine_tuning.py",
    "tests/index_builder/test_build.py",
    "tests/test_starter_texts.py",
    "tests/test_patterns.py",
    "tests/index_builder/training/test_qanta_recipes.py",
    "tests/scenarios/test_ensemble_match.py",
    "tests/scenarios/test_five_writers.py",
    "tests/index_builder/test_starter.py",
    "tests/scenarios/test_editors_day.py",
    "tests/test_docs.py",
    "tests/challenge/test_challenge_set.py",
    "tests/test_released_files.py",
    "tests/cli/test_hostile_inputs.py",
    "tests/cli/test_tossups.py",
    "tests/gui/test_players.py",
    "tests/gui/test_opening_and_closing.py",
)
"""The groups of more than ten seconds, the longest first: they have to begin."""


def group(test: str) -> str:
    """The group of tests that the test of this node id stays with."""
    file = test.partition("::")[0]
    version = VERSION.search(test)
    if version:
        return SERVER.format(version[1])
    if _is_trained(file):
        return TRAINED_NETWORKS
    return EXPERIMENTS if file.startswith("tests/experiments/") else file


def undeclared(durations: Iterable[tuple[str, float]]) -> list[str]:
    """What is missing in the tables here, a sentence each.

    Args:
        durations: the node ids of the tests that ran and were no proofs, with the seconds of each part.
    """
    tests, groups = Counter(), Counter()
    for test, seconds in durations:
        tests[test] += seconds
        groups[group(test)] += seconds
    return [
        *(
            f"{test} took {took:.0f} s: make it shorter, or declare it in PROOFS."
            for test, took in tests.items()
            if took > LONG_TEST_S
        ),
        *(
            f"{name} took {took:.0f} s: declare the group in LONGEST."
            for name, took in groups.items()
            if took > LONG_GROUP_S and name not in LONGEST
        ),
    ]


class Together(LoadScopeScheduling):
    """Hands out groups of tests: the longest first, then those with most tests.

    So no process is left with a long group when there is nothing for the others any more.
    """

    def schedule(self):
        if self.collection is None:  # the process that has all tests comes first, and is no one too many
            for of_nodes in (self.registered_collections, self.assigned_work):
                for node in sorted(of_nodes, key=lambda node: node.gateway.id != TRAINING_PROCESS):
                    of_nodes[node] = of_nodes.pop(node)
        super().schedule()

    def _check_nodes_have_same_collection(self):
        everything, *others = map(set, self.registered_collections.values())
        elsewhere = set().union(*(everything ^ tests for tests in others))
        return {group(test) for test in elsewhere} <= {TRAINED_NETWORKS} or (
            super()._check_nodes_have_same_collection()
        )

    def _assign_work_unit(self, node):
        trains = node.gateway.id == TRAINING_PROCESS
        units = [unit for unit in self.workqueue if trains or unit != TRAINED_NETWORKS]
        if not units:
            node.shutdown()
            return
        first = TRAINED_NETWORKS if trains and TRAINED_NETWORKS in units else min(units, key=self._place)
        self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)

    def _place(self, group: str) -> tuple[int, int]:
        place = LONGEST.index(group) if group in LONGEST else len(LONGEST)
        return place, -len(self.workqueue[group])

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


@cache
def _is_trained(file: str) -> bool:
    return TRAINED.search((ROOT / file).read_text(encoding="utf-8")) is not None
