"""The lexical analyser: which words a text gives, and which of them a query asks for."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers.text import analysis
from retrievers.text.analysis import MAX_WORD, analyse, query_words


def found(query: str, text: str) -> set[str]:
    """The words of the query that stand in the text."""
    return set(query_words(query)) & set(analyse(text))


@pytest.mark.rule("F3", "cjk", "T8")
@pytest.mark.parametrize(
    ("query", "text", "words"),
    [
        ("XR-4200", "XR-4200のトルク仕様は12Nmです", {"xr4200", "xr", "4200"}),
        ("トルク", "XR-4200のトルク仕様は12Nmです", {"トル", "ルク"}),
        ("金曜", "アレックスは共同創業者で、毎週金曜に打ち合わせがある", {"金", "曜", "金曜"}),
        ("アレックスとの予定は？", "アレックスは共同創業者で、毎週金曜に打ち合わせがある", {"アレ", "レッ", "ック", "クス"}),
    ],
)
def test_a_japanese_word_is_found_inside_a_sentence(query: str, text: str, words: set[str]) -> None:
    """F3, T8, cjk: no spaces are needed, and a code beside kana is still a word."""
    assert found(query, text) == words


@pytest.mark.rule("F4", "cjk")
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("go 部署 deployment", ["go", "部", "署", "部署", "deploy"]),
        ("記憶 システム", ["記", "憶", "記憶", "シス", "ステ", "テム"]),
        ("cron 定時", ["cron", "定", "時", "定時"]),
    ],
)
def test_both_halves_of_a_mixed_query_count(query: str, words: list[str]) -> None:
    """F4, cjk: neither script swallows the other."""
    assert query_words(query) == words


@pytest.mark.rule("F6", "lexical-query")
@pytest.mark.parametrize(
    "query", ["What is it?", "and of the", "Who are you?", "それは何ですか", "这是什么", "這是什麼", "", " \n\t\u3000", "?! …", "-- - --"]
)
def test_function_words_alone_ask_for_nothing(query: str) -> None:
    """F6, lexical-query: a match on stop words alone is no match, so such a query has no words."""
    assert query_words(query) == []


@pytest.mark.rule("F6")
def test_a_natural_question_keeps_its_content_words() -> None:
    """F6: the words that tell documents apart are asked for, each once."""
    assert query_words("What are the main risks or obligations across these documents?") == ["main", "risk", "oblig", "across", "document"]
    assert {"解約", "約手", "手数", "数料", "請求"} <= set(query_words("解約手数料はいくらで、いつ請求されますか"))
    assert not {"です", "ます", "され", "いつ"} & set(query_words("解約手数料はいくらで、いつ請求されますか"))


def test_a_function_word_in_capitals_is_a_name() -> None:
    assert query_words("What does WHO say about NOT NULL?") == ["who", "say", "about", "not", "null"]
    assert query_words("WHAT IS NEW") == ["new"]


@pytest.mark.rule("lexical-query")
def test_query_words_are_distinct_and_in_order() -> None:
    """lexical-query: Deduped: a repeated word of the query does not count twice."""
    assert query_words("index the indexes, indexing tables") == ["index", "tabl"]


@pytest.mark.rule("cjk")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＸＲ－４２００", "XR-4200"),
        ("ﾄﾙｸ仕様", "トルク仕様"),
        ("ｻｰﾊﾞｰ", "サーバー"),
        ("サーバ", "サーバー"),
        ("コンピュータ", "コンピューター"),
        ("㍿", "株式会社"),
        ("が", "か\u3099"),
        ("XR‐4200", "XR-4200"),
        ("King’s", "King's"),
        ("Beyoncé", "beyonce"),
    ],
)
def test_written_variants_are_one_word(one: str, other: str) -> None:
    """cjk: Full and half width, long-vowel marks at the end, composed and decomposed, dashes and accents."""
    assert analyse(one) == analyse(other)


@pytest.mark.rule("cjk")
@pytest.mark.parametrize(
    ("one", "other"), [("キー", "キ"), ("スキー", "スキ"), ("データ", "デタ"), ("ビール", "ビル"), ("資料庫", "资料库")]
)
def test_different_words_stay_different(one: str, other: str) -> None:
    """cjk: A long vowel that tells words apart is kept, and so are traditional and simplified characters."""
    assert not set(analyse(one)) <= set(analyse(other))


def test_a_long_vowel_mark_inside_or_after_a_short_word_stays() -> None:
    assert analyse("サービス") == ["サー", "ービ", "ビス"]
    assert analyse("キー") == ["キー"]


@pytest.mark.rule("cjk")
def test_korean_and_chinese_are_found_inside_a_sentence() -> None:
    """cjk: Hangul and Han are cut alike: single characters and pairs."""
    assert analyse("문서를") == ["문", "서", "를", "문서", "서를"]
    assert found("数据库", "我们使用数据库存储文本") == {"数", "据", "库", "数据", "据库"}
    assert found("資料庫", "我們用資料庫儲存文字") == {"資", "料", "庫", "資料", "料庫"}
    assert {"검색", "데이", "이터"} <= found("데이터 검색", "데이터베이스를 검색합니다")
    assert {"ราคา"[at : at + 2] for at in range(3)} <= found("ราคา", "สินค้านี้ราคาเท่าไหร่")


def test_a_single_character_is_a_word() -> None:
    assert analyse("酢") == ["酢"]
    assert analyse("か") == ["か"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("XR-4200", ["xr4200", "xr", "4200"]),
        ("XR4200", ["xr4200", "xr", "4200"]),
        ("555-1234", ["555-1234", "555", "1234"]),
        ("15.2.1", ["15.2.1", "15", "2", "1"]),
        ("v15.2.1", ["v15.2.1", "15.2.1", "15", "2", "1"]),
        ("v2", ["v2", "v", "2"]),
        ("1,234,567", ["1234567"]),
        ("12Nm", ["12nm", "12", "nm"]),
        ("PostgreSQL", ["postgresql", "postgr", "sql"]),
        ("ModuleNotFoundError", ["modulenotfounderror", "modul", "not", "found", "error"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("foo_bar.baz", ["foo_bar.baz", "foo_bar", "foo", "bar", "baz"]),
        ("/usr/share/doc", ["usr/share/doc", "usr", "share", "doc"]),
        ("/etc/nginx/nginx.conf", ["etc/nginx/nginx.conf", "nginx.conf", "etc", "nginx", "nginx", "conf"]),
        (r"C:\Windows\win.ini", [r"c:\windows\win.ini", "win.ini", "c", "window", "win", "ini"]),
        ("https://example.org/a", ["https://example.org/a", "example.org", "https", "exampl", "org", "a"]),
        ("a.b@example.org", ["a.b@example.org", "a.b", "example.org", "a", "b", "exampl", "org"]),
        ("ORA-00942: table", ["ora00942", "ora", "00942", "tabl"]),
        ("SQLSTATE[42S02]", ["sqlstate", "42s02"]),
        ("0x80070005", ["0x80070005"]),
        ("CVE-2024-12345", ["cve202412345", "cve", "2024", "12345"]),
        ("--no-cache-dir", ["--no-cache-dir", "no", "cach", "dir"]),
        ("kubectl get pods -n", ["kubectl", "get", "pod", "-n", "n"]),
        ("--size=4096", ["--size", "size", "4096"]),
        ("オプション-nを", ["オプ", "プシ", "ショ", "ョン", "-n", "n", "を"]),
        ("well - known, -5 and --- or a-b", ["well", "known", "5", "and", "or", "a", "b"]),
        ("foo::bar", ["foo::bar", "foo", "bar"]),
        ("getHTTPResponse", ["gethttprespons", "get", "http", "respons"]),
        ("TADORI_HOME", ["tadori_home", "tadori", "home"]),
        ("C++ and C#", ["c++", "c", "and", "c#", "c"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("don't", ["not"]),
        ("the king's crown", ["the", "king", "crown"]),
        ("does a doe", ["does", "a", "doe"]),
    ],
)
def test_latin_words_and_codes(text: str, words: list[str]) -> None:
    """Codes come whole and by part, plain words as stems."""
    assert analyse(text) == words


CODES = {
    "part": "The part XR-4200 is torqued to 12Nm.",
    "module": "raise ModuleNotFoundError(name)",
    "pods": "Run kubectl get pods -n kube-system to list them.",
    "pip": "RUN pip install --no-cache-dir -r requirements.txt",
    "oracle": "ORA-00942: table or view does not exist",
    "windows": "The installer stopped with 0x80070005 (no access).",
    "config": "The server reads /etc/nginx/nginx.conf at start.",
    "version": "Fixed in v15.2.1 of the client.",
    "security": "CVE-2024-12345 is fixed.",
    "sql": "SQLSTATE[42S02]: base table missing",
    "japanese": "エラーORA-00942が出たら、設定ファイル/etc/hosts.denyを確認する。",
}


@pytest.mark.rule("F3", "F4", "cjk", "T20")
@pytest.mark.parametrize(
    ("query", "sources"),
    [
        ("XR-4200", {"part"}),
        ("xr4200", {"part"}),
        ("4200", {"part"}),
        ("ModuleNotFoundError", {"module"}),
        ("kubectl get pods -n", {"pods"}),
        ("pods", {"pods"}),
        ("--no-cache-dir", {"pip"}),
        ("cache dir", {"pip"}),
        ("requirements.txt", {"pip"}),
        ("ORA-00942", {"oracle", "japanese"}),
        ("00942", {"oracle", "japanese"}),
        ("0x80070005", {"windows"}),
        ("nginx.conf", {"config"}),
        ("/etc/nginx/nginx.conf", {"config", "japanese"}),
        ("15.2.1", {"version"}),
        ("V15.2.1", {"version"}),
        ("cve-2024-12345", {"security"}),
        ("42S02", {"sql"}),
        ("ＯＲＡ－００９４２", {"oracle", "japanese"}),
        ("hosts.deny 確認", {"japanese"}),
        ("nginx 設定", {"config", "japanese"}),
    ],
)
def test_a_code_is_found_whole_and_by_part(query: str, sources: set[str]) -> None:
    """F3, F4, cjk, T20: product numbers, error codes, flags, paths and versions, word by word, in any case, width and company."""
    assert {source for source, text in CODES.items() if found(query, text)} == sources


def test_a_whole_code_matches_more_than_its_parts() -> None:
    assert found("--no-cache-dir", CODES["pip"]) > found("--no-cache-dir", "no cache, no dir")
    assert found("nginx.conf", CODES["config"]) > found("nginx.conf", "conf of nginx")


def test_words_keep_their_order_and_their_repeats() -> None:
    assert analyse("Running runs. RUN! 走る走る") == ["run", "run", "run", "走", "走", "走る", "る走", "走る"]


def test_a_long_run_of_letters_is_cut_so_that_it_fits_an_index_key() -> None:
    assert analyse("x" * 2_000_000) == ["x" * MAX_WORD]
    assert max(map(len, analyse("ab/" * 5_000))) <= MAX_WORD


@pytest.mark.rule("S15")
@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_gives_words_that_can_be_stored(text: str) -> None:
    """S15: no NUL, no lone surrogate, no white space, no capital reaches the index, and a second cut adds nothing new."""
    for word in analyse(text):
        assert 0 < len(word) <= MAX_WORD
        assert "\0" not in word
        assert word.encode("utf-8")
        assert not any(char.isspace() for char in word)


def test_threads_get_the_words_that_one_thread_gets() -> None:
    texts = [f"running indexes {number} tables were created quickly by XR-{number}" for number in range(400)]
    expected = [analyse(text) for text in texts]
    results: dict[int, list[list[str]]] = {}
    analysis._remembered.cache_clear()
    analysis._sentence.cache_clear()
    threads = [threading.Thread(target=lambda at=at: results.update({at: [analyse(text) for text in texts]})) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[at] for at in range(8)] == [expected] * 8


def test_who_changes_the_words_of_a_sentence_changes_them_for_nobody_else() -> None:
    analyse("The grey kettle boils").clear()
    assert analyse("The grey kettle boils") == ["the", "grey", "kettl", "boil"]


def test_what_is_too_long_for_a_sentence_gives_the_same_words() -> None:
    sentence = "保証は12か月です。 The XR-4200 "
    assert analyse(sentence * 40) == analyse(sentence) * 40
