"""The engine: bundles, the players in them, and their buzzers.

:func:`quizwriter.engine.engine.load` turns a bundle into players; :mod:`quizwriter.engine.player_process` is
a program. Nothing in the package depends on :mod:`quizwriter.workflow` or :mod:`quizwriter.formats`.
"""
