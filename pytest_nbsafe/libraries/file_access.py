"""Which functions and methods of libraries read and write files: the section `files`."""

from __future__ import annotations

import re
from functools import cache

from pytest_nbsafe import patterns
from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.libraries.wildcards import expression
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class FileAccess:
    """Functions and methods by their last word, `writes` and `reads` of files.

    `paths` and `no_paths` find dotted names: of calls whose first
    argument is surely a path; of those that say, compare or cut a text, and of web clients, which
    take paths of a server.
    """

    writes: frozenset[str]
    reads: frozenset[str]
    paths: re.Pattern[str]
    no_paths: re.Pattern[str]


@cache
def load(extra: str = "") -> FileAccess:
    """Return everything known; `extra` is what the user says of libraries, as JSON text."""
    return FileAccess(
        words("files", "writes", extra),
        words("files", "reads", extra),
        patterns.compile(expression(words("files", "paths", extra))),
        patterns.compile(expression(words("files", "no_paths", extra))),
    )
