"""The history of a tossup in a window."""
