"""Embedding models from a folder: a real model, small enough to work out by hand, really loaded by fastembed."""

import json
from pathlib import Path

import numpy as np
import pytest
from tiny_embedder import WORDS, write_embedder

from retrievers.errors import ConfigurationError, InvalidArgument
from retrievers.providers.embed_fastembed import FastembedEmbedder
from retrievers.providers.embedding_registry import Choice


def embedder(folder: Path, dims: int | None = None) -> FastembedEmbedder:
    return FastembedEmbedder(Choice("fastembed", str(folder), dims))


def mean_of(*words: str) -> np.ndarray:
    """The mean of these words' axes at unit length, an unknown one on the last."""
    axes = np.zeros(len(WORDS) + 1)
    for word in words:
        axes[WORDS.index(word) if word in WORDS else len(WORDS)] += 1
    return axes / np.linalg.norm(axes)


async def test_a_text_is_the_mean_of_its_words(tmp_path: Path) -> None:
    model = embedder(write_embedder(tmp_path / "plain"))
    assert await model.embed_query("The pump, the pump") == pytest.approx(mean_of("the", "pump", ",", "the", "pump"), abs=1e-6)
    rows = await model.embed_passages(["valve", "モーター water water"])
    assert rows == pytest.approx(np.stack([mean_of("valve"), mean_of("モーター", "water", "water")]), abs=1e-6)


async def test_a_text_alone_and_among_longer_ones_has_the_same_vector(tmp_path: Path) -> None:
    model = embedder(write_embedder(tmp_path / "plain"))
    texts = ["bolt", "water " * 50, "pump valve", "torque " * 30]
    alone = [(await model.embed_passages([text]))[0] for text in texts]
    assert np.abs(await model.embed_passages(texts) - np.stack(alone)).max() < 1e-6


@pytest.mark.rule("T21", "T24", "emb-models")
@pytest.mark.parametrize("how", ["tadori.json", "sentence-transformers", "name"])
async def test_query_and_passage_get_their_prefixes(tmp_path: Path, how: str) -> None:
    """T21, T24, emb-models: from the user's own declaration, from what came with the model, or by its name."""
    folder = tmp_path / ("my-e5" if how == "name" else "plain")
    if how == "tadori.json":
        write_embedder(folder, query_prefix="query ", passage_prefix="passage ")
    else:
        write_embedder(folder)
    if how == "sentence-transformers":
        prompts = {"prompts": {"query": "query ", "document": "passage "}}
        (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    colon = (":",) if how == "name" else ()
    model = embedder(folder)
    assert await model.embed_query("pump") == pytest.approx(mean_of("query", *colon, "pump"), abs=1e-6)
    assert (await model.embed_passages(["pump"]))[0] == pytest.approx(mean_of("passage", *colon, "pump"), abs=1e-6)


async def test_an_empty_prefix_that_is_declared_wins(tmp_path: Path) -> None:
    model = embedder(write_embedder(tmp_path / "my-e5", query_prefix=""))
    assert await model.embed_query("pump") == pytest.approx(mean_of("pump"), abs=1e-6)


async def test_what_lies_beyond_the_window_is_left_out(tmp_path: Path) -> None:
    model = embedder(write_embedder(tmp_path / "small", max_tokens=8))
    assert model.spec.max_tokens == 8
    assert await model.embed_query("pump " * 6 + "valve") == pytest.approx(mean_of("pump"), abs=1e-6)


async def test_tokens_are_the_models_own(tmp_path: Path) -> None:
    model = embedder(write_embedder(tmp_path / "small", max_tokens=8))
    assert model.count_tokens("pump " * 20) == 20
    assert model.count_tokens("水のモーター, 四本") == 5


@pytest.mark.rule("F14")
async def test_the_model_is_known_by_its_content_wherever_it_lies(tmp_path: Path) -> None:
    """F14: the same folder elsewhere is the same model; other weights, prefixes or pooling of the same size are another."""
    name = embedder(write_embedder(tmp_path / "a" / "model")).spec.model
    assert name.startswith("fastembed:model#")
    assert embedder(write_embedder(tmp_path / "b" / "model")).spec.model == name
    others = [
        write_embedder(tmp_path / "c" / "model", gain=2.0),
        write_embedder(tmp_path / "d" / "model", query_prefix="query "),
        write_embedder(tmp_path / "e" / "model", pooling="cls"),
        write_embedder(tmp_path / "f" / "model", (*WORDS[:-1], "ライト")),
    ]
    specs = [embedder(folder).spec for folder in others]
    assert len({name, *(spec.model for spec in specs)}) == 5
    assert {spec.dims for spec in specs} == {len(WORDS) + 1}


@pytest.mark.rule("emb-advanced")
async def test_a_model_that_was_trained_for_it_is_cut(tmp_path: Path) -> None:
    """emb-advanced: the first numbers at unit length, and the size is part of the model's name."""
    model = embedder(write_embedder(tmp_path / "mxbai-embed-large-v1", dims=1024), 64)
    vector = await model.embed_query("pump")
    assert vector.shape == (64,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)
    assert model.spec.model.startswith("fastembed:mxbai-embed-large-v1@64#")
    with pytest.raises(ConfigurationError, match="use one of @64, @512, @1024"):
        _ = embedder(tmp_path / "mxbai-embed-large-v1", 100).spec
    with pytest.raises(ConfigurationError, match="gives 10 dimensions and not 1024 as its name says"):
        _ = embedder(write_embedder(tmp_path / "x" / "mxbai-embed-large-v1"), 64).spec


@pytest.mark.rule("T21")
@pytest.mark.parametrize("fault", ["no folder", "no tokeniser", "no model", "broken", "no pooling", "bad card"])
async def test_a_folder_that_cannot_be_used_is_said_and_nothing_else_embeds(tmp_path: Path, fault: str) -> None:
    """T21: no silent stand-in when a model fails to load."""
    folder = tmp_path / "model"
    if fault != "no folder":
        write_embedder(folder)
    match fault:
        case "no tokeniser":
            (folder / "tokenizer.json").unlink()
        case "no model":
            (folder / "model.onnx").unlink()
        case "broken":
            (folder / "model.onnx").write_bytes(b"no model")
        case "no pooling":
            (folder / "1_Pooling" / "config.json").unlink()
        case "bad card":
            (folder / "tadori.json").write_text('{"pooling": "median"}')
    with pytest.raises(ConfigurationError, match=str(folder)):
        await embedder(folder).embed_query("pump")


async def test_a_text_without_a_visible_character_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="no embedding"):
        await embedder(write_embedder(tmp_path / "plain")).embed_passages(["pump", " \n"])
