"""Windows of a chunk: where they are cut, and how their vectors become the chunk's."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.caching import VectorCache
from retrievers.documents import ChunkDraft
from retrievers.ingest.chunk import Chunker
from retrievers.ingest.embed import PassageEmbedder
from retrievers.ingest.windows import WINDOW_TOKENS, embed_chunks, windows
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.text.sentences import sentences

count = HashEmbedder().count_tokens

PIECES = (
    "The pump stops at 40 bar.",
    "Close the valve first!",
    "ポンプは四十バールで停止します。",
    "先に弁を閉めてください。",
    "def stop(pump): return pump.off()",
    "!?",
    "\u200b",
    "XR-4200",
)
SPACES = ("", " ", "\n", "\n\n", "\u3000", "\t ")
texts = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SPACES)), max_size=30).map(lambda parts: "".join(map("".join, parts)))


class NoCache(VectorCache):
    """Remembers nothing."""

    fault = None

    async def get(self, scope, spec, side, texts):
        return [None] * len(texts)

    async def put(self, scope, spec, side, texts, vectors):
        pass


@pytest.mark.rule("emb-chunking", "cjk")
@given(texts, st.integers(1, 40))
def test_nothing_but_white_space_is_lost_and_the_order_is_kept(text, tokens):
    """emb-chunking, cjk: for any text and any size; also what the model counts as no token at all."""
    cut = windows(text, count, tokens)
    assert len(cut) >= 1
    assert re.sub(r"\s", "", "".join(cut)) == re.sub(r"\s", "", text)


@pytest.mark.rule("emb-chunking", "cjk")
@given(texts, st.integers(1, 40))
def test_only_a_single_sentence_is_longer_than_a_window(text, tokens):
    """emb-chunking, cjk: each window is whole sentences of the text, and within the limit unless it is one."""
    whole = [text[start:end] for start, end in sentences(text)]
    for window in windows(text, count, tokens):
        assert count(window) <= tokens or window in whole


@pytest.mark.rule("emb-chunking")
def test_windows_are_as_long_as_the_limit_lets_them_be():
    """emb-chunking: three sentences of four tokens fill a window of twelve; the fourth begins the next."""
    text = "One two three four. Five six seven eight.  Nine ten eleven twelve. Thirteen is not lucky."
    assert windows(text, count, 12) == ["One two three four. Five six seven eight.  Nine ten eleven twelve.", "Thirteen is not lucky."]
    assert windows(text, count, 11) == ["One two three four. Five six seven eight.", "Nine ten eleven twelve. Thirteen is not lucky."]
    assert windows(text, count, 1000) == [text]


@pytest.mark.rule("emb-chunking", "cjk")
def test_japanese_windows_end_where_sentences_end():
    """emb-chunking, cjk: 。ends a sentence, a bracket that closes it belongs to it, and no space is needed between two."""
    text = "電源を切ります。カバーを外します。「異常なし」と表示されます。"
    assert windows(text, count, 16) == ["電源を切ります。カバーを外します。", "「異常なし」と表示されます。"]


@pytest.mark.rule("emb-chunking")
def test_code_without_sentence_ends_is_cut_at_its_lines_and_a_long_line_stays_whole():
    """emb-chunking: an identifier is never cut in two."""
    lines = ["total = first + second", "print(total)", " ".join(f"name{number}" for number in range(50))]
    assert windows("\n".join(lines), count, 5) == ["total = first + second\nprint(total)", lines[2]]


@pytest.mark.parametrize("text", ["", " \n ", "\u3000", "one"])
def test_a_text_that_cannot_be_cut_is_one_window(text):
    assert windows(text, count) == [text]


@pytest.mark.rule("emb-chunking")
def test_each_window_is_embedded_with_title_and_headings():
    """emb-chunking: two windows of 40 tokens say what they are part of; one window is the text as it is analysed."""
    sentence = " ".join(["word"] * (WINDOW_TOKENS // 2 + 1)) + "."
    chunker = Chunker(count)
    long, short = f"{sentence} {sentence.upper()}", "A short text."
    draft = ChunkDraft(0, long, ("Care", "Seals"), 0, len(long), 66)
    assert chunker.window_texts("Pump", draft) == [f"Pump\nCare > Seals\n{sentence}", f"Pump\nCare > Seals\n{sentence.upper()}"]
    brief = ChunkDraft(0, short, ("Care",), 0, len(short), 3)
    assert chunker.window_texts("Pump", brief) == [chunker.indexed_text("Pump", brief)] == ["Pump\nCare\nA short text."]


@pytest.mark.rule("emb-advanced")
async def test_a_chunks_vector_is_the_mean_of_its_windows_at_unit_length():
    """emb-advanced: one text for each window is embedded, none for the whole; a chunk of one window has that vector and no windows."""
    embedder = HashEmbedder()
    passages = PassageEmbedder(embedder, NoCache(), Scope.operator("nobody"))
    done = []
    both, one = await embed_chunks(passages, [["red apples", "green pears"], ["blue plums"]], done.append)
    rows = await HashEmbedder().embed_passages(["red apples", "green pears", "blue plums"])
    mean = (rows[0] + rows[1]) / 2
    assert embedder.passages == ["red apples", "green pears", "blue plums"]
    assert sum(done) == 3
    assert np.array_equal(both.windows, rows[:2])
    assert np.allclose(both.vector, mean / np.linalg.norm(mean), atol=1e-6)
    assert np.linalg.norm(both.vector) == pytest.approx(1.0, abs=1e-6)
    assert one.windows is None
    assert np.array_equal(one.vector, rows[2])


class Opposed(HashEmbedder):
    """Whose two texts point away from each other."""

    def _embed(self, text):
        vector = np.zeros(64, np.float32)
        vector[0] = 1.0 if text == "up" else -1.0
        return vector


async def test_windows_that_cancel_each_other_out_leave_the_first():
    passages = PassageEmbedder(Opposed(), NoCache(), Scope.operator("nobody"))
    [chunk] = await embed_chunks(passages, [["up", "down"]], lambda _: None)
    assert chunk.vector[0] == 1.0
    assert chunk.windows.shape == (2, 64)
