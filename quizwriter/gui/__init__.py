"""The windows, in Qt, and nothing but windows: what they show comes from :mod:`quizwriter.services`.

:mod:`quizwriter.gui.application` starts the program's window. ``main_window`` lays out the panes of
``writing``; the controllers beside it follow the draft, the sessions and the engine. ``review``,
``history``, ``queue`` and ``dialogs`` hold the other windows, ``widgets`` what several of them need,
``background`` threads and processes. No module here opens a file of tossups, speaks SQL or plays a tossup
itself.
"""
