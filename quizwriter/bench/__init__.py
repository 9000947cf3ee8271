"""How long a writer waits: ``quizwriter bench``."""
