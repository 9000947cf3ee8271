"""Where texts come from: what can be fetched, how files are read, and the corpus gathered from them.

This package turns addresses and files into passages under pages. Nothing here knows how a passage is indexed,
trained on or published. What the other packages use is imported here by name; :mod:`index_builder.data.fetch`
and :mod:`index_builder.data.encyclopedia` are imported by their own names, because they load an HTTP client
that building a bundle does not need.
"""
