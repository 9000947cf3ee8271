"""Experiments: what people and players make of questions, with the statistics of the published papers.

One experiment is one function that is declared with the question it answers, its table and its plot
(:mod:`quizwriter.experiments.registry`, which lists their modules). ``inputs`` reads what it is given,
``estimates`` and ``inference`` hold the statistics, ``runner`` runs one and writes CSV, JSON, SVG and PNG.
Nothing of Qt or SQL belongs here; the libraries for statistics and plots are imported where they are used.
"""
