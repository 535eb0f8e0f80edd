"""`tadori usage`: what the model calls of real commands came to."""

import json

import pytest
from servers.chat import ChatServer

PRICES = "openai:small=1,10; openai:other=2,20"


@pytest.mark.rule("ledger", "gate")
def test_usage_shows_calls_tokens_and_cost_of_each_step_and_the_gates_share(run, tmp_path):
    """ledger, gate: two turns, one with a model and one without."""
    (tmp_path / "ops.md").write_text("# Backups\n\nNightly backups are kept for 35 days.\n", "utf-8")
    run("ingest", "ops.md")
    run("ask", "How long are nightly backups kept?")
    with ChatServer(always="You are welcome to it.") as chat:
        settings = {"TADORI_CHAT_MODEL": "openai:small", "TADORI_CHAT_BASE_URL": chat.base_url, "TADORI_CHAT_PRICES": PRICES}
        _, out, _ = run("ask", "Hello!", "--json", **settings)
        assert json.loads(out)["usage"] == {"calls": 1, "input_tokens": 100, "output_tokens": 10, "cost_usd": pytest.approx(0.0002)}
    code, out, _ = run("usage", "--json")
    found = json.loads(out)
    assert (code, found["turns"], found["retrieved"], found["skipped"]) == (0, {"answered": 1, "direct": 1}, 1, 1)
    assert [(step["step"], step["model"], step["calls"], step["input_tokens"]) for step in found["steps"]] == [
        ("generate", "openai:small", 1, 100)
    ]
    assert found["total"]["cost_usd"] == pytest.approx(0.0002)
    _, shown, _ = run("usage")
    assert "2 turns: 1 answered, 1 direct; 1 of 2 needed no documents" in shown
    assert run("usage", "--since", "2999-01-01")[1] == "0 turns\n"


def test_a_price_that_cannot_be_read_is_named(run):
    code, _, err = run("usage", TADORI_CHAT_PRICES="gpt=cheap")
    assert code == 1
    assert "TADORI_CHAT_PRICES is not usable ('gpt=cheap'): 'gpt=cheap' is not MODEL=INPUT,OUTPUT" in err
