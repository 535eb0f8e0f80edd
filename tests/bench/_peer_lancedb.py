"""Searches a corpus with lancedb as its pages show it: a full-text index, a hybrid query, reciprocal rank fusion by default.

Run by _peers.py under a Python that has lancedb; reads and writes the exchange folder alone.
"""

import json
import sys
import tempfile
from pathlib import Path

import lancedb
import numpy as np
from lancedb.index import FTS

BY_LANGUAGE = {
    "en": {},
    "ja": {"base_tokenizer": "ngram", "ngram_min_length": 2, "ngram_max_length": 3, "stem": False, "remove_stop_words": False},
    "zh": {"base_tokenizer": "ngram", "ngram_min_length": 2, "ngram_max_length": 3, "stem": False, "remove_stop_words": False},
}
"""What differs from the default index: its words end at spaces, which Japanese and Chinese do not have. Most words have two characters."""


def main(folder: Path) -> None:
    """Index, then ask every question at each depth."""
    task = json.loads((folder / "task.json").read_text("utf-8"))
    with np.load(folder / "vectors.npz") as given:
        passages, questions = given["passages"], given["questions"]
    with tempfile.TemporaryDirectory() as place:
        rows = [
            {"id": document["id"], "text": document["text"], "vector": vector}
            for document, vector in zip(task["documents"], passages, strict=True)
        ]
        table = lancedb.connect(place).create_table("passages", rows)
        table.create_index("text", config=FTS(**BY_LANGUAGE[task["language"]]))
        rankings = {
            str(depth): {
                question["id"]: ask(table, question["text"], vector, depth)
                for question, vector in zip(task["questions"], questions, strict=True)
            }
            for depth in task["depths"]
        }
    (folder / "rankings.json").write_text(json.dumps(rankings), "utf-8")


def ask(table: lancedb.table.Table, text: str, vector: np.ndarray, depth: int) -> list[str]:
    """The ids found, best first. The vector is compared exactly: the table has no vector index."""
    query = table.search(query_type="hybrid").vector(vector).text(text).distance_type("cosine").limit(depth)
    return [row["id"] for row in query.to_list()]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
