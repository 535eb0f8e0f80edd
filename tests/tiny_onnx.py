"""Makes models that are small enough to understand: a word tokeniser and an ONNX graph over its words, in a folder.

For the adapters that load a model from a folder: what they load is real, and what it says can be worked out by hand.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_OPSET, _IR = 17, 10


def write_tokeniser(folder: Path, words: Sequence[str], *, max_tokens: int = 64) -> list[str]:
    """A tokeniser of whole lower-case words, each Han character being one; the vocabulary, in the order of its ids."""
    vocabulary = [*SPECIAL, *words]
    ids = {word: number for number, word in enumerate(vocabulary)}
    tokeniser = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokeniser.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokeniser.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokeniser.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, ids[name]) for name in ("[CLS]", "[SEP]")],
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokeniser.save(str(folder / "tokenizer.json"))
    config = {"model_max_length": max_tokens, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return vocabulary


def write_cross_encoder(
    folder: Path,
    words: Sequence[str],
    *,
    gain: float = 4.0,
    bias: float = -4.0,
    outputs: int = 1,
    max_tokens: int = 64,
    card: dict[str, object] | None = None,
    file: str = "model.onnx",
) -> Path:
    """A model whose output is `gain` for each known word that stands in both texts, and `bias` once; the folder."""
    vocabulary = write_tokeniser(folder, words, max_tokens=max_tokens)
    counted = np.array([0.0 if word in SPECIAL else 1.0 for word in vocabulary], np.float32)
    constants = {
        "depth": np.array(len(vocabulary), np.int64),
        "off_on": np.array([0, 1], np.float32),
        "one": np.array(1, np.float32),
        "axis_2": np.array([2], np.int64),
        "axis_1": np.array([1], np.int64),
        "counted": counted,
        "gain": np.full(outputs, gain, np.float32),
        "bias": np.full(outputs, bias, np.float32),
    }
    nodes = [
        helper.make_node("OneHot", ["input_ids", "depth", "off_on"], ["words"]),
        helper.make_node("Cast", ["token_type_ids"], ["kind"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["kind", "axis_2"], ["in_passage"]),
        helper.make_node("Sub", ["one", "in_passage"], ["in_query"]),
        helper.make_node("Mul", ["words", "in_query"], ["query_words"]),
        helper.make_node("Mul", ["words", "in_passage"], ["passage_words"]),
        helper.make_node("ReduceMax", ["query_words"], ["query"], axes=[1], keepdims=0),
        helper.make_node("ReduceMax", ["passage_words"], ["passage"], axes=[1], keepdims=0),
        helper.make_node("Mul", ["query", "passage"], ["both"]),
        helper.make_node("Mul", ["both", "counted"], ["shared"]),
        helper.make_node("ReduceSum", ["shared", "axis_1"], ["number"], keepdims=1),
        helper.make_node("Mul", ["number", "gain"], ["gained"]),
        helper.make_node("Add", ["gained", "bias"], ["logits"]),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in ("input_ids", "token_type_ids")]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", outputs])
    initial = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "shared-words", inputs, [logits], initial)
    save_model(folder / file, graph)
    if card is not None:
        (folder / "tadori.json").write_text(json.dumps(card), "utf-8")
    return folder


def save_model(path: Path, graph: onnx.GraphProto) -> None:
    """Check the graph and write it as a model that the oldest onnxruntime in question reads."""
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))
