"""The services that windows and commands share, one class for each concern; :class:`App` holds them all.

A service has the state that it needs and calls the store, the engine and the formats. No service knows
windows or commands. Other packages import from this module, not from the modules in it.
"""

from typing import TYPE_CHECKING

from quizwriter.services.downloads import SOURCES_FOLDER as SOURCES_FOLDER
from quizwriter.services.downloads import DownloadOffer as DownloadOffer
from quizwriter.services.downloads import Downloads as Downloads
from quizwriter.services.engines import Engines as Engines
from quizwriter.services.packets import Packets as Packets
from quizwriter.services.profile import Profile as Profile
from quizwriter.services.queue import Queue as Queue
from quizwriter.services.review import RecordReport as RecordReport
from quizwriter.services.review import ReviewService as ReviewService
from quizwriter.services.tossups import DatabaseReport as DatabaseReport
from quizwriter.services.tossups import TitledHistory as TitledHistory
from quizwriter.services.tossups import Tossups as Tossups
from quizwriter.services.tossups import phenomena as phenomena
from quizwriter.services.tossups import read_tossups as read_tossups
from quizwriter.services.transfer import SUFFIX as SUFFIX
from quizwriter.services.transfer import BranchLine as BranchLine
from quizwriter.services.transfer import MergeOutcome as MergeOutcome
from quizwriter.services.transfer import MergeReport as MergeReport
from quizwriter.services.transfer import Progress as Progress
from quizwriter.services.transfer import Transfer as Transfer
from quizwriter.services.transfer import display_title as display_title
from quizwriter.services.transfer import merge_report_sentence as merge_report_sentence
from quizwriter.services.wiring import DATABASE as DATABASE
from quizwriter.services.wiring import App as App
from quizwriter.settings import resources_folder as resources_folder
from quizwriter.store import TossupSummary as TossupSummary

if TYPE_CHECKING:
    from index_builder.user_packets import PacketImport as PacketImport
    from quizwriter.engine import Engine as Engine
    from quizwriter.engine.elastic import ServerReport as ServerReport
