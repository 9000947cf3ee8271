"""QuizWriter: write quizbowl tossups with the machine looking over your shoulder.

The map of the package, from the inside out:

``errors``    what the world does wrong, as one sentence and a remedy
``domain``    the nouns: tossup, guess, evidence, history (standard library only)
``workflow``  the verbs: write, analyse, evaluate (standard library only)
``engine``    the machine players, loaded from a bundle
``store``     SQLite: every edit and what was shown
``settings``  where files live and what the user chose
``app``       where the parts meet
``gui``       the window (Qt, and only here)
``cli``       every command
"""

__version__ = "0.1.0"
