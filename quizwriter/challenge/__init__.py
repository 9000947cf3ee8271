"""Challenge sets: folders of released tossups and their games, for others to load, verify and cite.

Making one:

``export``      from the database to the folder, for the window and the command; ``reports`` say what it found
``selection``   which tossups are released, which one stands for its near duplicates, and the splits
``remarks``     the texts of a release: of the tossups, and what people wrote about them, where that is wanted
``name_search`` the search for people's names, and the editor's decisions; ``name_forms`` and
                ``near_names``: how names look; ``name_texts``: what a text says to who reads it
``privacy``     pseudonyms
``control``     held-back questions that are played beside a set
``layout``      the files, their formats, their digests, and how the folder is written
``figures``     every figure that a set states, computed from its rows
``documents``   the README and the plot; ``data_sheet``, ``citation`` and ``statements``: the other documents
``metadata``    the editor's statements about a set, and the ledger of earlier releases

Reading one:

``verify``      verifies a folder; ``set_reader`` computes from its rows what its files state
``retraction``  lists the questions of a released set, and withdraws some in a new version
``release_signature``  signs the digests, and checks such a signature
"""
