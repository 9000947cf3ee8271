"""The history of one tossup in a window: its versions, its chart, and what moved the players."""
