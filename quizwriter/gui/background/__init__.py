"""Threads and processes beside the window's: players, the saver, jobs, and programs that say how far they are.

Nothing else in :mod:`quizwriter.gui` starts a thread or a process.
"""
