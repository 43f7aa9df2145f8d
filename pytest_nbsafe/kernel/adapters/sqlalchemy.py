"""sqlalchemy: descriptions of tables, whose notes are lost with pickle."""

from __future__ import annotations

from typing import Any

from ..functions.reach import fields
from ..hashing.hasher import Handler, Hasher
from ..hashing.instances import add_instance


def _tables(hasher: Hasher, value: Any) -> None:
    add_instance(hasher, value)
    noted = (fields(value) or {}).get("info")
    if noted:
        hasher.all("noted", [noted])


HASHED: dict[str, dict[str, Handler]] = {"sqlalchemy.sql.schema": {"MetaData": _tables}}
