"""The nouns of quizbowl and of writing: tossup, answer, guess, play, evidence, edit, event.

A module here holds values and what follows from them alone. It needs the standard library only: no files, no
database, no clock, no window. Each module is a door of its own.
"""
