"""The way is chosen by heuristics, and every way leads to the documents."""

from datetime import UTC, datetime

import pytest
from turns import runtime, turn

from nodes.route import route
from nodes.structured import Decider
from retrievers.providers.fakes import ScriptedChat

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


async def routed(question, *, model=True, graph=False, web=False, knobs=None, **fields):
    """The route; the model's script is empty, so a call of its own would fail."""
    chat = Decider(ScriptedChat(replies=[])) if model else None
    return await route(turn(question, **fields), runtime(**{"now": NOW, **(knobs or {})}), chat=chat, graph=graph, web=web)


@pytest.mark.rule("adaptive", "T30")
async def test_the_stand_alone_question_is_the_first_query():
    """adaptive, T30: the user's words, by heuristics alone."""
    update = await routed("Where is it?", standalone="Where is the key?")
    assert (update["route"], update["query"]) == ("hybrid", "Where is the key?")
    assert "question" not in update


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("What torque does XR-4200 need?", ["XR-4200"]),
        ("XR-4200のトルクは？", ["XR-4200"]),
        ('Where is "blue kettle" named?', ['"blue kettle"']),
        ("What does max_connections do?", ["max_connections"]),
        ("「星守」とは？", ["「星守」"]),
        ("How are backups made?", []),
    ],
)
async def test_exact_terms_are_noticed(question, terms):
    update = await routed(question)
    assert update["trail"][0]["data"]["exact_terms"] == terms


@pytest.mark.rule("adaptive", "hyde")
@pytest.mark.parametrize(
    "question",
    [
        "Why does XR-4200 rattle?",
        "Why does max_connections matter?",
        'Why is it called "blue kettle"?',
        "なぜXR-4200は鳴るの？",
        "How does Kyoto cope?",
    ],
)
async def test_exact_terms_and_names_are_never_imagined_around(question):
    """adaptive, hyde: the lexical arm finds them letter by letter."""
    assert (await routed(question, suggested="hyde"))["route"] == "hybrid"


@pytest.mark.rule("adaptive", "hyde")
@pytest.mark.parametrize(
    "question", ["Why does it rattle so much?", "How does the pump cool down?", "なぜ音がするの？", "どうやって冷やすの？"]
)
async def test_a_vague_question_is_searched_by_an_imagined_passage_where_a_model_is(question):
    """adaptive, hyde: an explanation, asked for in few words."""
    assert (await routed(question))["route"] == "hyde"
    assert (await routed(question, model=False))["route"] == "hybrid"
    assert (await routed(question, knobs={"hyde": False}))["route"] == "hybrid"


@pytest.mark.rule("adaptive", "hyde")
@pytest.mark.parametrize(
    "question",
    [
        "How long are backups kept?",
        "How many days of leave are there?",
        "Why are the nightly backups of the billing server encrypted twice before upload?",
        "鍵はどこですか？",
    ],
)
async def test_a_question_with_words_to_be_found_by_costs_no_call(question):
    """adaptive, hyde: few calls."""
    assert (await routed(question))["route"] == "hybrid"


@pytest.mark.rule("adaptive", "q-detect")
@pytest.mark.parametrize(
    "question", ["What is the difference between tea and coffee?", "お茶とコーヒーの違いは？", "Compare XR-4200 with XR-4300."]
)
async def test_several_concepts_are_searched_apart_with_a_model_or_without(question):
    """adaptive, q-detect: codes too, each side being a search for its own."""
    for model in (True, False):
        assert (await routed(question, model=model))["route"] == "decompose"
        assert (await routed(question, model=model, knobs={"decompose": False}))["route"] == "hybrid"


CHAIN = "What is the native language of the person who wrote the manual?"


@pytest.mark.rule("adaptive", "kg", "q-detect")
async def test_several_hops_go_to_the_graph_of_relations_where_there_is_one():
    """adaptive, kg, q-detect: else a model splits them; rules alone cannot."""
    assert (await routed(CHAIN, graph=True))["route"] == "knowledge_graph"
    assert (await routed("How are humidity and mould related?", graph=True, model=False))["route"] == "knowledge_graph"
    assert (await routed(CHAIN))["route"] == "decompose"
    assert (await routed(CHAIN, model=False))["route"] == "hybrid"


@pytest.mark.rule("adaptive", "T32")
@pytest.mark.parametrize(
    ("question", "looked_for"),
    [
        ("Search the web for the winner of the 1998 cup", "the winner of the 1998 cup"),
        ("Can you look up opening hours of the museum on the internet?", "opening hours of the museum"),
        ("Please google the price of gold", "the price of gold"),
        ("ウェブで1998年の優勝国を調べて", "1998年の優勝国"),
        ("ネットで検索して: 金の価格", "金の価格"),
        ("What is the weather today?", "What is the weather today?"),
        ("今日の京都の天気は？", "今日の京都の天気は？"),
    ],
)
async def test_the_web_comes_first_where_it_is_asked_for_or_alone_can_know(question, looked_for):
    """adaptive, T32: where a web search is configured and allowed; what it was asked for is searched, not the asking."""
    update = await routed(question, web=True)
    assert (update["route"], update["query"], update["standalone"]) == ("web", looked_for, looked_for)
    assert (await routed(question, web=False))["route"] != "web"
    assert (await routed(question, web=True, knobs={"web": False}))["route"] != "web"


@pytest.mark.rule("adaptive", "T32")
@pytest.mark.parametrize(
    "question",
    [
        "Is the web server running?",
        "Which users are online?",
        "What does the internet policy say?",
        "ウェブサーバーの設定は？",
        "Who won the cup?",
    ],
)
async def test_other_questions_ask_the_documents_first(question):
    """adaptive, T32: no list of topics decides; what a collection holds only its search can tell."""
    assert (await routed(question, web=True))["route"] == "hybrid"


@pytest.mark.rule("adaptive")
@pytest.mark.parametrize("suggested", ["hyde", "decompose"])
async def test_the_models_suggestion_counts_where_heuristics_are_silent(suggested):
    """adaptive: heuristics before a model."""
    assert (await routed("When may staff leave early?", suggested=suggested))["route"] == suggested
    assert (await routed("When may staff leave early?", suggested=suggested, knobs={suggested: False}))["route"] == "hybrid"
    assert (await routed("When does the XR-4200 ship?", suggested=suggested))["route"] == "hybrid"


@pytest.mark.rule("now")
async def test_the_time_that_the_user_named_is_read_from_the_users_own_words():
    """now: "last month" is lost where a model has put a date in its place."""
    update = await routed("What changed last month?", standalone="What changed in the handbook in October 2026?")
    assert update["period"] == {"since": "2026-10-01T00:00:00+00:00", "until": "2026-11-01T00:00:00+00:00", "said": "last month"}
    assert (await routed("What happened in 1998?"))["period"] is None


@pytest.mark.rule("adaptive")
async def test_the_decision_is_in_the_trail_with_its_reason():
    """adaptive: what was seen, and what was made of it."""
    event = (await routed("お茶とコーヒーの違いは？"))["trail"][0]
    assert (event["step"], event["kind"], event["decision"], event["reason"]) == (
        "route",
        "decision",
        "decompose",
        "holds several concepts (comparison)",
    )
    assert event["data"] == {"exact_terms": [], "cue": "comparison", "period": None}
