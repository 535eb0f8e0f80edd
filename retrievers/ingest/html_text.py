"""Writes the text of an HTML tree: headings, paragraphs, list items, table rows and listings, one block each.

Part of load_html.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrievers.ingest.document import TextBuilder

if TYPE_CHECKING:
    from bs4 import Tag
    from bs4.element import PageElement

_UNSEEN = frozenset(
    "script style noscript template head svg math iframe object embed canvas audio video select datalist button input textarea".split()  # noqa: SIM905
)
_NAVIGATION_ROLES = frozenset(("navigation", "search", "banner", "contentinfo", "menu", "menubar"))
_NAVIGATION_CLASS = re.compile(
    r"(?:site-?|page-?)?nav(?:bar|header|footer|igation)?|breadcrumbs?|(?:skip|edit|header)-?link|mw-editsection"
)
_ASIDE_CLASS = re.compile(r"note|tip|warning|caution|important|admonition")
_CONTENTS_CLASS = re.compile(r"toc|table-of-contents|contents")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl fieldset figcaption figure footer form header hgroup hr "  # noqa: SIM905
    "html legend main menu nav ol p section summary table tbody td tfoot th thead tr ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BREAK = "\0"
"""Stands for <br> until the white space is folded; HTML cannot contain it."""
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_WIDE = "\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
_WRAP = re.compile(rf"(?<=[{_WIDE}])[ \t]*\n\s*(?=[{_WIDE}])")
_DEEPEST = 200
"""Levels of elements, three calls each: Python's recursion ends at 1,000, and no page that people read is nested so."""
_MARKER = re.compile(r"- |\d+\. ")


def is_unseen(tag: "Tag") -> bool:
    """Whether a browser would not show the element as text."""
    style = str(tag.get("style") or "")
    return tag.name in _UNSEEN or tag.has_attr("hidden") or tag.get("aria-hidden") == "true" or bool(style and _HIDDEN_STYLE.search(style))


def is_navigation(tag: "Tag") -> bool:
    """Whether the element leads elsewhere instead of saying something."""
    if tag.name == "nav" or tag.get("role") in _NAVIGATION_ROLES:
        return True
    if tag.name in ("footer", "header") and tag.find_parent(("article", "main", "section")) is None:
        return tag.find("h1") is None
    return any(_NAVIGATION_CLASS.fullmatch(name) for name in _classes(tag))


class PageWriter:
    """Writes one page into a builder; `contents` keeps tables of contents."""

    def __init__(self, builder: TextBuilder, *, contents: bool) -> None:
        self._builder = builder
        self._contents = contents
        self._inline: list[str] = []
        self._prefix = ""
        self._asides = 0

    def write(self, root: "Tag") -> None:
        """Write all below `root`."""
        self._walk(root, 0)
        self._lead()

    def _walk(self, parent: "Tag", depth: int) -> None:
        from bs4 import Tag

        for child in parent.children:
            if not isinstance(child, Tag):
                self._inline.append(_string(child))
            elif depth > _DEEPEST:
                self._inline.append(child.get_text(" "))
            else:
                self._element(child, depth + 1)

    def _element(self, tag: "Tag", depth: int) -> None:
        match tag.name:
            case "br":
                self._inline.append(_BREAK)
            case "pre":
                self._lead()
                self._builder.block(_verbatim(tag), "code")
            case "table" if not _is_layout(tag):
                self._lead()
                self._builder.block(_table(tag), "table")
            case "dt":
                self._flush()
                self._prefix += f"{_line(tag)}\n"
            case "li":
                self._lead()
                self._prefix = _marker(tag)
                self._walk(tag, depth)
                self._lead()
            case name if name in _HEADINGS:
                self._heading(tag, _HEADINGS[name])
            case name if name in _BLOCKS:
                self._section(tag, depth)
            case _:
                self._walk(tag, depth)

    def _heading(self, tag: "Tag", level: int) -> None:
        if self._asides:
            # "Note" over a box in the text is no section: what follows the box does not stand below it.
            self._flush()
            self._prefix += f"{_line(tag)}\n"
        else:
            self._lead()
            self._builder.heading(level, _line(tag))

    def _section(self, tag: "Tag", depth: int) -> None:
        self._flush()
        classes = _classes(tag)
        if not self._contents and any(map(_CONTENTS_CLASS.fullmatch, classes)):
            return
        aside = tag.name == "aside" or any(map(_ASIDE_CLASS.fullmatch, classes))
        self._asides += aside
        self._walk(tag, depth)
        self._flush()
        self._asides -= aside

    def _flush(self) -> None:
        """End the paragraph; a term, marker or box title before it is its first line."""
        text = folded("".join(self._inline))
        self._inline.clear()
        if text:
            self._builder.block(self._prefix + text)
            self._prefix = ""

    def _lead(self) -> None:
        """End the paragraph, and write what waited for one in vain."""
        self._flush()
        if not _MARKER.fullmatch(self._prefix):
            self._builder.block(self._prefix)
        self._prefix = ""


def folded(text: str) -> str:
    """White space folded as a browser shows it, <br> a line end; a source line wrapped inside Japanese text leaves no space."""
    lines = (" ".join(_WRAP.sub("", line).split()) for line in text.translate(_INVISIBLE).split(_BREAK))
    return "\n".join(line for line in lines if line)


def _string(node: "PageElement") -> str:
    # Comments and declarations are subclasses of the string that text is.
    return str(node) if type(node).__name__ in ("NavigableString", "CData") else ""


def _line(tag: "Tag", separator: str = "") -> str:
    """The element's text in one line."""
    from bs4 import Tag

    parts = (" " if isinstance(node, Tag) and node.name == "br" else _string(node) for node in tag.descendants if _counts(node))
    return " ".join(folded(separator.join(parts)).split())


def _counts(node: "PageElement") -> bool:
    from bs4 import Tag

    return not isinstance(node, Tag) or node.name == "br"


def _table(table: "Tag") -> str:
    """The caption and one line a row, cells between bars."""
    caption = table.find("caption")
    rows = (list(_cells(row)) for row in table.find_all("tr"))
    title = [_line(caption)] if caption is not None else []
    return "\n".join([*title, *(f"| {' | '.join(cells)} |" for cells in rows if any(cells))])


def _cells(row: "Tag") -> Iterator[str]:
    for cell in row.find_all(["td", "th"], recursive=False):
        yield _line(cell, " ").replace(" | ", " \\| ")


def _verbatim(tag: "Tag") -> str:
    for line_break in tag.find_all("br"):
        line_break.replace_with("\n")
    lines = [line.rstrip() for line in tag.get_text().translate(_INVISIBLE).replace("\r\n", "\n").split("\n")]
    return "\n".join(lines).strip("\n")


def _marker(item: "Tag") -> str:
    """`- `, or the item's number where its list is numbered."""
    parent = item.parent
    if parent is None or parent.name != "ol":
        return "- "
    return f"{len(item.find_previous_siblings('li')) + 1}. "


def _is_layout(table: "Tag") -> bool:
    """Whether the table only places things: it holds headings or other tables, or says so."""
    return table.get("role") in ("presentation", "none") or table.find(["table", *_HEADINGS]) is not None


def _classes(tag: "Tag") -> list[str]:
    names = tag.get("class")
    return [str(name).lower() for name in names] if isinstance(names, list) else []
