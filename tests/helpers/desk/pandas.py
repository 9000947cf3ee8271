"""Stands before pandas in the child processes of tests: at a writer's desk there is none.

sqlite-utils imports pandas where it finds it, which takes longer than a small program itself.
"""

raise ImportError("There is no pandas at a writer's desk.")
