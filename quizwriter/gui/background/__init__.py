"""Threads and processes beside the window's: players, the saver, jobs, and child processes.

Nothing else in :mod:`quizwriter.gui` starts a thread or a process.
"""
