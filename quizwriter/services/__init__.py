"""The services that windows and commands share, one class for each concern.

:class:`quizwriter.services.wiring.App` holds them all. A service has the state that it needs and calls the
store, the engine and the formats. No service knows windows or commands.
"""
