"""Turns questions and encyclopedia text into the bundle that QuizWriter loads."""
