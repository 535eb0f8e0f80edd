"""A cross-encoder from a local folder, run by the real fastembed and onnxruntime on a small model of our own."""

import asyncio
import json
import math
import time
from threading import Event

import pytest
from reranking import WORDS, cross_encoder
from tiny_onnx import write_cross_encoder, write_tokeniser

from retrievers.errors import ConfigurationError, MissingExtra, ProviderRejected, ProviderReplyInvalid
from retrievers.providers.rerank_fastembed import FastembedReranker

TEXTS = ["a cat", "the torque is twelve", "torque"]
QUERY = "the torque"


def by_index(reply):
    return [entry["score"] for entry in sorted(reply.scores, key=lambda entry: entry["index"])]


@pytest.mark.rule("rr-cross", "F18")
async def test_a_logit_becomes_its_sigmoid(tmp_path):
    """rr-cross, F18: none, two and one shared words are the logits -4, 4 and 0."""
    reply = await cross_encoder(tmp_path).rerank(QUERY, TEXTS)
    assert reply.scale == "sigmoid"
    assert by_index(reply) == pytest.approx([1 / (1 + math.e**4), 1 / (1 + math.e**-4), 0.5])


@pytest.mark.rule("F18")
async def test_logits_from_minus_11_to_11_keep_their_order_on_0_to_1(tmp_path):
    """F18: neither end is lost."""
    reply = await cross_encoder(tmp_path, gain=11.0, bias=-11.0).rerank(QUERY, TEXTS)
    assert by_index(reply) == pytest.approx([1.670142e-05, 0.9999833, 0.5])


async def test_very_large_logits_do_not_overflow(tmp_path):
    reply = await cross_encoder(tmp_path, gain=5000.0, bias=-5000.0).rerank(QUERY, TEXTS)
    assert by_index(reply) == [0.0, 1.0, 0.5]


async def test_a_declared_probability_is_taken_as_it_is(tmp_path):
    reply = await cross_encoder(tmp_path, gain=0.25, bias=0.125, card={"output": "probability"}).rerank(QUERY, TEXTS)
    assert (reply.scale, by_index(reply)) == ("probability", [0.125, 0.625, 0.375])


@pytest.mark.rule("F18")
@pytest.mark.parametrize(
    ("bias", "card"), [(-4.0, {"output": "probability"}), (math.nan, {}), (math.inf, {})], ids=["logits", "nan", "inf"]
)
async def test_an_output_that_is_not_what_was_declared_is_an_error(tmp_path, bias, card):
    """F18: a logit is never taken for a probability."""
    with pytest.raises(ProviderReplyInvalid, match="is no probability: declare"):
        await cross_encoder(tmp_path, bias=bias, card=card).rerank(QUERY, TEXTS)


@pytest.mark.rule("T17", "rr-cross")
@pytest.mark.parametrize(
    ("query", "text"), [("締付けトルクは？", "the torque"), ("the torque", "トルクは12Nmです"), ("момент", "the torque")]
)
async def test_a_model_for_english_is_not_shown_another_script(tmp_path, query, text):
    """T17, rr-cross: in the question or in any passage."""
    with pytest.raises(ProviderRejected, match="is not declared multilingual"):
        await cross_encoder(tmp_path).rerank(query, ["the torque is twelve", text])


@pytest.mark.rule("T17")
async def test_a_model_declared_multilingual_is_shown_any_script(tmp_path):
    """T17: the user knows the model, and says so in its folder."""
    folder = write_cross_encoder(tmp_path, ["回転", "猫", "力"], card={"multilingual": True})
    reply = await FastembedReranker(folder).rerank("回転 力", ["猫", "力 回転"])
    assert [entry["index"] for entry in reply.scores] == [1, 0]


@pytest.mark.rule("rr-cross")
async def test_a_passage_is_cut_after_the_last_token_that_fits(tmp_path):
    """rr-cross: 32 tokens are 3 of the model's own, 2 of the query and 27 of the passage, the 28th is not read."""
    reranker = cross_encoder(tmp_path, max_tokens=32)
    reply = await reranker.rerank(QUERY, ["cat " * 26 + "torque", "cat " * 27 + "torque"])
    assert by_index(reply) == pytest.approx([0.5, 1 / (1 + math.e**4)])


@pytest.mark.rule("rr-cross")
async def test_a_long_query_is_cut_to_half_the_window_and_leaves_the_rest_to_the_passage(tmp_path):
    """rr-cross: of 29 tokens the query has 14 and the passage 15."""
    reranker = cross_encoder(tmp_path, max_tokens=32)
    inside = await reranker.rerank("cat " * 13 + "torque " + "cat " * 50, ["bolt " * 14 + "torque"])
    outside = await reranker.rerank("cat " * 14 + "torque " + "cat " * 50, ["bolt " * 14 + "torque"])
    beyond = await reranker.rerank("cat " * 13 + "torque " + "cat " * 50, ["bolt " * 15 + "torque"])
    assert [by_index(reply)[0] > 0.4 for reply in (inside, outside, beyond)] == [True, False, False]


@pytest.mark.rule("rr-cross")
async def test_the_folder_may_declare_a_shorter_window(tmp_path):
    """rr-cross: the model could read 64 tokens, the user wants 32."""
    reply = await cross_encoder(tmp_path, card={"max_tokens": 32}).rerank(QUERY, ["cat " * 27 + "torque"])
    assert by_index(reply)[0] < 0.1


async def test_texts_of_all_lengths_keep_their_numbers(tmp_path):
    texts = [("cat " * (number * 7 % 50)) + ("torque" if number % 3 == 0 else "bolt") for number in range(50)]
    scores = by_index(await cross_encoder(tmp_path).rerank(QUERY, texts))
    assert [score > 0.4 for score in scores] == [number % 3 == 0 for number in range(50)]


@pytest.mark.rule("R11")
async def test_cancelled_it_stops_after_the_batch_that_is_running(tmp_path, monkeypatch):
    """R11: nobody waits for the rest, so the cores are free again."""
    reranker = cross_encoder(tmp_path)
    await reranker.prepare()
    encoder, started, release = reranker._model.encoder, Event(), Event()
    runs = []

    def slow(query, texts, batch_size):
        runs.append(len(texts))
        started.set()
        release.wait(10)
        return [0.0] * len(texts)

    monkeypatch.setattr(encoder, "rerank", slow)
    task = asyncio.create_task(reranker.rerank(QUERY, ["bolt"] * 60))
    await asyncio.to_thread(started.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()
    monkeypatch.undo()
    assert len((await reranker.rerank(QUERY, TEXTS)).scores) == 3
    assert runs == [16]


@pytest.mark.rule("F26")
async def test_the_event_loop_stays_free_while_the_model_loads(tmp_path):
    """F26: a heartbeat beside it is never late."""
    late = []

    async def beat():
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.01)
            late.append(time.perf_counter() - before - 0.01)

    heart = asyncio.create_task(beat())
    await cross_encoder(tmp_path).prepare()
    heart.cancel()
    assert max(late, default=0.0) < 1.0


def broken(folder, **files):
    """A model's folder with some of its files replaced, or removed where None is given."""
    write_cross_encoder(folder, WORDS)
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content, "utf-8")
    return folder


@pytest.mark.rule("T21")
@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"tokenizer__json": None}, "has no tokenizer.json"),
        ({"tokenizer_config__json": None}, "has no tokenizer_config.json"),
        ({"tokenizer__json": "{"}, "cannot be loaded"),
        ({"tokenizer_config__json": "{}"}, "cannot be loaded"),
        ({"model__onnx": None}, "no .onnx file"),
        ({"model__onnx": "not a model"}, "cannot be loaded"),
        ({"tadori__json": "{"}, "is not usable"),
        ({"tadori__json": '{"multilingual": "perhaps"}'}, "multilingual"),
        ({"tadori__json": '{"multi": true}'}, "it may declare multilingual, output, max_tokens, file"),
        ({"tadori__json": '{"max_tokens": 4}'}, "max_tokens"),
        ({"tadori__json": '{"file": "other.onnx"}'}, "'other.onnx', which is not there"),
    ],
    ids=lambda given: next(iter(given.items()))[0] if isinstance(given, dict) else None,
)
async def test_a_folder_that_cannot_be_used_is_named_and_nothing_stands_in_for_it(tmp_path, files, message):
    """T21: no silent stand-in where a model does not load."""
    with pytest.raises(ConfigurationError) as caught:
        await FastembedReranker(broken(tmp_path, **files)).prepare()
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value)


async def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="there is no folder"):
        await FastembedReranker(tmp_path / "nowhere").prepare()


async def test_a_model_with_two_outputs_is_no_reranker(tmp_path):
    with pytest.raises(ConfigurationError, match="gives 2 numbers for a pair"):
        await cross_encoder(tmp_path, outputs=2).prepare()


async def test_of_several_models_the_usual_one_is_taken_or_the_declared_one(tmp_path):
    write_cross_encoder(tmp_path, WORDS, bias=0.0, file="onnx/model_int8.onnx")
    write_cross_encoder(tmp_path, WORDS, file="onnx/model.onnx")
    assert by_index(await FastembedReranker(tmp_path).rerank(QUERY, ["torque"])) == [0.5]
    (tmp_path / "tadori.json").write_text(json.dumps({"file": "onnx/model_int8.onnx"}), "utf-8")
    assert by_index(await FastembedReranker(tmp_path).rerank(QUERY, ["torque"]))[0] > 0.9


async def test_of_several_unusual_ones_none_is_guessed(tmp_path):
    for name in ("one.onnx", "two.onnx"):
        write_cross_encoder(tmp_path, WORDS, file=name)
    with pytest.raises(ConfigurationError, match=r"does not say which file is the model \(one\.onnx, two\.onnx\)"):
        await FastembedReranker(tmp_path).prepare()


async def test_without_the_extra_the_error_names_it(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fastembed.rerank.cross_encoder", None)
    with pytest.raises(MissingExtra, match=r"pip install 'tadori\[fastembed\]'"):
        await cross_encoder(tmp_path).prepare()


async def test_a_tokeniser_alone_is_no_model(tmp_path):
    write_tokeniser(tmp_path, WORDS)
    with pytest.raises(ConfigurationError, match=r"no \.onnx file"):
        await FastembedReranker(tmp_path).prepare()
