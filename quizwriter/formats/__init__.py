"""Files that people already have, and the packs that writers send each other, as values and back.

Everything read here comes from outside and is checked against types and limits. Nothing here knows of
bundles, of the database or of windows.
"""
