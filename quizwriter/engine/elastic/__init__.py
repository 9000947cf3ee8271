"""The player that asks an Elasticsearch server."""

from quizwriter.engine.elastic.game import ABOUT as ABOUT
from quizwriter.engine.elastic.game import EVERY as EVERY
from quizwriter.engine.elastic.game import FEW as FEW
from quizwriter.engine.elastic.game import MARKS as MARKS
from quizwriter.engine.elastic.game import META as META
from quizwriter.engine.elastic.game import MOMENTS as MOMENTS
from quizwriter.engine.elastic.game import NAME as NAME
from quizwriter.engine.elastic.game import PATIENCE as PATIENCE
from quizwriter.engine.elastic.game import PRIOR as PRIOR
from quizwriter.engine.elastic.game import SCHEMA as SCHEMA
from quizwriter.engine.elastic.game import Connection as Connection
from quizwriter.engine.elastic.game import ElasticGuesser as ElasticGuesser
from quizwriter.engine.elastic.game import ElasticIndex as ElasticIndex
from quizwriter.engine.elastic.game import Found as Found
from quizwriter.engine.elastic.game import ServerReport as ServerReport
from quizwriter.engine.elastic.game import connect as connect
from quizwriter.engine.elastic.game import open_index as open_index
from quizwriter.engine.elastic.game import probe_index as probe_index
from quizwriter.engine.elastic.game import term_names as term_names
from quizwriter.engine.elastic.game import translate_errors as translate_errors
from quizwriter.engine.elastic.game import version_of as version_of
