"""Searches a corpus with bm25s: its own tokenizer with a stemmer for English, the words given to it for other languages.

Run by _peers.py under a Python that has bm25s; reads and writes the exchange folder alone.
"""

import json
import sys
from pathlib import Path

import bm25s
import Stemmer


def main(folder: Path) -> None:
    """Index, then ask every question at each depth."""
    task = json.loads((folder / "task.json").read_text("utf-8"))
    documents, questions = words(task, "documents"), words(task, "questions")
    index = bm25s.BM25()
    index.index(documents, show_progress=False)
    ids = [document["id"] for document in task["documents"]]
    rankings: dict[str, dict[str, list[str]]] = {}
    for depth in task["depths"]:
        found, scores = index.retrieve(questions, k=min(depth, len(ids)), show_progress=False)
        rankings[str(depth)] = {
            question["id"]: [ids[place] for place, score in zip(found[number], scores[number], strict=True) if score > 0]
            for number, question in enumerate(task["questions"])
        }
    (folder / "rankings.json").write_text(json.dumps(rankings), "utf-8")


def words(task: dict, side: str) -> list[list[str]]:
    """The words of each text: bm25s's own tokenizer splits at spaces, which Japanese and Chinese do not have."""
    if task["language"] != "en":
        return [entry["words"] for entry in task[side]]
    texts = [entry["text"] for entry in task[side]]
    return bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), return_ids=False, show_progress=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
