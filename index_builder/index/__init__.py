"""Indexes: what each term adds to each page, for a bundle, for packets added to one, and for Elasticsearch.

This package turns passages under pages into points and writes them. Nothing here reads a file of questions,
fetches anything or trains a network. What the other packages use is imported here by name;
:mod:`index_builder.index.elastic_publisher` is imported by its own name, because only one command needs it.
"""
