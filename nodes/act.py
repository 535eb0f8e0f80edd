"""Runs the tools that the agent's model chose, and gathers the passages that they give.

Follows think, leads back to it. Where a tool looks is the caller's; what a model sends for that is refused. A call that cannot be
carried out is told to the model, and counts as one.
"""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from pydantic import ValidationError

from nodes.agent_state import AgentState, AgentUpdate
from nodes.budget import END_S, RESERVE_S, SPENT, seconds_for
from nodes.context import Clock, filters, knobs
from nodes.knobs import Knobs
from nodes.leaving import carries_away
from nodes.records import Degraded, TrailEvent, Usage, add_usage, no_usage
from nodes.web_pages import as_passage, scored
from retrievers.errors import ConfigurationError, InvalidArgument, ProviderError
from retrievers.passages import Bounds
from retrievers.types import Embedder, Passage

MOST_CALLS = 4
"""Tools that one round may call; more are a model that does not read what it gets."""

RESULT_CHARS = 12_000
"""Of one result that the model is shown, some 3,000 tokens: five whole passages. All of it is gathered."""

_OVER = "the time that the caller allows is over"


@dataclass
class _Haul:
    """What one round's tools gave."""

    messages: list[AnyMessage] = field(default_factory=list)
    events: list[TrailEvent] = field(default_factory=list)
    degraded: list[Degraded] = field(default_factory=list)
    usage: Usage = field(default_factory=no_usage)
    gathered: dict[str, Passage] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    searched: AgentUpdate = field(default_factory=lambda: AgentUpdate())
    tried: list[str] = field(default_factory=list)
    error: str = ""


async def act(state: AgentState, runtime: Runtime[Knobs], *, tools: Sequence[BaseTool], embedder: Embedder) -> AgentUpdate:
    """The results as messages of the talk, in the order of the calls. Raises StorageError: without the documents there is no answer."""
    message = cast(AIMessage, state.talk[-1])
    clock, wanted = Clock("tools"), knobs(runtime)
    hands = _Hands(tools, Bounds(wanted.collection, filters(wanted), wanted.fusion), embedder, state, clock)
    haul = _Haul(gathered={passage["id"]: passage for passage in state.gathered}, scores=dict(state.scores), tried=list(state.tried))
    for broken in message.invalid_tool_calls:
        _refuse(haul, clock, broken.get("id"), str(broken.get("name")), "its arguments are no JSON object: write them again")
    for place, call in enumerate(message.tool_calls):
        if place >= MOST_CALLS:
            _refuse(haul, clock, call["id"], call["name"], f"at most {MOST_CALLS} calls at once: call it again in the next round")
        else:
            await hands.call(call, haul)
    return {
        **haul.searched,
        "talk": [*state.talk, *haul.messages],
        "gathered": list(haul.gathered.values()),
        "scores": haul.scores,
        "tried": haul.tried,
        "tool_error": haul.error,
        "trail": haul.events,
        "degraded": haul.degraded,
        "usage": haul.usage,
    }


@dataclass(frozen=True)
class _Hands:
    """Calls one tool at a time."""

    tools: Sequence[BaseTool]
    bounds: Bounds
    embedder: Embedder
    state: AgentState
    clock: Clock

    async def call(self, call: Any, haul: _Haul) -> None:
        tool = next((tool for tool in self.tools if tool.name == call["name"]), None)
        if tool is None:
            known = ", ".join(tool.name for tool in self.tools)
            return _refuse(haul, self.clock, call["id"], call["name"], f"there is no such tool; there are {known}")
        if hidden := sorted(_injected(tool) & call["args"].keys()):
            return _refuse(haul, self.clock, call["id"], tool.name, f"the argument {hidden[0]!r} is not yours to set: leave it out")
        if (tool.metadata or {}).get("outside") and (why := self._carries_away(call["args"], haul)):
            return _refuse(haul, self.clock, call["id"], tool.name, why)
        own = {"bounds": self.bounds} if "bounds" in _injected(tool) else {}
        try:
            # While something was gathered, time stays to answer from it.
            async with asyncio.timeout(seconds_for(self.state, RESERVE_S if haul.gathered else END_S)):
                result = await tool.ainvoke(
                    {"type": "tool_call", "name": tool.name, "id": call["id"] or "", "args": {**call["args"], **own}}
                )
        except ValidationError as exc:
            faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in exc.errors()[:3])
            return _refuse(haul, self.clock, call["id"], tool.name, f"its arguments are wrong ({faults})")
        except TimeoutError:
            _refuse(haul, self.clock, call["id"], tool.name, _OVER)
            haul.events[-1] = self.clock.event("limit", "given up", _OVER, **{SPENT: _OVER})
            return None
        except (InvalidArgument, ProviderError, ConfigurationError) as exc:
            return self._failed(haul, call, tool.name, exc)
        return await self._took(call, tool.name, result, haul)

    def _carries_away(self, args: dict[str, Any], haul: _Haul) -> str:
        said = [message.text for message in self.state.messages if isinstance(message, HumanMessage)]
        return carries_away(str(args.get("query", "")), [*said, self.state.question or ""], list(haul.gathered.values()))

    def _failed(self, haul: _Haul, call: Any, name: str, exc: Exception) -> None:
        _refuse(haul, self.clock, call["id"], name, str(exc))
        haul.error = str(exc)
        if not isinstance(exc, InvalidArgument):
            event, degraded = self.clock.fallback(str(exc), f"go on without {name}")
            haul.events[-1] = event
            haul.degraded.append(degraded)

    async def _took(self, call: Any, name: str, result: ToolMessage, haul: _Haul) -> None:
        artifact, args = result.artifact, call["args"]
        passages = await self._passages(artifact, args, haul)
        for passage in passages:
            haul.gathered[passage["id"]] = _better(haul.gathered.get(passage["id"]), passage)
        _note(artifact, haul)
        if "query" in args and str(args["query"]) not in haul.tried:
            haul.tried.append(str(args["query"]))
        tokens = artifact.get("tokens") if isinstance(artifact, dict) else None
        shown = ", ".join(f"{key}={value!r}"[:120] for key, value in args.items())
        haul.events.append(self.clock.event("search", f"{len(passages)} passages", f"{name}({shown})", tokens=tokens))
        haul.messages.append(ToolMessage(_fenced(result.text), tool_call_id=call["id"] or "", name=name))
        haul.error = ""

    async def _passages(self, artifact: Any, args: dict[str, Any], haul: _Haul) -> list[Passage]:
        """The whole passages in an artifact, with scores: a search's own, a page's estimate, and for what was read the search's before."""
        if isinstance(artifact, list):
            pages = [page for page in artifact if page["text"].strip()]
            return await scored(self.state.standalone, [as_passage(page, self.embedder) for page in pages], self.embedder)
        found = artifact.get("passages", []) if isinstance(artifact, dict) else []
        anchor = haul.scores.get(str(args.get("id")))
        for hit in (*found, *(artifact.get("hits", []) if isinstance(artifact, dict) else [])):
            if hit.get("absolute") is not None:
                haul.scores[hit["id"]] = max(hit["absolute"], haul.scores.get(hit["id"], hit["absolute"]))
        return [_whole(passage, haul.scores.get(passage["id"], anchor)) for passage in found]


def _injected(tool: BaseTool) -> set[str]:
    """The arguments that the caller sets and the model is not shown."""
    everything, shown = tool.args_schema, tool.tool_call_schema
    return set(getattr(everything, "model_fields", {})) - set(getattr(shown, "model_fields", {}))


def _whole(read: Any, score: float | None) -> Passage:
    """A stored passage as a found one. One that was read beside a hit has that hit's score; one that no search showed has none."""
    if "scores" in read:
        return cast(Passage, read)
    unscored = {"bm25": None, "cosine": None, "fused": score or 0.0}
    return cast(
        Passage,
        {**read, "score": score or 0.0, "absolute": score, "scores": unscored, "ranks": {"lexical": None, "vector": None}, "factors": {}},
    )


def strength(passage: Passage) -> float:
    """The passage's absolute score, with what the knowledge graph adds where it led there; less than any score where it has none."""
    absolute = passage["absolute"]
    return float("-inf") if absolute is None else max(absolute, passage.get("lifted", absolute))


def _better(known: Passage | None, new: Passage) -> Passage:
    return new if known is None or known["absolute"] is None or strength(new) > strength(known) else known


def _note(artifact: Any, haul: _Haul) -> None:
    """What a search says of its collection, what it cost and what it could not do as meant."""
    if not isinstance(artifact, dict) or "no_answer" not in artifact:
        return
    haul.searched = {"no_answer": artifact["no_answer"], "chunk_count": artifact["chunk_count"]}
    haul.degraded += [{"step": "retrieve", "cause": cause, "fallback": instead} for cause, instead in artifact["degraded"]]
    if "spent" in artifact:
        haul.usage = add_usage(haul.usage, cast(Usage, {"cost_usd": None, **artifact["spent"]}))


def _refuse(haul: _Haul, clock: Clock, call: str | None, name: str, why: str) -> None:
    haul.messages.append(ToolMessage(f"{name[:80]}: {why}", tool_call_id=call or "", name=name[:80], status="error"))
    haul.events.append(clock.event("check", "refused", f"{name[:80]}: {why}"))


def _fenced(text: str) -> str:
    """The result between delimiters that no document can know, cut where it is too long to show."""
    nonce = secrets.token_hex(8)
    shown = text if len(text) <= RESULT_CHARS else f"{text[:RESULT_CHARS]}\n(cut here: the rest was gathered too)"
    return f"<result-{nonce}>\n{shown}\n</result-{nonce}>"
