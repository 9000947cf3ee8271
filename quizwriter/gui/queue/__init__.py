"""The queue: all tossups in a table."""
