"""The content words of a text as they were typed."""

import pytest

from retrievers.text.terms import content_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("What torque does the XR-4200 need?", ["torque", "XR-4200", "need"]),
        ("解約手数料はいくらで、いつ請求されますか", ["解約手数料", "請求"]),
        ("定例の打ち合わせはどこですか？", ["定例", "打ち合"]),
        ("サーバーの再起動は何時？", ["サーバー", "再起動"]),
        ("go 部署 deployment", ["go", "部署", "deployment"]),
        ("backup backup Backup", ["backup", "Backup"]),
        ("and when was that?", []),
        ("それはなぜ？", []),
        ("", []),
    ],
)
def test_terms_are_whole_and_in_order_without_function_words(text, terms):
    assert content_terms(text) == terms
