"""Challenge sets: folders of released tossups and their games, for others to load, verify and cite.

``export``     from the database to the folder; the window and the command call it
``selection``  which tossups are released, which one stands for its near duplicates, and the splits
``privacy``    pseudonyms, and the search for names
``layout``     the files, their formats, their digests, and how the folder is written
``documents``  the data sheet, the README, the plot and the licence
``metadata``   the editor's statements about a set, and the ledger of earlier releases
``verify``     verifies a folder, and withdraws questions from it
"""
