"""Comments, suggestions, statuses, categories and tags of tossups, as a writer and an editor see them."""
