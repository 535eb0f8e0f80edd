"""`make bench`: every benchmark of this folder, one after the other, with the collections where they are given; then docs/benchmarks.md.

`python -m tests.bench [--data FOLDER]`; each prints its own table, with ratios measured side by side in one run. About two hours on two
cores, most of it for the peers, 100,000 chunks and the indexes.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from tests.bench._collections import DATA

FOLDER = Path(__file__).parent
NO_BENCHMARK = ("gate", "page")
"""The gate is a target of its own; the page is made from the results of the others."""


def main() -> int:
    """The number of benchmarks that failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of test collections")
    options = parser.parse_args()
    scripts = sorted(path.stem for path in FOLDER.glob("*.py") if not path.name.startswith("_") and path.stem not in NO_BENCHMARK)
    failed = sum(not passed(script, str(options.data)) for script in scripts)
    return failed + (not passed("page"))


def passed(script: str, *arguments: str) -> bool:
    """Whether the script ended well; its time is printed."""
    print(f"\n== {script}", flush=True)
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-m", f"tests.bench.{script}", *arguments]).returncode == 0
    print(f"== {script}: {'done' if done else 'FAILED'} in {time.monotonic() - started:.0f} s", flush=True)
    return done


if __name__ == "__main__":
    sys.exit(main())
