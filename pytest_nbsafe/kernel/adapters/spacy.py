"""spaCy: the words that it has met, of which pickle leaves out what cells have set of them."""

from __future__ import annotations

from typing import Any

from ..hashing.hasher import Handler, Hasher
from ..hashing.instances import add_instance

_OF_A_WORD = ("orth", "flags", "lower", "norm", "shape", "prefix", "suffix", "lang", "sentiment")


def _vocabulary(hasher: Hasher, value: Any) -> None:
    """Write a vocabulary, and what is said of each word: whether it is a stop word, for one."""
    add_instance(hasher, value)
    hasher.all("words", sorted(tuple(getattr(word, name) for name in _OF_A_WORD) for word in value))


HASHED: dict[str, dict[str, Handler]] = {"spacy.vocab": {"Vocab": _vocabulary}}
