"""Challenge sets: what was written against the players, as a folder that others can load, check and cite.

``exporting``  from the store to the folder; ``commands`` do the same without a window
``choosing``   which tossups, which of several alike, and to which split each belongs
``privacy``    pseudonyms, and the search for names
``folder``     the files and their forms, the digests, and how the folder is put in place
``documents``  the data sheet, the README and the picture
``release``    what the editor says of the set, and what earlier releases have settled
``checking``   verifies a folder, and withdraws questions from it
"""
