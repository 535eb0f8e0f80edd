"""Searches a corpus with langchain-postgres as its pages show it: PGVectorStore, a tsvector column, reciprocal rank fusion.

Run by _peers.py under a Python that has langchain-postgres; reads and writes the exchange folder, and a database made for it.
"""

import asyncio
import json
import sys
from pathlib import Path

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_postgres import PGEngine, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion

DICTIONARY = {"en": "pg_catalog.english", "ja": "pg_catalog.simple", "zh": "pg_catalog.simple"}
"""PostgreSQL brings no parser that knows the words of Japanese or Chinese."""
FETCH_FACTOR = 3
"""Rows of each arm for each result: as shipped an arm brings 4, whatever is asked for."""
BATCH = 500


class Given(Embeddings):
    """Vectors that were made beforehand."""

    def __init__(self, vectors: dict[str, np.ndarray]) -> None:
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Not asked for: the rows come with their vectors."""
        raise NotImplementedError

    def embed_query(self, text: str) -> list[float]:
        """The question's vector."""
        return self._vectors[text].tolist()


def config(language: str, table: str, depth: int) -> HybridSearchConfig:
    """A new one for each search: one that is used twice keeps the words of the first query."""
    return HybridSearchConfig(
        tsv_column="text_tsv",
        tsv_lang=DICTIONARY[language],
        fusion_function=reciprocal_rank_fusion,
        fusion_function_parameters={"rrf_k": 60, "fetch_top_k": depth},
        primary_top_k=FETCH_FACTOR * depth,
        secondary_top_k=FETCH_FACTOR * depth,
        index_name=f"{table}_tsv",  # the index's own default name can be had once in a schema
    )


async def run(folder: Path) -> None:
    """Index, then ask every question at each depth."""
    task = json.loads((folder / "task.json").read_text("utf-8"))
    with np.load(folder / "vectors.npz") as given:
        passages, questions = given["passages"], given["questions"]
    embedding = Given({entry["text"]: vector for entry, vector in zip(task["questions"], questions, strict=True)})
    engine = PGEngine.from_connection_string(task["database"])
    store = await indexed(engine, task, passages, embedding)
    rankings: dict[str, dict[str, list[str]]] = {}
    for depth in task["depths"]:
        rankings[str(depth)] = {}
        for question in task["questions"]:
            hybrid = config(task["language"], task["name"], depth)
            found = await store.asimilarity_search(question["text"], k=depth, hybrid_search_config=hybrid)
            rankings[str(depth)][question["id"]] = [document.metadata["source"] for document in found]
    await engine.close()
    (folder / "rankings.json").write_text(json.dumps(rankings), "utf-8")


async def indexed(engine: PGEngine, task: dict, passages: np.ndarray, embedding: Embeddings) -> PGVectorStore:
    """A table with its tsvector column and index, filled. The vector is compared exactly: the table has no vector index."""
    hybrid = config(task["language"], task["name"], 10)
    await engine.ainit_vectorstore_table(task["name"], passages.shape[1], hybrid_search_config=hybrid)
    store = await PGVectorStore.create(engine, embedding, task["name"], hybrid_search_config=hybrid)
    for start in range(0, len(task["documents"]), BATCH):
        documents = task["documents"][start : start + BATCH]
        await store.aadd_embeddings(
            [document["text"] for document in documents],
            passages[start : start + BATCH].tolist(),
            [{"source": document["id"]} for document in documents],
        )
    await store.aapply_hybrid_search_index()
    return store


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
