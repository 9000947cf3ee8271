"""``python -m tests.fuzz --seconds 600``: run every reader of foreign files on mutated files.

A finding is a traceback, more than 5 seconds of the processor, more than 500 MB, a crash, or anything touched
outside the folder of the case. The exit status is 1 if there are findings; they lie in ``build/fuzz``.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.campaign import TARGETS, Campaign
from tests.fuzz.target import REPOSITORY
from tests.fuzz.worker import FINE


def main(arguments: list[str] | None = None) -> int:
    """Run a campaign, or one finding again."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default="", help="as text; without one, another seed at each run")
    parser.add_argument("--target", action="append", default=[], metavar="NAME", help="only this target")
    parser.add_argument("--cases", type=int, metavar="N", help="at most N cases of each target")
    parser.add_argument("--workers", type=int, metavar="N", help="N processes instead of one for each core")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "build" / "fuzz", metavar="DIR")
    parser.add_argument("--replay", type=Path, metavar="DIR", help="run the finding in this folder again")
    parser.add_argument("--module", default=TARGETS, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.replay is not None:
        found = Campaign(given.out, module=given.module).replay(given.replay)
        print(found["trace"])
        print(f"{found['outcome']}, {found['seconds']:.2f} s, {found['bytes'] >> 20} MB")
        return int(found["outcome"] not in FINE)
    seed = given.seed or f"{time.time():.0f}"
    campaign = Campaign(given.out, seed, given.module, tuple(given.target), notice=print)
    campaign.run(given.seconds, cases=given.cases, workers=given.workers)
    print(f"Seed {seed}:\n\n{campaign.table()}")
    for group, count in campaign.groups.most_common():
        print(f"{count:6,}  {group}")
    return int(bool(campaign.groups))


if __name__ == "__main__":
    sys.exit(main())
