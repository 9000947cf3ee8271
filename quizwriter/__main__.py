"""``python -m quizwriter``."""

import sys

from quizwriter.cli import main

sys.exit(main())
