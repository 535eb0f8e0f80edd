"""Is everything in place: each part is tried, and what fails says what to do.

Called by `tadori doctor`; a check never stops the next one.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from typing_extensions import TypedDict

from graphs.wiring import Services
from retrievers.errors import ConfigurationError, TadoriError


class Check(TypedDict):
    """One thing that was tried; `detail` is what was found, or what to do."""

    name: str
    ok: bool
    detail: str


async def diagnose(services: Services) -> list[Check]:
    """All checks, in the order in which things are needed."""
    checks = [*await _database(services)]
    for name, probe in _PROBES.items():
        checks.append(await _probe(name, services, probe))
    return checks


async def _database(services: Services) -> list[Check]:
    try:
        return [Check(name=name, ok=ok, detail=detail) for name, ok, detail in await services.check_database()]
    except TadoriError as exc:
        return [Check(name="database", ok=False, detail=str(exc))]


async def _probe(name: str, services: Services, probe: Callable[[Services], Awaitable[str]]) -> Check:
    try:
        return Check(name=name, ok=True, detail=await probe(services))
    except TadoriError as exc:
        return Check(name=name, ok=False, detail=str(exc))


async def _collections(services: Services) -> str:
    found = await services.collections()
    shown = [
        f"{each.name} ({each.chunk_count} chunks of {each.embedding.model}, {each.embedding.index_kind} over "
        f"{each.embedding.column_type}({each.embedding.dims}))"
        for each in found[:_MOST_COLLECTIONS]
    ]
    more = [f"and {len(found) - len(shown)} more"] if len(found) > len(shown) else []
    return ", ".join(shown + more) or "none yet: `tadori ingest` makes them"


async def _analyser(services: Services) -> str:
    from retrievers.text.analysers import ANALYSERS, analyser, default_analyser, self_test

    name = services.settings.analyser or default_analyser()
    self_test(analyser(name))
    # Said, because a collection that was made with Sudachi elsewhere cannot be searched without it.
    without = ", without Sudachi, which comes with tadori[japanese]" if default_analyser() != ANALYSERS[-1] else ""
    return f"{name} for new collections, self-test passed{without}"


async def _embedding(services: Services) -> str:
    vector = await services.embedder.embed_query("is the model there?")
    spec = services.embedder.spec
    scores = "calibrated" if spec.calibrated else "a start that nobody measured"
    return f"{spec.model}, {len(vector)} dimensions, {spec.max_tokens} tokens; the scale of its scores is {scores}"


async def _cache(services: Services) -> str:
    spec = await asyncio.to_thread(lambda: services.embedder.spec)
    await services.cache.get(services.operator, spec, "query", ["is the cache there?"])
    if services.cache.fault:
        raise ConfigurationError(services.cache.fault)
    return "Redis, each for a day" if services.settings.redis_url else "PostgreSQL, each for 90 days after its last use"


async def _chat(services: Services) -> str:
    if services.chat is None:
        return "none: decisions and answers are made without a model (TADORI_CHAT_MODEL sets one)"
    return f"{services.settings.chat_model} is configured; it is called when a question is asked"


async def _web(services: Services) -> str:
    return services.web.name if services.web else "none (TADORI_WEB_SEARCH sets one)"


async def _reranker(services: Services) -> str:
    """Asked for real, in English: whether it answers shows in no other way."""
    reranking = services.reranking
    if reranking is None:
        return "none (TADORI_RERANKER sets one)"
    await reranking.reranker.prepare()
    started = time.perf_counter()
    reply = await reranking.score("Which bolt holds the mount?", ["Four M8 bolts hold the mount.", "Tea is brewed for three minutes."])
    threshold = reranking.threshold
    limit = f"threshold {threshold.score:g}" if threshold else f"no threshold (TADORI_RERANK_THRESHOLD={reply.scale}:NUMBER sets one)"
    return f"{reranking.name}, scale {reply.scale}, {limit}; two passages took {time.perf_counter() - started:.2f} s"


_MOST_COLLECTIONS = 20
"""Listed by name; the rest is counted."""

_PROBES: dict[str, Callable[[Services], Awaitable[str]]] = {
    "collections": _collections,
    "analyser": _analyser,
    "embedding model": _embedding,
    "embedding cache": _cache,
    "chat model": _chat,
    "web search": _web,
    "reranker": _reranker,
}
