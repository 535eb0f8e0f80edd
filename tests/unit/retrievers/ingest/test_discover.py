"""Files are found in a fixed order, named relative to what was given, and never outside of it."""

import os
from pathlib import Path

import pytest

from retrievers.errors import InvalidArgument
from retrievers.ingest.discover import discover


def tree(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("text")
    return root


def found(*paths: Path, root: Path | None = None) -> list[tuple[str, str | None]]:
    return [(entry.source, entry.refused) for entry in discover(paths, root)]


def test_sources_are_relative_to_the_folder_and_sorted(tmp_path: Path) -> None:
    tree(tmp_path, "b/c.md", "a.md", "b/a/z.txt", ".hidden/x.md", "b/.hidden.md")
    assert found(tmp_path) == [("a.md", None), ("b/a/z.txt", None), ("b/c.md", None)]


def test_a_file_that_is_given_goes_by_its_name(tmp_path: Path) -> None:
    assert found(tree(tmp_path, "b/c.md") / "b/c.md") == [("c.md", None)]


def test_with_a_root_sources_are_relative_to_it(tmp_path: Path) -> None:
    tree(tmp_path, "b/c.md", "b/d/e.md")
    assert found(tmp_path / "b/c.md", tmp_path / "b/d", root=tmp_path) == [("b/c.md", None), ("b/d/e.md", None)]


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="there is no file or folder"):
        discover([tmp_path / "missing"])


def test_links_are_followed_inside_the_folder_only(tmp_path: Path) -> None:
    folder = tree(tmp_path, "in/a.md", "in/sub/b.md", "out/secret.md", "out/more/c.md") / "in"
    (folder / "inside.md").symlink_to(folder / "a.md")
    (folder / "outside.md").symlink_to(tmp_path / "out/secret.md")
    (folder / "folder").symlink_to(tmp_path / "out/more")
    (folder / "loop").symlink_to(folder)
    (folder / "nowhere.md").symlink_to(folder / "missing")
    assert found(folder) == [
        ("a.md", None),
        ("folder", "skipped"),
        ("inside.md", None),
        ("nowhere.md", "failed"),
        ("outside.md", "skipped"),
        ("sub/b.md", None),
    ]


def test_pipes_and_devices_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert found(tmp_path) == [("pipe.md", "skipped")]


def test_a_name_that_is_not_utf_8_has_a_source_that_can_be_stored(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))).write_text("text")
    assert found(tmp_path) == [("caf\ufffd.md", None)]
