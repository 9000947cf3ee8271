"""Files that people already have, and what writers send each other."""
