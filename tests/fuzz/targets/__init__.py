"""Every reader of foreign files, as targets of the fuzzer."""

from __future__ import annotations

from tests.fuzz.target import Target
from tests.fuzz.targets.answers import AnswerLines
from tests.fuzz.targets.bundles import Bundles
from tests.fuzz.targets.buzzes import BuzzFiles
from tests.fuzz.targets.challenge import ChallengeSets, ReleaseFiles
from tests.fuzz.targets.database import Databases
from tests.fuzz.targets.desk import Backups, DeskFiles, KeyFiles, Profiles, Texts
from tests.fuzz.targets.encoders import Encoders
from tests.fuzz.targets.libraries import Libraries
from tests.fuzz.targets.packets import ModaqPackets, Packets
from tests.fuzz.targets.packs import Packs
from tests.fuzz.targets.playtests import PlaytestResults
from tests.fuzz.targets.questions import Imports, QuestionFiles
from tests.fuzz.targets.rooms import PhoneMessages, RoomLogs
from tests.fuzz.targets.servers import (
    Downloads,
    ElasticsearchAnswers,
    EncyclopediaAnswers,
    LanguageModelAnswers,
)


def all_targets() -> list[Target]:
    """One object of each target."""
    return [
        QuestionFiles(),
        Imports(),
        BuzzFiles(),
        PlaytestResults(),
        RoomLogs(),
        PhoneMessages(),
        Packs("packs, bytes", rows=False),
        Packs("packs, rows", rows=True),
        Packets("packets, Word", word=True),
        Packets("packets, text", word=False),
        ModaqPackets(),
        ChallengeSets(),
        ReleaseFiles(),
        Bundles(),
        Libraries(),
        Encoders(),
        Databases(),
        Backups(),
        DeskFiles(),
        KeyFiles(),
        Profiles(),
        Texts(),
        AnswerLines(),
        ElasticsearchAnswers(),
        LanguageModelAnswers(),
        EncyclopediaAnswers(),
        Downloads(),
    ]
