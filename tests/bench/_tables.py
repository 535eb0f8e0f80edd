"""What every section of docs/benchmarks.md shares: its tables, and under what conditions figures were taken."""

from collections.abc import Iterator, Mapping, Sequence


def conditions(found: Mapping) -> str:
    """When, on what, beside how much else, and what has to be known of it: a note that someone wrote into the results."""
    load = f", load average {found['load'][0]}" if "load" in found else ""
    note = f" ({found['note']})" if "note" in found else ""
    return f"{found['date']}, {found['cores']} shared cores{load}{note}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A Markdown table; all columns but the first are numbers."""
    yield f"| {' | '.join(head)} |"
    yield "|---" + "|---:" * (len(head) - 1) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""
