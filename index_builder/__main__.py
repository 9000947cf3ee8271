"""``python -m index_builder``: the commands of ``quizwriter`` that make bundles, under their first name."""

import sys
from collections.abc import Callable
from pkgutil import resolve_name

main: Callable[..., int] = resolve_name("quizwriter.cli:builder_main")
"""By name, because the program depends on the builder and never the other way round."""

if __name__ == "__main__":
    sys.exit(main())
