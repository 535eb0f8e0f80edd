"""Where the benchmarks leave their figures, and under what conditions these were taken; docs/benchmarks.md is made from them."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent.parent / "docs" / "benchmarks"


def load() -> list[float]:
    """The machine's load over 1, 5 and 15 minutes: figures in milliseconds mean little where others compute."""
    return [round(value, 2) for value in os.getloadavg()]


def read_results(path: Path) -> dict[str, Any]:
    """What was written there before, or nothing."""
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def write_results(path: Path, results: dict[str, Any]) -> None:
    """With the date and the class of the machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    conditions = {"date": datetime.now(UTC).date().isoformat(), "cores": os.cpu_count()}
    path.write_text(json.dumps(results | conditions, indent=1, ensure_ascii=False) + "\n", "utf-8")
