"""The packages of a conda environment file, read line by line: no YAML reader is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pytest_nbsafe import patterns
from pytest_nbsafe.project.requirements import Requirements, name_of, names_of, text_of

_KEY = patterns.compile(r"dependencies\s*:\s*(\[.*)?(?:#.*)?$")
_ITEM = patterns.compile(r"(\s*)-\s+(.*)$")
_PIP = patterns.compile(r"[\"']?pip[\"']?\s*:\s*(\[.*\])?$")
_INCLUDE = patterns.compile(r"-(?:r|-requirement)\b")


def read(file: Path) -> Requirements:
    """Return what an environment file declares, with what it leaves to pip.

    The common shape: a list under `dependencies`, an item a line, and `- pip:` with a list in it.
    """
    try:
        items = list(_items(text_of(file)))
    except (OSError, UnicodeDecodeError) as error:
        return Requirements(unknown=f"it cannot be read: {error}")
    names = names_of(item.rpartition("::")[2] for item in items if not item.startswith("-"))
    included = next((item for item in items if _INCLUDE.match(item)), "")
    unknown = f"it includes another file: {included}" if included else ""
    return Requirements(names, unknown)


def _items(text: str) -> Iterator[str]:
    """Yield the items of the list of dependencies and of the list in its item `pip`."""
    inside = False
    for line in text.splitlines():
        bare = re.sub(r"(?:^|\s)#.*", "", line).rstrip()
        if not bare:
            continue
        key, item = _KEY.match(bare), _ITEM.match(bare)
        if key:
            inside = True
            yield from _flow(key[1] or "")
        elif inside and item:
            pip = _PIP.match(item[2])
            yield from _flow(pip[1] or "") if pip else [item[2].strip("\"' ")]
        elif not bare[0].isspace():
            inside = False


def _flow(text: str) -> Iterator[str]:
    """Yield the items of `[a, b]`."""
    for part in text.strip("[] ").split(","):
        if name_of(part):
            yield part.strip(" \"'")
