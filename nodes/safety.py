"""Makes the text of an answer harmless wherever it is shown: nothing in it loads, runs, hides or drives a terminal.

Shared ground of cite, generate and the agent; pure. Quotes are evidence and stay as they stand: whoever shows one escapes it.
"""

import json
import re

from nodes.records import Citation
from retrievers.types import Hop

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Control characters (a terminal obeys ESC), those of direction, tags and zero width; those that join emoji and letters stay."""

_CODE = re.compile(r"(^(`{3,})[^\n]*\n.*?^\2`*[ \t]*$|(?<!`)(`+)(?!`)[^\n]+?(?<!`)\3(?!`))", re.MULTILINE | re.DOTALL)
_TARGET = r"\((?:[^()]|\([^()]*\))*\)"
_IMAGE = re.compile(rf"!\[([^\]]*)\](?:{_TARGET}|\[[^\]]*\])")
_LINK = re.compile(rf"\[([^\]]+)\]{_TARGET}")
_REFERENCE = re.compile(r"^[ ]{0,3}\[[^\]]+\]:[ \t]*\S.*$", re.MULTILINE)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SCRIPT = re.compile(r"(?<![A-Za-z])(javascript|vbscript|data|file)\s*:(?=\s*\S)", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?<![A-Za-z])(?:https?|ftp)://[^\s<>\"'()（）「」、。]+|(?<![A-Za-z0-9.])www\.[^\s<>\"'()（）「」、。]+", re.IGNORECASE
)
_WEB = re.compile(r"https?://", re.IGNORECASE)

REMOVED = "…"
"""In place of an address that no source has: it might carry away what it stands beside."""


def unseen_removed(text: str) -> str:
    """`text` without the characters that nobody sees and something obeys."""
    return _UNSEEN.sub("", text)


_SOURCE_LINE = re.compile(
    r"^[ \t>*-]*(?:[\[【]\s*\d{1,3}\s*[\]】].*[“”「」\"✓✔☑✅(（:：].*|.*[“”「」\"].*[✓✔☑✅].*|"
    r"[*_#\s]*(?:sources?|references|citations?|出典|参考(?:文献)?|引用元)[*_]*\s*[:：][*_]*.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_MARKER = re.compile(r"\s*[\[【]\s*[1-9]\d{0,2}(?:\s*[,、]\s*\d{1,3})*\s*[\]】]|[ \t]*[✓✔☑✅]\ufe0f?")


def uncited(text: str) -> str:
    """A reply that rests on no source, without what looks like one: markers, ticks, lists of sources. Empty for JSON: no sentence."""
    bare = re.sub(r"^```\w*\s*|\s*```$", "", unseen_removed(text).strip()).strip()
    if bare[:1] in ("{", "[") and _is_json(bare):
        return ""
    return re.sub(r"\n{3,}", "\n\n", _MARKER.sub("", _SOURCE_LINE.sub("", unseen_removed(text)))).strip()


def _is_json(text: str) -> bool:
    """Also where a brace is not closed: what was cut off is no sentence either."""
    try:
        json.loads(text)
    except ValueError:
        return text.startswith("{")
    return True


def harmless(text: str, sources: str = "") -> str:
    """`text` as it may be shown as Markdown, as HTML or on a terminal.

    Images and links are their words alone, tags are escaped, schemes that run something lose their colon; an address stays where
    `sources`, the cited passages' own text, has it. Inside code only what is unseen goes: nothing is loaded or run from there.
    """
    pieces = _CODE.split(unseen_removed(text))
    # Three groups in the pattern: the text between two blocks is each fourth piece, the block the one after it.
    return "".join(_plain(piece, sources) if place % 4 == 0 else piece for place, piece in enumerate(pieces) if place % 4 < 2)


def _plain(text: str, sources: str) -> str:
    text = _REFERENCE.sub("", _IMAGE.sub(r"\1", text))
    text = _LINK.sub(lambda link: link[1], text)
    text = _ADDRESS.sub(lambda found: found[0] if found[0].rstrip(".,;:!?") in sources else REMOVED, text)
    return _TAG.sub("&lt;", _SCRIPT.sub(r"\1", text))


def web_address(url: str | None) -> str | None:
    """`url` where it is an address of the web, which a reader may open; None for any other scheme."""
    return url if url and _WEB.match(url) else None


def shown(citation: Citation) -> Citation:
    """The citation with title, headings and path of visible characters, and an address that may be opened. Its quote stays verbatim."""
    seen: Citation = {
        **citation,
        "title": unseen_removed(citation["title"]),
        "heading_path": [unseen_removed(heading) for heading in citation["heading_path"]],
        "url": web_address(citation["url"]),
    }
    return {**seen, "path": [_seen_hop(hop) for hop in citation["path"]]} if "path" in citation else seen


def _seen_hop(hop: Hop) -> Hop:
    return {**hop, "entity": unseen_removed(hop["entity"]), "title": None if hop["title"] is None else unseen_removed(hop["title"])}
