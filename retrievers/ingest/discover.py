"""Finds the files under the paths that were given, and names the source of each.

First step of the pipeline; reads no file.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from retrievers.errors import InvalidArgument
from retrievers.text.clean import clean

Refused = Literal["skipped", "failed"]


@dataclass(frozen=True)
class Found:
    """A file, or a place where one could have been: then `refused` and `reason` say why it is not read."""

    path: Path
    source: str
    refused: Refused | None = None
    reason: str | None = None


def discover(paths: Sequence[Path], root: Path | None = None) -> list[Found]:
    """Every file below the paths, each path's in the order of their sources; hidden files and folders are left out.

    The source is the path relative to the folder that was given, with `/`, or the name of a file that was given; with `root`,
    which holds all paths, it is the path relative to that. Links inside the folder (or root) are followed to files; a link that
    leads out of it is refused. Raises InvalidArgument for a path that does not exist.
    """
    found: list[Found] = []
    for path in paths:
        if path.is_dir():
            top = root or path
            found += sorted(_below(path, top, top.resolve()), key=lambda entry: entry.source)
        elif path.exists():
            found.append(_entry(path, _source(path, root or path.parent), root.resolve() if root else None))
        else:
            raise InvalidArgument(f"there is no file or folder {str(path)!r}: check the path")
    return found


def _below(folder: Path, root: Path, real_root: Path) -> Iterator[Found]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as exc:
        yield Found(folder, _source(folder, root), "failed", f"the folder cannot be read: {exc.strerror}")
        return
    for entry in entries:
        path = folder / entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(path, root, real_root)
        elif entry.is_symlink() and path.is_dir():
            # A folder inside is visited by its own name; following would go round for ever.
            if not path.resolve().is_relative_to(real_root):
                yield Found(path, _source(path, root), "skipped", "a link that leads out of the folder")
        else:
            yield _entry(path, _source(path, root), real_root)


def _entry(path: Path, source: str, real_root: Path | None) -> Found:
    source = clean(source).text
    try:
        kind = path.stat().st_mode
    except OSError as exc:
        reason = "a link that leads nowhere" if path.is_symlink() else f"it cannot be read: {exc.strerror}"
        return Found(path, source, "failed", reason)
    if real_root is not None and path.is_symlink() and not path.resolve().is_relative_to(real_root):
        return Found(path, source, "skipped", "a link that leads out of the folder")
    if not stat.S_ISREG(kind):
        return Found(path, source, "skipped", "not a file: a device, pipe or socket")
    return Found(path, source)


def _source(path: Path, root: Path) -> str:
    return clean(path.relative_to(root).as_posix()).text
