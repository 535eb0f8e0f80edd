"""`make bench`: every benchmark of this folder, one after the other, with the collections where they are given.

`python -m tests.bench [--data FOLDER]`; each prints its own table, with ratios measured side by side in one run.
"""

import argparse
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main() -> int:
    """The number of benchmarks that failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=FOLDER.parent.parent.parent / "shared" / "data", help="folder of test collections")
    options = parser.parse_args()
    scripts = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("_"))
    failed = 0
    for script in scripts:
        print(f"\n== {script.stem}", flush=True)
        failed += subprocess.run([sys.executable, "-m", f"tests.bench.{script.stem}", str(options.data)]).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
