"""Makes an embedding model that is small enough to work out by hand: each word is one axis, a text the mean of its words."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from tiny_onnx import SPECIAL, save_model, write_tokeniser

WORDS = ("query", "passage", "pump", "valve", "torque", "bolt", "water", "the", "モーター")


def write_embedder(
    folder: Path, words: Sequence[str] = WORDS, *, max_tokens: int = 512, dims: int | None = None, gain: float = 1.0, **card: object
) -> Path:
    """A folder with such a model, its pooling declared as sentence-transformers does; `dims` pads the axes, `card` is tadori.json."""
    vocabulary = write_tokeniser(folder, words, max_tokens=max_tokens)
    axes = np.zeros((len(vocabulary), dims or len(words) + 1), np.float32)
    for number in range(len(vocabulary)):
        # Words that are unknown share the last axis; the special ones are on none.
        axes[number, (number - len(SPECIAL)) if number >= len(SPECIAL) else len(words)] = (
            gain if number == 1 or number >= len(SPECIAL) else 0
        )
    nodes = [helper.make_node("Gather", ["axes", "input_ids"], ["last_hidden_state"])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", axes.shape[1]])
    save_model(folder / "model.onnx", helper.make_graph(nodes, "axes", inputs, [output], [numpy_helper.from_array(axes, "axes")]))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}))
    if card:
        (folder / "tadori.json").write_text(json.dumps(card), "utf-8")
    return folder
