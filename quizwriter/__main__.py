"""``python -m quizwriter``, and where the command ``quizwriter`` begins."""

import os
import sys

# One thread for matrix products, before NumPy asks: a second one takes the core that the window types on,
# which makes keys wait longer than it makes networks play quicker (measured with bench on two cores).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def start() -> int:
    """Run the command; the exit status. The program is imported inside, so that Ctrl-C is quiet then too."""
    try:
        from quizwriter.cli import main

        return main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(start())
