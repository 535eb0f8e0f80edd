"""Draws the neighbourhood of an entity: it in the middle, what is near it on both sides, nearest at the top.

Needs the extra `plots`, which is imported when something is drawn; called by graphs.graphing.
"""

import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphs.render import one_line
from graphs.render_graph import about, told
from retrievers.errors import ConfigurationError, InvalidArgument, MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from retrievers.neighbourhoods import Entity, Neighbour, Neighbourhood

FORMATS = (".svg", ".png")

_COLOURS = {
    "person": "#b94e28",
    "organisation": "#1f4e79",
    "place": "#3d7d4f",
    "work": "#7a4f9a",
    "event": "#8a6900",
    "product": "#227785",
    "code": "#5c6b73",
    "term": "#866548",
    "name": "#6f6f6f",
}
"""By kind; each has a contrast of 4.5 to 1 to white at the least, which stands on it in the middle."""

_INK, _FAINT, _LINE = "#1c1c1c", "#5a5a5a", "#a9b4bd"
_DASHED = (0, (2, 2))
_WIDTH = 11.0  # inches
_ROW = 0.62  # inches for a neighbour: two lines of text
_SIDE, _BOW = 0.36, 0.12
"""How far from the middle neighbours stand in the middle row, and how much nearer in the outermost, of half the width."""
_NAME_WIDTH, _TOLD_WIDTH = 34, 52
"""In halves of a Japanese character, so that a label stays inside the picture."""

_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "Source Han Sans JP",
    "Hiragino Sans",
    "Yu Gothic",
    "Meiryo",
    "IPAexGothic",
    "IPAGothic",
    "Noto Sans CJK SC",
    "Noto Sans CJK KR",
    "PingFang SC",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "Malgun Gothic",
    "WenQuanYi Micro Hei",
    "Arial Unicode MS",
)
"""Looked for in this order, for characters that the drawing's own font lacks."""


@dataclass(frozen=True)
class Fonts:
    """Families that have the characters between them, and the characters that none of them has."""

    families: tuple[str, ...]
    missing: str


@dataclass(frozen=True)
class _Place:
    x: float
    y: float
    neighbour: "Neighbour"


def check_plot(path: Path) -> None:
    """Raise InvalidArgument or MissingExtra before any work is done for a picture that cannot be drawn."""
    if path.suffix.lower() not in FORMATS:
        raise InvalidArgument(f"the plot {str(path)!r} is neither .svg nor .png: give the file one of these endings")
    if find_spec("matplotlib") is None:
        raise MissingExtra("a plot", "plots")


def draw(found: "Neighbourhood", path: Path) -> Fonts:
    """Write the picture; the same neighbourhood gives the same file.

    Raises what `check_plot` does, and ConfigurationError where it cannot be written.

    Where no font has some of the characters, an SVG keeps its labels as text, for the fonts of whoever looks at it.
    """
    check_plot(path)
    import matplotlib

    fonts = fonts_for("".join(_texts(found)))
    kept = "none" if fonts.missing else "path"
    style: Any = {"font.family": [*fonts.families], "svg.fonttype": kept, "svg.hashsalt": "tadori", "axes.unicode_minus": False}
    with matplotlib.rc_context(style), warnings.catch_warnings():
        # What has no glyph is told to the caller, once.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        _save(_figure(found), path, found["entity"]["names"][0])
    return fonts


def _save(figure: "Figure", path: Path, title: str) -> None:
    """Without a date inside, so that the same figure gives the same file."""
    try:
        figure.savefig(path, format=path.suffix[1:].lower(), dpi=160, metadata={"Title": one_line(title, 200), "Date": None})
    except OSError as exc:
        raise ConfigurationError(f"the plot could not be written to {str(path)!r}: {exc.strerror}") from exc


def fonts_for(text: str) -> Fonts:
    """DejaVu Sans, and as many others as its missing characters need: those of the system, then that of the extra `plots`."""
    from matplotlib import font_manager

    _add_shipped_font()
    files = {entry.name: entry.fname for entry in reversed(font_manager.fontManager.ttflist)}
    families, missing = [], {character for character in text if character.isprintable() and not character.isspace()}
    for family in ("DejaVu Sans", *_FONTS):
        covered = _characters(files[family]) & missing if missing and family in files else set()
        if covered:
            families.append(family)
            missing -= covered
    return Fonts(tuple(families) or ("DejaVu Sans",), "".join(sorted(missing)))


def _add_shipped_font() -> None:
    """Make the Japanese font of the package matplotlib-fontja known, without its import, which would change every other drawing."""
    from matplotlib import font_manager

    spec = find_spec("matplotlib_fontja")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for file in sorted(Path(folder).glob("fonts/*.ttf")):
            if all(entry.fname != str(file) for entry in font_manager.fontManager.ttflist):
                font_manager.fontManager.addfont(str(file))


def _characters(file: str) -> set[str]:
    from matplotlib.ft2font import FT2Font

    return {chr(code) for code in FT2Font(file).get_charmap()}


def _texts(found: "Neighbourhood") -> Iterator[str]:
    yield "abcdefghijklmnopqrstuvwxyz→←…“”·"
    yield from (*found["entity"]["names"][:1], about(found["entity"]))
    for neighbour in found["neighbours"]:
        yield from (neighbour["name"], told(neighbour))


def _figure(found: "Neighbourhood") -> "Figure":
    from matplotlib.figure import Figure

    places = _places(found["neighbours"])
    rows = max((len(found["neighbours"]) + 1) // 2, 2)
    figure = Figure(figsize=(_WIDTH, _ROW * rows + 1.1), layout="constrained", facecolor="white")
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_xlim(-1, 1)
    axes.set_ylim(-rows / 2 - 0.2, rows / 2 + 0.2)
    strongest = max((neighbour["weight"] for neighbour in found["neighbours"]), default=1.0)
    for place in places:
        _link(axes, place, strongest)
    for place in places:
        _node(axes, place)
    _middle(axes, found["entity"])
    _legend(figure, found)
    return figure


def _places(neighbours: "Sequence[Neighbour]") -> list[_Place]:
    """The nearest at the top right, the next at the top left, and so on down."""
    sides = (neighbours[::2], neighbours[1::2])
    return [
        _Place(sign * (_SIDE - _BOW * abs(2 * y / max(len(side), 2)) ** 2), y, neighbour)
        for sign, side in zip((1, -1), sides, strict=True)
        for y, neighbour in ((len(side) / 2 - 0.5 - row, neighbour) for row, neighbour in enumerate(side))
    ]


def _link(axes: "Axes", place: _Place, strongest: float) -> None:
    relations = place.neighbour["relations"]
    width = 0.8 + 2.0 * place.neighbour["weight"] / strongest
    axes.plot([0, place.x], [0, place.y], color=_LINE, linewidth=width, linestyle="-" if relations else _DASHED, zorder=1)
    said = [relation["forward"] for relation in relations if relation["kind"] not in ("together", "about")]
    if said:
        # In the middle of the line: at its inner end the box would hide it.
        start, end = (0.62, 0.74) if said[0] else (0.74, 0.62)
        style: Any = {"arrowstyle": "-|>", "color": _FAINT, "linewidth": 0, "mutation_scale": 14, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (place.x * end, place.y * end), (place.x * start, place.y * start), arrowprops=style, zorder=2)


def _node(axes: "Axes", place: _Place) -> None:
    neighbour, right = place.neighbour, place.x > 0
    axes.plot([place.x], [place.y], "o", markersize=9, color=_COLOURS.get(neighbour["kind"], _FAINT), zorder=3)
    aside: Any = {"textcoords": "offset points", "ha": "left" if right else "right", "parse_math": False, "zorder": 4}
    shift = 10 if right else -10
    axes.annotate(_cut(neighbour["name"], _NAME_WIDTH), (place.x, place.y), (shift, 1), va="bottom", fontsize=10.5, color=_INK, **aside)
    axes.annotate(_cut(told(neighbour), _TOLD_WIDTH), (place.x, place.y), (shift, -2), va="top", fontsize=7.5, color=_FAINT, **aside)


def _middle(axes: "Axes", entity: "Entity") -> None:
    kind = entity["kinds"][0] if entity["kinds"] else "name"
    box = {"boxstyle": "round,pad=0.55", "facecolor": _COLOURS.get(kind, _FAINT), "edgecolor": "white", "linewidth": 2}
    label = _cut(entity["names"][0], _NAME_WIDTH // 2) + "\n" + _cut(about(entity), _NAME_WIDTH)
    axes.text(0, 0, label, ha="center", va="center", fontsize=9.5, color="white", linespacing=1.5, bbox=box, zorder=5, parse_math=False)


def _legend(figure: "Figure", found: "Neighbourhood") -> None:
    from matplotlib.lines import Line2D

    kinds = list(dict.fromkeys([*found["entity"]["kinds"][:1], *(neighbour["kind"] for neighbour in found["neighbours"])]))
    marks = [Line2D([], [], marker="o", linestyle="", markersize=7, color=_COLOURS.get(kind, _FAINT), label=kind) for kind in kinds]
    lines = [
        Line2D([], [], color=_LINE, linewidth=2, label="tied by a sentence"),
        Line2D([], [], color=_LINE, linewidth=1.2, linestyle=_DASHED, label="in the same passage"),
    ]
    figure.legend(handles=[*marks, *lines], loc="outside lower center", ncols=6, frameon=False, fontsize=8, labelcolor=_FAINT)


def _cut(text: str, width: int) -> str:
    """`text` on one line, cut where it is wider than `width` halves of a Japanese character."""
    line, used = one_line(text, width), 0
    for at, character in enumerate(line):
        used += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if used > width:
            return line[: max(at - 1, 1)] + "…"
    return line
