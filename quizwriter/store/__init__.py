"""The database of one writer, in SQLite. :class:`Store` is the door; SQL stays in here.

:mod:`quizwriter.store.plays` is a door of its own: the plays of challenge sets are in another file. So
are :mod:`quizwriter.store.backups` and :mod:`quizwriter.store.restore`: they need no database that opens.
"""
