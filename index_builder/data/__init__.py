"""Where texts come from: what can be fetched, how files are read, and the corpus gathered from them.

This package turns addresses and files into passages under pages. Nothing here knows how a passage is indexed,
trained on or published. What the other packages use is imported here by name; :mod:`index_builder.data.fetch`
and :mod:`index_builder.data.encyclopedia` are imported by their own names, because they load an HTTP client
that building a bundle does not need.
"""

from index_builder.data.aliases import LineNames as LineNames
from index_builder.data.answer_map import AnswerMap as AnswerMap
from index_builder.data.answer_map import other_numbers as other_numbers
from index_builder.data.answer_map import page_keys as page_keys
from index_builder.data.catalogue import QANTA as QANTA
from index_builder.data.catalogue import WIKIPEDIA as WIKIPEDIA
from index_builder.data.catalogue import DataSource as DataSource
from index_builder.data.catalogue import megabytes as megabytes
from index_builder.data.corpus import Corpus as Corpus
from index_builder.data.corpus import HeldTossup as HeldTossup
from index_builder.data.corpus import InputReader as InputReader
from index_builder.data.corpus import Inputs as Inputs
from index_builder.data.corpus import LibraryRow as LibraryRow
from index_builder.data.corpus import PassageRow as PassageRow
from index_builder.data.corpus import UnfiledPassage as UnfiledPassage
from index_builder.data.corpus import bundle_passages as bundle_passages
from index_builder.data.corpus import filed as filed
from index_builder.data.corpus import gather_corpus as gather_corpus
from index_builder.data.corpus import passage_categories as passage_categories
from index_builder.data.corpus import sorted_library as sorted_library
from index_builder.data.corpus import split_article as split_article
from index_builder.data.corpus import unfiled as unfiled
from index_builder.data.readers import Article as Article
from index_builder.data.readers import BonusPart as BonusPart
from index_builder.data.readers import parts_of_bonus as parts_of_bonus
from index_builder.data.readers import read_articles as read_articles
