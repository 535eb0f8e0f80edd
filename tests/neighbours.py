"""A neighbourhood of the graph for tests of what is shown and drawn of one."""

from retrievers.neighbourhoods import Evidence, Neighbour, Neighbourhood


def evidence(kind: str, text: str, *, forward: bool = True, document: str = "notes.md", title: str = "Notes") -> Evidence:
    return Evidence(kind=kind, forward=forward, document=document, title=title, id="c1", start=0, end=len(text), evidence=text)


def neighbour(name: str, kind: str, *relations: Evidence, passages: int = 1, weight: float = 1.0) -> Neighbour:
    return Neighbour(key=name.casefold(), name=name, kind=kind, weight=weight, passages=passages, relations=list(relations))


def neighbourhood(*neighbours: Neighbour, names: tuple[str, ...] = ("Moonlight",), passages: int = 4) -> Neighbourhood:
    key = names[0].casefold()
    return Neighbourhood(
        entity={"key": key, "keys": [key], "names": list(names), "kinds": ["product", "name"], "passages": passages},
        neighbours=list(neighbours),
    )
