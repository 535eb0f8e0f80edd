"""Markdown: the file itself is the stored text; headings, code, tables and front matter are understood."""

from datetime import UTC, datetime

import pytest

from retrievers.errors import IngestError
from retrievers.ingest.document import LoadedDocument
from retrievers.ingest.load_markdown import load_markdown
from retrievers.text.clean import Cleaner

MANUAL = """---
title: XR-4200 取扱説明書
tags: [torque, トルク]
date: 2024-05-01
---
# Manual

Read *this* first.

## `Cover` [bolts](http://a.example)

| bolt | Nm |
|------|----|
| M6   | 12 |

```sql
# not a heading
select 1;
```

締め付け
--------

12Nmで締めます。

### Empty

## Last
"""


def read(text: str, name: str = "name") -> LoadedDocument:
    return load_markdown(text.encode(), name, Cleaner())


def blocks(document: LoadedDocument) -> list[tuple[str, ...]]:
    return [(*block.heading_path, block.content_type, document.text[block.start : block.end]) for block in document.blocks]


@pytest.mark.rule("emb-chunking")
def test_blocks_stand_under_their_heading_path() -> None:
    """emb-chunking: headings of both kinds, code and tables."""
    assert blocks(read(MANUAL)) == [
        ("Manual", "text", "Read *this* first."),
        ("Manual", "Cover bolts", "table", "| bolt | Nm |\n|------|----|\n| M6   | 12 |"),
        ("Manual", "Cover bolts", "code", "```sql\n# not a heading\nselect 1;\n```"),
        ("Manual", "締め付け", "text", "12Nmで締めます。"),
        ("Manual", "締め付け", "Empty", "text", "### Empty"),
        ("Manual", "Last", "text", "## Last"),
    ]


def test_the_stored_text_is_the_file_without_its_front_matter() -> None:
    assert read(MANUAL).text == MANUAL[MANUAL.index("# Manual") :]


def test_front_matter_is_title_metadata_and_date() -> None:
    document = read(MANUAL)
    assert document.title == "XR-4200 取扱説明書"
    assert document.metadata == {"tags": ["torque", "トルク"], "date": "2024-05-01"}
    assert document.modified == datetime(2024, 5, 1, tzinfo=UTC)


def test_without_front_matter_the_first_heading_is_the_title_and_leaves_the_paths() -> None:
    document = read("# Manual\n\nRead this.\n\n## Cover\n\n12 Nm\n")
    assert document.title == "Manual"
    assert blocks(document) == [("text", "Read this."), ("Cover", "text", "12 Nm")]


def test_without_any_heading_the_file_name_is_the_title() -> None:
    assert read("12 Nm", "torque").title == "torque"


@pytest.mark.parametrize("text", ["---\nnot: [closed\n---\nbody", "---\nday: 2024-13-45\n---\nbody"])
def test_broken_front_matter_stays_in_the_text_and_is_noted(text: str) -> None:
    document = read(text)
    assert document.text == text
    assert document.notes[0].startswith("front matter left in the text, it is not YAML")


def test_text_between_two_rules_is_no_front_matter() -> None:
    assert read("---\njust a line\n---\nbody").text.startswith("---\njust a line")


def test_an_alias_bomb_in_the_front_matter_is_refused() -> None:
    levels = "\n".join(f"l{number}: &l{number} [{', '.join([f'*l{number - 1}'] * 9)}]" for number in range(1, 9))
    with pytest.raises(IngestError, match=r"more than 10,?000 values|more than 10000 values"):
        read(f"---\nl0: &l0 [x]\n{levels}\n---\nbody")


def test_a_heading_as_long_as_a_paragraph_is_one() -> None:
    document = read(f"# {'word ' * 100}\n\ntext")
    assert [block.heading_path for block in document.blocks] == [(), ()]


def test_comments_and_rules_are_no_blocks() -> None:
    assert blocks(read("one\n\n<!-- hidden -->\n\n***\n\ntwo")) == [("text", "one"), ("text", "two")]
