"""The content words of a text as they were typed."""

import pytest

from retrievers.text.terms import content_terms, has_code


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


@pytest.mark.rule("pg-meta", "cjk")
@pytest.mark.parametrize(
    "text",
    [
        "XR-4200のトルクは？",
        "ＸＲ－４２００ torque",
        "What does ModuleNotFoundError mean?",
        "kubectl get pods -n",
        "where is max_connections set",
        "std::vector",
        "how does close() end",
        "release 15.2.1",
        "0xC0FFEE",
        "/etc/hostsの編集",
        "run `ls`",
        "settings.pyはどこ",
    ],
)
def test_a_code_is_noticed(text):
    """pg-meta, cjk: identifiers, flags, paths, versions, in any language and width."""
    assert has_code(text)


@pytest.mark.rule("pg-meta", "cjk")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "How do I change the seal?",
        "Who was Tanaka in 1984?",
        "2024-05-01の会議",
        "and/or, 3.14 percent",
        "a well-known state-of-the-art method",
        "シールの交換はいつですか",
        "第3章の12ページ",
        "NATO and the UN - what is it?",
    ],
)
def test_numbers_dates_and_words_are_no_code(text):
    """pg-meta, cjk: what any text may hold makes no question technical."""
    assert not has_code(text)


@pytest.mark.parametrize(
    "text", ["When did McDonald open?", "Who owns YouTube?", "What is PostgreSQL?", "the iPhone", "A/B test", "10% in 2010"]
)
def test_a_name_written_with_a_capital_inside_is_no_code(text: str) -> None:
    assert not has_code(text)
