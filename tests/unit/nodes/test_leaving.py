"""A web query carries the user's words, and next to none of the documents'."""

import pytest
from turns import passage

from nodes.leaving import carries_away

SAID = ["How do I renew the licence of the Arcturus pump?"]
HELD = [
    passage(text="The Arcturus pump of Vega GmbH, serial VG-7781, belongs to ana@vega.test; the vault opens with harbour lantern cobalt.")
]
JAPANESE = [passage(text="金庫の暗証番号は4417です。合言葉は青い灯台と古い帆船です。", language="ja")]


@pytest.mark.rule("S7", "F17")
@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("VG-7781", "'VG-7781' stands in the documents"),
        ("licence renewal ana@vega.test", "stands in the documents"),
        ("licence vault harbour lantern cobalt", "of its words stand in the documents and not in the question"),
    ],
)
def test_words_of_the_documents_do_not_leave(query, why):
    """S7, F17: whatever a document made the model ask for."""
    assert why in carries_away(query, SAID, HELD)


@pytest.mark.rule("S7")
def test_words_of_japanese_documents_do_not_leave_either():
    """S7: numbers, and more than a few words."""
    assert "4417" in carries_away("金庫 4417", ["金庫を買うには？"], JAPANESE)
    assert carries_away("合言葉 青い灯台 古い帆船 暗証番号", ["今日の天気は？"], JAPANESE)


@pytest.mark.parametrize(
    "query", ["Arcturus pump licence renewal price", "renew licence Vega GmbH", "licence fee 2026", "Arcturusポンプ ライセンス 更新"]
)
def test_the_users_words_names_and_the_models_own_may(query):
    assert carries_away(query, SAID, HELD) == ""


def test_a_web_pages_words_are_public():
    assert carries_away("VG-7781", SAID, [{**HELD[0], "origin": "web"}]) == ""
