"""The player that asks a language model over the chat-completions protocol.

Other packages import this module only. Inside are ``prompt`` (what is asked, and why so), ``chat_answers``
(what a server says, read strictly), ``chat_client`` (the connection, its limits and its troubles) and
``guesser`` (the player). Nothing here knows a database or settings.
"""

from quizwriter.engine.language_model.chat_answers import ModelAnswer as ModelAnswer
from quizwriter.engine.language_model.chat_answers import read_completion as read_completion
from quizwriter.engine.language_model.chat_answers import read_guesses as read_guesses
from quizwriter.engine.language_model.chat_answers import read_models as read_models
from quizwriter.engine.language_model.chat_client import ChatClient as ChatClient
from quizwriter.engine.language_model.chat_client import ModelEndpoint as ModelEndpoint
from quizwriter.engine.language_model.chat_client import ModelTrouble as ModelTrouble
from quizwriter.engine.language_model.guesser import NAME as NAME
from quizwriter.engine.language_model.guesser import AnswerMemory as AnswerMemory
from quizwriter.engine.language_model.guesser import LanguageModelGuesser as LanguageModelGuesser
from quizwriter.engine.language_model.guesser import ModelUse as ModelUse
from quizwriter.engine.language_model.guesser import NoGuesses as NoGuesses
from quizwriter.engine.language_model.guesser import StatedBuzzer as StatedBuzzer
from quizwriter.engine.language_model.guesser import clue_spans as clue_spans
from quizwriter.engine.language_model.prompt import PROMPT_VERSION as PROMPT_VERSION
from quizwriter.engine.language_model.prompt import estimated_tokens as estimated_tokens
from quizwriter.engine.sentence_points import sentence_ends as sentence_ends
from quizwriter.engine.sentence_points import share_points as share_points
