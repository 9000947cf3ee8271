"""The verbs: writing a draft, reading it to players, checking, deciding, telling people what came of it.

A module here works on the nouns of :mod:`quizwriter.domain` and needs the standard library only. It opens
no file and no database; what it needs is handed to it. Each module is a door of its own.
"""
