"""The language of a text, by script and function words."""

import pytest

from retrievers.text.language import Language, language_of, other_scripts


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I build an index without blocking writes?", "en"),
        ("Torque spec", "en"),
        ("The café on the corner opens at nine.", "en"),
        ("締め付けトルクはいくつですか", "ja"),
        ("XR-4200のトルク仕様は12Nmです", "ja"),
        ("解約手数料", "ja"),
        ("東京", "ja"),
        ("PostgreSQLのCREATE INDEX CONCURRENTLYとは", "ja"),
        ("黑豹队的防守只丢了308分，在联赛中排名第六", "zh"),
        ("他们说这个问题", "zh"),
        ("東部聯盟的防守只丟了三百零八分在聯賽中排名第六同時也以二十四次攔截領先", "zh"),
        ("한국어 문서에서 검색하기", "ko"),
        ("go 部署 deployment to the cluster", "en"),
        ("Wie geht es dir heute?", "und"),
        ("¿Cómo está usted?", "und"),
        ("XR-4200", "und"),
        ("12 + 30", "und"),
        ("", "und"),
    ],
)
def test_the_language_of_a_text_is_named(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_japanese_page_with_english_code_stays_japanese() -> None:
    assert language_of("設定ファイルを開いて次の行を追加します。\nmax_connections = 200\nshared_buffers = 2GB\n" * 3) == "ja"


@pytest.mark.rule("cjk", "core-hybrid")
@pytest.mark.parametrize(
    ("language", "others"),
    [("en", ("ja", "ko", "zh")), ("ja", ("en", "ko")), ("zh", ("en", "ko")), ("ko", ("en", "ja", "zh")), ("und", ())],
)
def test_languages_of_another_script_share_no_words(language: Language, others: tuple[Language, ...]) -> None:
    """cjk, core-hybrid: Japanese and Chinese share theirs; what may be a name or a code can stand in any text."""
    assert other_scripts(language) == others
