"""The pictures of docs/benchmarks.md, as small SVG files that read well on a light page.

Needs matplotlib, which is in the extra `bench`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#1f4e79", "#6fa8dc", "#d9822b", "#8a8a8a", "#c9b458", "#9a6fb0", "#5f9e6e")
"""Ours in blue."""
_WIDTH = 8.0  # inches: the page's column at 96 dots


def bars(path: Path, groups: Sequence[str], series: Mapping[str, Sequence[float]], label: str, *, log: bool = False) -> None:
    """Grouped bars, one group a name; every series has a value for each group. Axes begin at 0, logarithmic ones at 1."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, 3.6), layout="constrained", facecolor="white")
    axes = figure.subplots()
    width = 0.8 / len(series)
    for number, (name, values) in enumerate(series.items()):
        places = [place + (number - (len(series) - 1) / 2) * width for place in range(len(groups))]
        axes.bar(places, values, width, label=name, color=COLOURS[number % len(COLOURS)])
    axes.set_xticks(range(len(groups)), groups)
    _dress(axes, label, [value for values in series.values() for value in values], log)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    _save(figure, path)


def _dress(axes: "Axes", label: str, values: Sequence[float], log: bool) -> None:
    axes.set_ylabel(label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    if log:
        axes.set_yscale("log")
        axes.set_ylim(1, 1.5 * max(values))
        axes.yaxis.set_major_formatter("{x:g}")
    else:
        axes.set_ylim(0, 1)


def _save(figure: object, path: Path) -> None:
    """Without a date inside, so that the same figures give the same file."""
    import matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "tadori", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(path, format="svg", metadata={"Date": None})  # type: ignore[attr-defined]
