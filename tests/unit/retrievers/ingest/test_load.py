"""Files within limits: which kinds are read, how large they may be, and what failures say."""

from pathlib import Path, PurePosixPath

import pytest

from retrievers.errors import IngestError
from retrievers.ingest import load as loading
from retrievers.ingest.load import is_read, load, read_bytes


@pytest.mark.parametrize("name", ["a.md", "A.MD", "a.txt", "a.html", "a.htm", "a.pdf", "a.docx", "a.jsonl"])
def test_these_kinds_are_read(name: str) -> None:
    assert is_read(PurePosixPath(name))


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.md.bak", "a.json"])
def test_other_kinds_are_not(name: str) -> None:
    assert not is_read(PurePosixPath(name))


@pytest.mark.rule("R10", "F30")
def test_an_empty_and_a_huge_file_say_why(tmp_path: Path) -> None:
    """R10, F30: 0 byte; and 500 MB, of which no more than the limit is read."""
    (tmp_path / "empty.md").touch()
    with pytest.raises(IngestError, match="the file is empty"):
        read_bytes(tmp_path / "empty.md")
    with open(tmp_path / "huge.pdf", "wb") as file:
        file.truncate(500 * 2**20)
    with pytest.raises(IngestError, match="larger than 128 MB: split it"):
        read_bytes(tmp_path / "huge.pdf")


def test_a_file_that_went_away_says_why(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="it cannot be read: No such file"):
        read_bytes(tmp_path / "gone.md")


def test_too_much_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MOST_TEXT", 1000)
    with pytest.raises(IngestError, match="split it"):
        load(b"word " * 300, PurePosixPath("a.txt"))


def test_a_file_of_white_space_holds_no_text() -> None:
    with pytest.raises(IngestError, match="there is no text in it"):
        load(b" \n\n ", PurePosixPath("a.md"))


@pytest.mark.rule("F10")
def test_what_was_cleaned_is_noted() -> None:
    """F10: counted."""
    document = load(b"---\ntitle: a\x00b\n---\nx\x00y\x00z", PurePosixPath("a.md"))
    assert (document.title, document.text) == ("ab", "xyz")
    assert document.notes == ("NUL characters removed: 3",)
