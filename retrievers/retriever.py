"""A LangChain retriever over any PassageSearch, for chains and notebooks.

Above retrievers/hybrid.py's protocol; it adds no search of its own.
"""

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field, SkipValidation

from retrievers.blocking import wait_for
from retrievers.request import MAX_K
from retrievers.types import DEFAULT_COLLECTION, NO_FILTERS, Filters, Fusion, Mode, Passage, PassageSearch


class HybridRetriever(BaseRetriever):
    """A LangChain retriever over a PassageSearch. `ainvoke` is the native entry; `invoke` blocks its thread, so not from a running loop.

    `invoke(query, k=3)` overrides `k` for one call. The documents' metadata are those of the source, then our own keys: id, document,
    title, heading_path, page, url, origin, language, start, end, score, absolute, bm25, cosine.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)

    search: SkipValidation[PassageSearch] = Field(exclude=True)
    collection: str = DEFAULT_COLLECTION
    k: int = Field(10, ge=1, le=MAX_K)
    mode: Mode = "hybrid"
    fusion: Fusion | None = None
    weights: tuple[float, float] | None = None
    filters: Filters = NO_FILTERS

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None) -> list[Document]:
        return wait_for(self._documents(query, k))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return await self._documents(query, k)

    async def _documents(self, query: str, k: int | None) -> list[Document]:
        result = await self.search.search(
            query,
            collection=self.collection,
            k=self.k if k is None else k,
            mode=self.mode,
            fusion=self.fusion,
            weights=self.weights,
            filters=self.filters,
        )
        return [_document(passage) for passage in result["passages"]]


_METADATA = ("id", "document", "title", "heading_path", "page", "url", "origin", "language", "start", "end", "score", "absolute")


def _document(passage: Passage) -> Document:
    own: dict[str, Any] = {name: passage[name] for name in _METADATA}  # type: ignore[literal-required]
    scores = {"bm25": passage["scores"]["bm25"], "cosine": passage["scores"]["cosine"]}
    return Document(id=passage["id"], page_content=passage["text"], metadata={**passage["metadata"], **own, **scores})
