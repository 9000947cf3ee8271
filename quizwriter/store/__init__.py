"""The database of one writer, in SQLite. :class:`Store` is the door; SQL stays in here.

:mod:`quizwriter.store.plays` is a door of its own: the plays of challenge sets are in another file. So
are :mod:`quizwriter.store.backups` and :mod:`quizwriter.store.restore`: they need no database that opens.
"""

from quizwriter.store.database import BUSY_MS as BUSY_MS
from quizwriter.store.database import MIGRATIONS as MIGRATIONS
from quizwriter.store.merging import MergeOutcome as MergeOutcome
from quizwriter.store.merging import MergeReport as MergeReport
from quizwriter.store.refusals import DamagedDatabaseError as DamagedDatabaseError
from quizwriter.store.store import Store as Store
from quizwriter.store.store import StoredTossup as StoredTossup
from quizwriter.store.summaries import OPENING as OPENING
from quizwriter.store.summaries import BranchState as BranchState
from quizwriter.store.summaries import ReleaseState as ReleaseState
from quizwriter.store.summaries import TossupSummary as TossupSummary
