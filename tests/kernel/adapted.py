"""What the kernel's adapters say of values, in this process."""

from __future__ import annotations

from typing import Any

from pytest_nbsafe.kernel.aspects import aspects
from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot
from pytest_nbsafe.kernel.learning import row_hashes


def fingerprint(value: object, *, unknown: bool = False) -> str:
    """Return a value's hash; with `unknown`, why it has none."""
    found = Snapshot(Texts(), {"__name__": "__main__"}).fingerprint(value)
    assert bool(found["cause"]) == unknown, found
    return found["cause"] or found["hash"]


def aspects_of(value: object) -> dict[str, str]:
    return aspects(value)


def row_words(value: Any) -> list[int]:
    """Return the hash of each row."""
    words: list[int] = row_hashes.hashes(row_hashes.table_of(value)).tolist()
    return words
