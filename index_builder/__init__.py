"""Builds what QuizWriter loads: bundles of questions and encyclopedia text, with the players trained on them.

``data`` gathers passages from files and the internet, ``index`` turns them into points, ``training`` fits the
networks, the ensemble and the buzzers. Above them stand the four things that QuizWriter and the command line
ask for: :mod:`~index_builder.build` builds a bundle, :mod:`~index_builder.pipeline` does everything from the
fetching on, :mod:`~index_builder.starter` builds the bundle of the first start, and
:mod:`~index_builder.user_packets` adds a user's own packets. ``python -m index_builder`` is the command line.

Nothing here knows of windows, of the database of tossups or of settings.
"""
