"""Which functions and methods of libraries read and write files: the section `files`."""

from __future__ import annotations

from functools import cache

from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.libraries.wildcards import expression
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class FileAccess:
    """Functions and methods by their last word, `writes` and `reads` of files.

    `paths` and `no_paths` are regular expressions that find dotted names: of calls whose first
    argument is surely a path; of those that say, compare or cut a text, and of web clients, which
    take paths of a server.
    """

    writes: frozenset[str]
    reads: frozenset[str]
    paths: str
    no_paths: str


@cache
def load(extra: str = "") -> FileAccess:
    """Return everything known; `extra` is what the user says of libraries, as JSON text."""
    return FileAccess(
        words("files", "writes", extra),
        words("files", "reads", extra),
        expression(words("files", "paths", extra)),
        expression(words("files", "no_paths", extra)),
    )
