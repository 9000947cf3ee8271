"""The parts of statsmodels that QuizWriter uses."""
