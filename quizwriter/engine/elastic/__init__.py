"""The player that asks an Elasticsearch server, and the secrets that open that server.

Other packages import this module only. Inside are ``client`` (connection, errors, versions, index),
``term_queries`` (terms and clauses), ``game`` and ``evidence`` (what is asked for a tossup), ``guesser`` (the
player) and ``secrets`` (keyring and settings). No other package of the program imports the library
``elasticsearch``; only ``secrets`` reads settings.
"""

from quizwriter.engine.elastic.answers import BulkAnswer as BulkAnswer
from quizwriter.engine.elastic.answers import Counted as Counted
from quizwriter.engine.elastic.answers import IndexAbout as IndexAbout
from quizwriter.engine.elastic.answers import IndexSize as IndexSize
from quizwriter.engine.elastic.client import INDEX_SCHEMA as INDEX_SCHEMA
from quizwriter.engine.elastic.client import META_KEY as META_KEY
from quizwriter.engine.elastic.client import PRIOR_TERM as PRIOR_TERM
from quizwriter.engine.elastic.client import Connection as Connection
from quizwriter.engine.elastic.client import ServerReport as ServerReport
from quizwriter.engine.elastic.client import connect as connect
from quizwriter.engine.elastic.client import decode_answer as decode_answer
from quizwriter.engine.elastic.client import index_about as index_about
from quizwriter.engine.elastic.client import probe_index as probe_index
from quizwriter.engine.elastic.client import server_version as server_version
from quizwriter.engine.elastic.client import term_names as term_names
from quizwriter.engine.elastic.client import translate_errors as translate_errors
from quizwriter.engine.elastic.guesser import ElasticGuesser as ElasticGuesser
from quizwriter.engine.elastic.secrets import Secrets as Secrets
from quizwriter.engine.elastic.secrets import probe_server as probe_server
from quizwriter.engine.elastic.secrets import server_player as server_player
