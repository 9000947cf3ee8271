"""The services that windows and commands share, one class for each concern; :class:`App` holds them all.

A service has the state that it needs and calls the store, the engine and the formats. No service knows
windows or commands. Other packages import from this module, not from the modules in it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from quizwriter.resource_files import resources_folder as resources_folder
from quizwriter.services.downloads import SOURCES_FOLDER as SOURCES_FOLDER
from quizwriter.services.downloads import DownloadOffer as DownloadOffer
from quizwriter.services.downloads import Downloads as Downloads
from quizwriter.services.engines import Engines as Engines
from quizwriter.services.language_models import LanguageModels as LanguageModels
from quizwriter.services.language_models import without_gaps as without_gaps
from quizwriter.services.packets import Packets as Packets
from quizwriter.services.profile import Profile as Profile
from quizwriter.services.review import PlannedStatus as PlannedStatus
from quizwriter.services.review import RecordReport as RecordReport
from quizwriter.services.review import ReviewService as ReviewService
from quizwriter.services.tossups import DatabaseReport as DatabaseReport
from quizwriter.services.tossups import EditReport as EditReport
from quizwriter.services.tossups import TitledHistory as TitledHistory
from quizwriter.services.tossups import Tossups as Tossups
from quizwriter.services.tossups import phenomena as phenomena
from quizwriter.services.tossups import read_tossups as read_tossups
from quizwriter.services.wiring import DATABASE as DATABASE
from quizwriter.services.wiring import App as App
from quizwriter.store import DamagedDatabaseError as DamagedDatabaseError
from quizwriter.store import TossupSummary as TossupSummary

if TYPE_CHECKING:
    from index_builder.user_packets import PacketImport as PacketImport
    from quizwriter.engine import Engine as Engine
    from quizwriter.engine.elastic import ServerReport as ServerReport
    from quizwriter.services.branches import Branches as Branches
    from quizwriter.services.branches import BranchFamily as BranchFamily
    from quizwriter.services.branches import BranchLine as BranchLine
    from quizwriter.services.branches import JoinedBranches as JoinedBranches
    from quizwriter.services.briefs import SetBriefReport as SetBriefReport
    from quizwriter.services.briefs import SetBriefs as SetBriefs
    from quizwriter.services.clue_lookup import ClueLookup as ClueLookup
    from quizwriter.services.control_arms import ControlArms as ControlArms
    from quizwriter.services.control_arms import hidden_among as hidden_among
    from quizwriter.services.packet_printing import PacketPrinting as PacketPrinting
    from quizwriter.services.past_questions import PastQuestions as PastQuestions
    from quizwriter.services.plays import PlayReport as PlayReport
    from quizwriter.services.plays import Plays as Plays
    from quizwriter.services.problems import Problems as Problems
    from quizwriter.services.problems import Surroundings as Surroundings
    from quizwriter.services.queue import Queue as Queue
    from quizwriter.services.recorded_rooms import RecordedRooms as RecordedRooms
    from quizwriter.services.recorded_rooms import RoomImport as RoomImport
    from quizwriter.services.recorded_rooms import curve_rows as curve_rows
    from quizwriter.services.recovery import BackupLine as BackupLine
    from quizwriter.services.recovery import Recovery as Recovery
    from quizwriter.services.recovery import RescueReport as RescueReport
    from quizwriter.services.recovery import rescue as rescue
    from quizwriter.services.rewriting import RewriteBank as RewriteBank
    from quizwriter.services.set_log import SetLog as SetLog
    from quizwriter.services.sources import ClueSources as ClueSources
    from quizwriter.services.sources import StoredSources as StoredSources
    from quizwriter.services.statistics import Statistics as Statistics
    from quizwriter.services.statistics import StatisticsReport as StatisticsReport
    from quizwriter.services.survival import SurvivalResults as SurvivalResults
    from quizwriter.services.transfer import MOST_PREVIEWED as MOST_PREVIEWED
    from quizwriter.services.transfer import SUFFIX as SUFFIX
    from quizwriter.services.transfer import ImportPreview as ImportPreview
    from quizwriter.services.transfer import ImportReport as ImportReport
    from quizwriter.services.transfer import MergeOutcome as MergeOutcome
    from quizwriter.services.transfer import MergeReport as MergeReport
    from quizwriter.services.transfer import Progress as Progress
    from quizwriter.services.transfer import Transfer as Transfer
    from quizwriter.services.transfer import display_title as display_title
    from quizwriter.services.transfer import left_out_lines as left_out_lines
    from quizwriter.services.transfer import merge_report_sentence as merge_report_sentence
    from quizwriter.services.transfer import signatures_json as signatures_json
    from quizwriter.services.what_if import WhatIf as WhatIf

_LATER = {
    "BranchFamily": "branches",
    "BranchLine": "branches",
    "Branches": "branches",
    "JoinedBranches": "branches",
    "ClueLookup": "clue_lookup",
    "ControlArms": "control_arms",
    "hidden_among": "control_arms",
    "Queue": "queue",
    "RewriteBank": "rewriting",
    "SetBriefReport": "briefs",
    "SetBriefs": "briefs",
    "ClueSources": "sources",
    "StoredSources": "sources",
    "Statistics": "statistics",
    "StatisticsReport": "statistics",
    "PastQuestions": "past_questions",
    "Plays": "plays",
    "PlayReport": "plays",
    "PacketPrinting": "packet_printing",
    "SurvivalResults": "survival",
    "WhatIf": "what_if",
    "Problems": "problems",
    "Surroundings": "problems",
    "SetLog": "set_log",
    "RecordedRooms": "recorded_rooms",
    "RoomImport": "recorded_rooms",
    "curve_rows": "recorded_rooms",
    "BackupLine": "recovery",
    "Recovery": "recovery",
    "RescueReport": "recovery",
    "rescue": "recovery",
} | dict.fromkeys(
    (
        "SUFFIX",
        "ImportPreview",
        "ImportReport",
        "MergeOutcome",
        "MergeReport",
        "Progress",
        "Transfer",
        "display_title",
        "MOST_PREVIEWED",
        "left_out_lines",
        "merge_report_sentence",
        "signatures_json",
    ),
    "transfer",
)
"""Names whose modules are imported at their first use: the start of the window does not wait for them."""


def __getattr__(name: str) -> object:
    """What the door offers of a module that is imported at its first use."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
