"""Which texts a model for Latin script can read."""

import pytest

from retrievers.text.script import is_latin


@pytest.mark.rule("T17")
@pytest.mark.parametrize(
    "text",
    [
        "What torque do the bolts need?",
        "Über die Höhe der Zinsen für ältere Verträge",
        "TGF-β inhibits the α and β subunits of the receptor",
        "Ｔｏｒｑｕｅ ＸＲ－４２００",
        "The word 記憶 stands once in this whole English sentence about memory.",
        "12 Nm ± 0.5 (→ §3)",
        "",
    ],
)
def test_latin_script_with_a_symbol_or_a_name_in_another_is_latin(text):
    """T17: symbols, digits and a single foreign word do not count."""
    assert is_latin(text)


@pytest.mark.rule("T17")
@pytest.mark.parametrize(
    "text",
    [
        "締付けトルクは？",
        "XR-4200のトルク",
        "What does 記憶 mean?",
        "如何重启服务器",
        "서버를 다시 시작",
        "Как перезапустить сервер",
        "ｻｰﾊﾞｰ",
    ],
)
def test_other_scripts_are_not(text):
    """T17: also a short question about a Japanese word, which is what it turns on."""
    assert not is_latin(text)
