"""The player that asks an Elasticsearch server, and the secrets that open that server.

Other packages import this module only. Inside are ``client`` (connection, errors, versions, index),
``term_queries`` (terms and clauses), ``game`` and ``evidence`` (what is asked for a tossup), ``guesser`` (the
player) and ``secrets`` (keyring and settings). No other package of the program imports the library
``elasticsearch``; only ``secrets`` reads settings.
"""
