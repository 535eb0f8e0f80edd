"""A reranker at the command line: what doctor says of it, what a search shows of it, what its threshold does to an answer."""

import json

import pytest
from servers.chat import ChatServer
from servers.cohere import RerankServer, rerank_reply
from servers.loopback import Reply
from tiny_onnx import write_cross_encoder

TEXT = "# Backups\n\nNightly backups are kept for 35 days.\n"
QUESTION = "How long are nightly backups kept?"
NAMES = (
    *("TADORI_DATABASE_URL", "TADORI_CHAT_MODEL", "TADORI_CHAT_FAST_MODEL", "TADORI_WEB_SEARCH", "TADORI_EMBEDDING_MODEL"),
    *("TADORI_RERANKER", "TADORI_RERANK_THRESHOLD", "TADORI_RERANK_TIMEOUT_S", "TADORI_COHERE_URL", "COHERE_API_KEY"),
)


@pytest.fixture
def stored(run, tmp_path):
    """One document is stored."""
    (tmp_path / "ops.md").write_text(TEXT, "utf-8")
    assert run("ingest", "ops.md")[0] == 0


def reranker_of(run, **settings):
    code, out, _ = run("doctor", "--json", **settings)
    (check,) = (check for check in json.loads(out)["checks"] if check["name"] == "reranker")
    return code, check["ok"], check["detail"]


def test_doctor_says_which_reranker_answers_on_which_scale(run, tmp_path):
    folder = write_cross_encoder(tmp_path / "model", ["bolt", "mount"])
    code, ok, detail = reranker_of(run, TADORI_RERANKER=f"combined:fastembed:{folder}", TADORI_RERANK_THRESHOLD="sigmoid:0.2")
    assert (code, ok) == (0, True)
    assert detail.startswith(f"combined:fastembed:{folder}, scale sigmoid, threshold 0.2; two passages took ")


@pytest.mark.rule("F18")
def test_doctor_says_what_a_reranker_answered_instead(run):
    """F18: a wrong key shows before the first question does."""
    with RerankServer(Reply({"message": "invalid api token"}, status=401)) as server:
        code, ok, detail = reranker_of(run, TADORI_RERANKER="cohere:rerank-v3.5", TADORI_COHERE_URL=server.url, COHERE_API_KEY="canary")
    assert (code, ok) == (1, False)
    assert "cohere:rerank-v3.5 refused the key (401)" in detail
    assert "canary" not in detail


@pytest.mark.rule("F18")
def test_doctor_names_a_threshold_on_another_scale(run):
    """F18: it would be compared with numbers that mean something else."""
    with RerankServer() as server:
        settings = {"TADORI_RERANKER": "cohere:rerank-v3.5", "TADORI_COHERE_URL": server.url, "TADORI_RERANK_THRESHOLD": "rating:0.5"}
        _, ok, detail = reranker_of(run, **settings)
    assert not ok
    assert "TADORI_RERANK_THRESHOLD is on the scale 'rating', but 'cohere:rerank-v3.5' scores on 'relevance'" in detail


@pytest.mark.rule("F18", "rr-llm")
def test_a_search_shows_the_rerankers_score_or_why_there_is_none(run, stored):
    """F18, rr-llm: in JSON and for a person."""
    with RerankServer(rerank_reply([(0, 0.875)])) as server:
        settings = {"TADORI_RERANKER": "cohere:rerank-v3.5", "TADORI_COHERE_URL": server.url}
        found = json.loads(run("search", "backups", "--json", **settings)[1])
        assert found["hits"][0]["reranked"] == {"scale": "relevance", "score": 0.875, "threshold": None, "parts": {}}
        assert found["degraded"] == []
        server.first = [Reply({"message": "no"}, status=401)] * 2
        found = json.loads(run("search", "backups", "--json")[1])
        assert len(found["hits"]) == 1
        assert found["degraded"] == [
            {
                "cause": "reranker cohere:rerank-v3.5: cohere:rerank-v3.5 refused the key (401): set one that it accepts",
                "fallback": "the passages keep the order of the fusion",
            }
        ]
        assert "degraded: reranker cohere:rerank-v3.5: " in run("search", "backups")[1]


@pytest.mark.rule("no-answer", "T16", "F18")
def test_a_threshold_of_the_reranker_can_turn_an_answer_into_none_and_its_failure_cannot(run, stored):
    """no-answer, T16, F18: one passage is scored too; 0.1 is below 0.5; a reranker that is down leaves the calibrated threshold."""
    with RerankServer(rerank_reply([(0, 0.1)])) as server:
        settings = {"TADORI_RERANKER": "cohere:rerank-v3.5", "TADORI_COHERE_URL": server.url, "TADORI_RERANK_THRESHOLD": "relevance:0.5"}
        server.first = [rerank_reply([(0, 0.1)])] * 3
        turned_away = json.loads(run("ask", QUESTION, "--json", **settings)[1])
        server.first = [Reply({"message": "no"}, status=401)]
        unranked = json.loads(run("ask", QUESTION, "--json")[1])
    assert turned_away["status"] == "no_evidence"
    assert turned_away["rejected"][0]["why"] == "relevance 0.10 is below the reranker's threshold 0.50"
    assert turned_away["degraded"] == []
    assert unranked["status"] == "answered"
    assert [entry["step"] for entry in unranked["degraded"]] == ["retrieve"]


@pytest.mark.rule("rr-llm", "T14")
def test_a_chat_model_reranks_in_one_call_and_a_bad_reply_is_a_degradation(run, stored):
    """rr-llm, T14: the model is asked once, and prose is no order."""
    with ChatServer({"ratings": [{"id": 1, "score": 9}]}, "yes, passage 1") as server:
        settings = {"TADORI_RERANKER": "chat", "TADORI_CHAT_MODEL": "openai:tiny", "TADORI_CHAT_BASE_URL": server.base_url}
        found = json.loads(run("search", "backups", "--json", **settings)[1])
        assert (found["hits"][0]["reranked"]["scale"], found["hits"][0]["score"]) == ("rating", 0.9)
        assert len(server.asked) == 1
        found = json.loads(run("search", "backups", "--json")[1])
    assert "reranked" not in found["hits"][0]
    assert (
        found["degraded"][0]["cause"]
        == "reranker chat:openai:tiny: chat:openai:tiny gave no ratings that can be read, but 'yes, passage 1'"
    )
