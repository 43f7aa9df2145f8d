"""Numbers that a library gives to what it shows, each the next one for as long as Python runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..adapters import answers


def numbers() -> dict[str, int]:
    """Return the last number that each counter has given, by its word."""
    return {word: counter.count for word, counter in _counters().items()}


def advanced(before: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the counters that have gone on, each with its last number before and now."""
    return {
        word: (before.get(word, 0), count)
        for word, count in numbers().items()
        if count != before.get(word, 0)
    }


def ask(wanted: str) -> None:
    """Let counters go on from numbers that the host gives, as JSON, by their words."""
    counters = _counters()
    for word, number in json.loads(wanted).items():
        if word in counters:
            counters[word].count = number


def _counters() -> dict[str, Any]:
    try:
        return {word: each for told in answers("running_numbers") for word, each in told.items()}
    except Exception:  # a library is only half there, or of another form
        return {}
