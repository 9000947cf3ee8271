"""``python -m quizwriter``, and where the command ``quizwriter`` begins."""

import gc
import os
import sys

# One thread for matrix products, before NumPy asks: a second one takes the core that the window types on,
# which makes keys wait longer than it makes networks play quicker (measured with bench on two cores).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def start() -> int:
    """Run the command; the exit status. The program is imported inside, so that Ctrl-C is quiet then too."""
    try:
        gc.disable()  # imported modules are no garbage, and looking for some takes a tenth of the start
        from quizwriter.system.children import OPTION, run_child

        if sys.argv[1:2] == [OPTION]:
            return run_child(sys.argv[2:])
        from quizwriter.cli import main

        gc.enable()
        return main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(start())
