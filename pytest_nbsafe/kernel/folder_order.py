"""Lists the files of a copied folder in the order in which the original lists them.

In which order a folder is listed is up to the file system; a copy in another place has another.
What a notebook makes of it would differ between its runs for that alone. What compiled code lists
by itself keeps its own order.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterator
from typing import Any


class Entries:
    """What `os.scandir` gives: an iterator that can be closed."""

    def __init__(self, entries: list[Any]) -> None:
        self._left = iter(entries)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._left)

    def __enter__(self) -> Entries:  # noqa: PYI034  # typing.Self needs Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Yield nothing any more."""
        self._left = iter(())


def install(root: str) -> None:
    """List what lies below `root` as the same folder without `root` before it is listed."""
    listdir, scandir, join, getcwd = os.listdir, os.scandir, os.path.join, os.getcwd

    def rank(folder: Any) -> Callable[[Any], Any] | None:
        """Return what tells the place of a name in the original, None where there is none."""
        try:
            path = os.fsdecode("." if folder is None else folder)
            path = os.path.normpath(join(getcwd(), path))  # a link is where it leads from
            if not path.startswith(root):
                return None
            names = listdir(path[len(root) :])
        except Exception:
            return None
        places = {name: place for place, name in enumerate(names)}
        return lambda name: places.get(os.fsdecode(name), len(places))

    def listed(path: Any = None) -> Any:
        names = listdir(path)
        place = rank(path)
        return names if place is None else sorted(names, key=place)

    def scanned(path: Any = None) -> Any:
        place = rank(path)
        if place is None:
            return scandir(path)
        with scandir(path) as entries:
            return Entries(sorted(entries, key=lambda entry: place(entry.name)))

    os.listdir, os.scandir = listed, scanned
    accessor = getattr(pathlib, "_NormalAccessor", None)  # of Python 3.10, which keeps them
    if accessor is not None:
        accessor.listdir, accessor.scandir = staticmethod(listed), staticmethod(scanned)
