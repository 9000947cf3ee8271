"""The player that asks a language model over the chat-completions protocol.

Other packages import this module only. Inside are ``prompt`` (what is asked, and why so), ``chat_answers``
(what a server says, read strictly), ``chat_client`` (the connection, its limits and its troubles) and
``guesser`` (the player). Nothing here knows a database or settings.
"""
