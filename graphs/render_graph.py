"""How an entity, what is near it, and a graph that was built look to a person at a terminal.

Pure text for graphs.graphing, beside graphs/render.py.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphs.render import name, one_line

if TYPE_CHECKING:
    from retrievers.ingest.report import GraphReport
    from retrievers.neighbourhoods import Choice, Entity, Evidence, GraphSizes, Neighbour, Neighbourhood


def neighbourhood(found: "Neighbourhood") -> str:
    """The entity with its spellings, then each neighbour with what is said of the two, in the words of the passage and where it stands."""
    first, *others = found["entity"]["names"]
    also = f" (also {', '.join(name(other) for other in others)})" if others else ""
    head = f"{name(first)}{also} · {about(found['entity'])}"
    if not found["neighbours"]:
        return f"{head}\n\nnothing else is named near it"
    return "\n\n".join([head, *map(_neighbour, found["neighbours"])])


def about(entity: "Entity") -> str:
    """`product · 4 passages`."""
    return " · ".join([*entity["kinds"][:1], _passages(entity["passages"])])


def told(neighbour: "Neighbour") -> str:
    """What is said of the two in one line: the closest relation and its evidence, or in how many passages both stand."""
    if not neighbour["relations"]:
        return f"in {_passages(neighbour['passages'])} with it"
    closest = neighbour["relations"][0]
    return f"{how(closest)} “{one_line(closest['evidence'], 200)}”"


def how(stated: "Evidence") -> str:
    """The relation in words; an arrow says which way a predicate goes, from the entity or to it."""
    match stated["kind"]:
        case "together":
            return "in one sentence"
        case "about":
            return "in the text titled so" if not stated["forward"] else "in its text"
    return f"{name(stated['kind'])} →" if stated["forward"] else f"← {name(stated['kind'])}"


def _neighbour(neighbour: "Neighbour") -> str:
    lines = [f"{name(neighbour['name'])} · {neighbour['kind']} · {_shared(neighbour)}"]
    sentences: dict[str, list[str]] = {}
    for stated in neighbour["relations"]:
        sentences.setdefault(f"“{one_line(stated['evidence'], 200)}” ({_where(stated)})", []).append(how(stated))
    return "\n".join([*lines, *(f"  {', '.join(dict.fromkeys(hows))}: {sentence}" for sentence, hows in sentences.items())])


def _shared(neighbour: "Neighbour") -> str:
    return f"in {_passages(neighbour['passages'])} with it" if neighbour["passages"] else "in no passage with it"


def _where(stated: "Evidence") -> str:
    title, source = name(stated["title"]), name(stated["document"])
    return source if not title or title == source else f"{title}, {source}"


def _passages(count: int) -> str:
    return _counted(count, "passage")


def _counted(count: int, one: str, several: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def built(report: "GraphReport", sizes: "GraphSizes", model: Mapping[str, Any] | None = None) -> str:
    """What was read this time, what could not be, what a model cost (the fields of its ExtractionReport), and what the graph holds now."""
    read = f"{_counted(report['chunks'], 'chunk')} read by {report['extractor']} · {report['seconds']:.1f} s"
    lines = [read if report["chunks"] else f"nothing to read: {report['extractor']} has read every chunk"]
    if report["failed"]:
        lines.append(f"{report['failed']} of them could not be read in full: run it again with --retry-failed")
    if "stopped" in report:
        lines.append(f"stopped: {one_line(report['stopped'], 300)}")
    if model is not None:
        lines.append(_asked(model))
    counts = (
        _counted(sizes["entities"], "entity", "entities"),
        _counted(sizes["mentions"], "mention"),
        _counted(sizes["relations"], "relation"),
        _counted(sizes["aliases"], "alias", "aliases"),
    )
    return "\n".join([*lines, f"{' · '.join(counts)}, from {_counted(sizes['chunks'], 'chunk')}"])


def _asked(model: Mapping[str, Any]) -> str:
    spent = model["spent"]
    cost = f" · {spent['cost_usd']:.4f} USD" if "cost_usd" in spent else ""
    dropped = ", ".join(f"{count} {why}" for why, count in sorted(model["dropped"].items()))
    left_out = f"; left out of what it said: {one_line(dropped, 200)}" if dropped else ""
    calls = f"{_counted(spent['calls'], 'model call')}, {spent['input_tokens']:,} tokens in, {spent['output_tokens']:,} out{cost}"
    return f"{calls} · {model['unreadable']} replies could not be read{left_out}"


def drawn(plot: Mapping[str, str]) -> str:
    """Where the picture is, and which characters in it nobody can read."""
    lines = [f"drawn: {name(plot['path'])}"]
    if plot["without_glyph"]:
        shown = one_line(plot["without_glyph"], 20)
        lines.append(f"no font here has {shown}: install one such as Noto Sans CJK, or the extra plots, and draw it again")
    return "\n".join(lines)


def decided(choice: "Choice", names: tuple[str, str]) -> str:
    """What holds of the two now."""
    one, other = map(name, names)
    held = "are one entity" if choice["same"] else "are two entities"
    return f"{one} and {other} {held}{'' if choice['changed'] else ', as before'}"
