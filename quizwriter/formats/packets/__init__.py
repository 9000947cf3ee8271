"""Packets as people type them, in Word documents and plain text, and as MODAQ reads them."""

from quizwriter.formats.packets.grammar import MOST_LINES as MOST_LINES
from quizwriter.formats.packets.grammar import WORD as WORD
from quizwriter.formats.packets.grammar import read_packet as read_packet
from quizwriter.formats.packets.grammar import read_pasted as read_pasted
from quizwriter.formats.packets.modaq import is_modaq as is_modaq
from quizwriter.formats.packets.packet_questions import LONGEST_WORDS as LONGEST_WORDS
from quizwriter.formats.packets.packet_questions import Packet as Packet
from quizwriter.formats.packets.packet_questions import PacketBonus as PacketBonus
from quizwriter.formats.packets.packet_questions import PacketTossup as PacketTossup
from quizwriter.formats.packets.packet_questions import UnreadQuestion as UnreadQuestion
from quizwriter.formats.packets.packet_rows import SUFFIXES as SUFFIXES
from quizwriter.formats.packets.packet_rows import packet_rows as packet_rows
from quizwriter.formats.packets.packet_rows import question_rows as question_rows
