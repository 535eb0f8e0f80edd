"""HTML: what a reader of the page sees, with its structure."""

from datetime import UTC, datetime

import pytest

from retrievers.errors import IngestError
from retrievers.ingest.document import LoadedDocument
from retrievers.ingest.load_html import load_html
from retrievers.text.clean import Cleaner


def read(page: str | bytes) -> LoadedDocument:
    return load_html(page.encode() if isinstance(page, str) else page, "name", Cleaner())


def blocks(page: str | bytes) -> list[tuple[str, ...]]:
    document = read(page)
    return [(*block.heading_path, block.content_type, document.text[block.start : block.end]) for block in document.blocks]


PAGE = """<!DOCTYPE html><html><head><title>Cover</title><meta name="author" content="A. Ito">
<meta property="article:modified_time" content="2024-05-01T09:00:00+09:00"><style>p {}</style></head><body>
<header><a href="/">Home</a></header><nav>Menu</nav>
<h1>Cover</h1><p>Remove the <b>four</b> bolts
   first.<br>Keep them.</p>
<h2>Torque</h2>
<table><caption>Bolts</caption><tr><th>Bolt</th><th>Nm</th></tr><tr><td>M6</td><td><p>12</p></td></tr></table>
<pre>turn <i>crosswise</i>
  twice</pre>
<ul><li>first<ul><li>inner</li></ul></li><li><p>second</p></li></ul><ol><li>one</li><li>two</li></ol>
<dl><dt>Nm</dt><dd><p>newton metre</p><p>a unit</p></dd></dl>
<div class="note"><h3>Note</h3><p>Not by hand.</p></div><p>After the box.</p>
<script>alert("no")</script><p hidden>secret</p><p style="display: none">secret</p>
<footer>Imprint</footer></body></html>"""


@pytest.mark.rule("emb-chunking")
def test_headings_paragraphs_tables_lists_and_listings_become_blocks() -> None:
    """emb-chunking: structure is kept, navigation and hidden parts are not."""
    assert blocks(PAGE) == [
        ("text", "Remove the four bolts first.\nKeep them."),
        ("Torque", "table", "Bolts\n| Bolt | Nm |\n| M6 | 12 |"),
        ("Torque", "code", "turn crosswise\n  twice"),
        ("Torque", "text", "- first"),
        ("Torque", "text", "- inner"),
        ("Torque", "text", "- second"),
        ("Torque", "text", "1. one"),
        ("Torque", "text", "2. two"),
        ("Torque", "text", "Nm\nnewton metre"),
        ("Torque", "text", "a unit"),
        ("Torque", "text", "Note\nNot by hand."),
        ("Torque", "text", "After the box."),
    ]


def test_title_metadata_and_date_come_from_the_head() -> None:
    document = read(PAGE)
    assert (document.title, document.metadata["author"]) == ("Cover", "A. Ito")
    assert document.modified == datetime(2024, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "page",
    [
        '<meta charset="shift_jis"><title>梅雨</title><p>六月に始まる。</p>'.encode("cp932"),
        '<?xml version="1.0" encoding="euc-jp"?><html><head><title>梅雨</title></head><body><p>六月に始まる。</p></body></html>'.encode(
            "euc_jp"
        ),
        "\ufeff<title>梅雨</title><p>六月に始まる。</p>".encode("utf-16"),
    ],
    ids=["meta", "xml", "mark"],
)
def test_the_page_names_its_encoding(page: bytes) -> None:
    document = read(page)
    assert (document.title, document.text) == ("梅雨", "六月に始まる。")


def test_a_source_line_wrapped_inside_japanese_leaves_no_space() -> None:
    assert blocks("<p>梅雨の時期が\n   始まる。 next\nline</p>") == [("text", "梅雨の時期が始まる。 next line")]


def test_the_main_part_is_taken_where_there_is_one() -> None:
    main = "The cover is held by four bolts. " * 10
    assert blocks(f"<body><div>Shop now</div><main><p>{main}</p></main><div>Imprint</div></body>") == [("text", main.strip())]


def test_a_table_of_contents_is_left_out_beside_text_and_kept_without() -> None:
    toc = '<div class="toc"><ul><li>Chapter one</li></ul></div>'
    assert blocks(f"<p>{'word ' * 60}</p>{toc}") == [("text", ("word " * 60).strip())]
    assert blocks(toc) == [("text", "- Chapter one")]


def test_a_term_whose_explanation_begins_with_a_listing_stays_before_it() -> None:
    assert blocks("<dl><dt>copy</dt><dd><pre>cp a b</pre>copies</dd></dl>") == [("text", "copy"), ("code", "cp a b"), ("text", "copies")]


def test_a_layout_table_is_read_through() -> None:
    assert blocks("<table><tr><td><h2>Left</h2><p>text</p></td></tr></table>") == [("Left", "text", "text")]


def test_deep_nesting_is_read_without_an_end_of_recursion() -> None:
    assert blocks("<div>" * 5000 + "deep" + "</div>" * 5000) == [("text", "deep")]


@pytest.mark.rule("R10")
@pytest.mark.parametrize(
    ("page", "reason"),
    [("<html><script>fill()</script></html>", "no text"), ("<p>" * 400_001, "more than 400,000 tags")],
    ids=["script", "tags"],
)
def test_a_page_without_text_or_with_too_much_of_it_is_refused(page: str, reason: str) -> None:
    """R10: memory stays bounded, and the reason is said."""
    with pytest.raises(IngestError, match=reason):
        read(page)
