"""requests: answers, which read what they have not read yet when they are pickled."""

from __future__ import annotations

from typing import Any

from ..functions.reach import fields
from ..hashing.hasher import Handler, Hasher, UnknownValue
from ..hashing.instances import add_instance


def _answer(hasher: Hasher, value: Any) -> None:
    """Write an answer that was read; to look at another one would use up its stream."""
    if not (fields(value) or {}).get("_content_consumed"):
        raise UnknownValue("an answer that is not read yet is not compared")
    add_instance(hasher, value)


HASHED: dict[str, dict[str, Handler]] = {"requests": {"Response": _answer}}
