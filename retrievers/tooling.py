"""How every LangChain tool of ours is made, so that none of them lets a model choose where it looks.

Shared by retrievers/tools.py and retrievers/reading_tools.py.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool
from pydantic import BaseModel, ConfigDict, InstanceOf

from retrievers.blocking import wait_for
from retrievers.passages import Bounds, Imagined, StoredPassage
from retrievers.types import Passage

Injected = Annotated[InstanceOf[Bounds] | None, InjectedToolArg]
"""Not shown to a model, and taken as an object alone: a model writes JSON, which never is one. LangChain itself passes on whatever a
model sends under an injected argument's name. None means the bounds that the tool was made with."""

InjectedPassages = Annotated[InstanceOf[Imagined] | None, InjectedToolArg]
"""Neither shown to a model nor taken from one, as `Injected`. None means no imagined passages."""


class Arguments(BaseModel):
    """What a tool takes; an argument that it does not have is refused, so a model that sends a collection is told so."""

    model_config = ConfigDict(extra="forbid")


def make_tool(name: str, description: str, run: Any, arguments: type[Arguments], *, outside: bool = False) -> BaseTool:
    """A tool whose message is for the model and whose artifact is for the caller; `run` is a coroutine function that gives both.

    `outside`: what it is asked leaves this machine.
    """

    def blocking(**values: Any) -> Any:
        return wait_for(run(**values))

    return StructuredTool(
        name=name,
        description=description,
        func=blocking,
        coroutine=run,
        args_schema=arguments,
        response_format="content_and_artifact",
        metadata={"outside": outside},
    )


def numbered(entries: Sequence[str], empty: str) -> str:
    """The entries with `[1]` and so on before them, or `empty` where there are none."""
    return "\n\n".join(f"[{number}] {entry}" for number, entry in enumerate(entries, start=1)) or empty


def place_of(passage: Passage | StoredPassage) -> str:
    """`Title > Heading (source, p. 3)`."""
    place = [passage["title"] or passage["document"], *(heading for heading in passage["heading_path"] if heading != passage["title"])]
    source = passage["document"] if passage["page"] is None else f"{passage['document']}, p. {passage['page']}"
    return f"{' > '.join(place)} ({source})"


def full_text(passage: Passage | StoredPassage) -> str:
    """The passage as a model reads it: where it stands, then all of its text."""
    return f"{place_of(passage)}\n{passage['text'].strip()}"
