"""Comments, statuses and tags in the window."""
