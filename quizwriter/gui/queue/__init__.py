"""The queue in a window: all tossups in a table, filtered, sorted, and changed several at a time."""
