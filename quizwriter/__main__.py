"""``python -m quizwriter``, and where the command ``quizwriter`` begins."""

import sys


def start() -> int:
    """Run the command; the exit status. The program is imported inside, so that Ctrl-C is quiet then too."""
    try:
        from quizwriter.cli import main

        return main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(start())
