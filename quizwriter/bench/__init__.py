"""How long a writer waits: ``quizwriter bench`` times the engine and the window.

Nothing of the program imports this package but the command.
"""
