"""What a user says of libraries in the configuration, in the sections and keys of a data file."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from pytest_nbsafe.errors import NbsafeError, suggestion
from pytest_nbsafe.libraries.keys import SECTIONS
from pytest_nbsafe.libraries.word_tables import Table


@cache
def read(extra: str) -> Mapping[str, tuple[tuple[str, Table], ...]]:
    """Return the tables of each section, each after its title ("" without one).

    `extra` is `[tool.nbsafe.libraries]` as JSON text: the sections of each library.

    Raises:
        NbsafeError: "bad-library-table", naming the table and the key that is not understood.

    """
    tables: dict[str, list[tuple[str, Table]]] = {}
    for library, sections in (json.loads(extra) if extra else {}).items():
        if not isinstance(sections, dict):
            raise bad("libraries", library, "", f"cannot be {sections!r}", "tables, by section")
        for section, entries in sections.items():
            if section not in SECTIONS:
                hint = _hint(section, SECTIONS, "sections")
                raise bad("libraries", library, section, "is not known", hint)
            tables.setdefault(section, []).extend(flat(section, "", entries))
    return {section: tuple(titled) for section, titled in tables.items()}


def flat(section: str, title: str, entries: Any) -> Iterator[tuple[str, Table]]:
    """Yield a table and those within it: `[leakage.lib.prep]` means the same as `"lib.prep"`.

    Raises:
        NbsafeError: a key is not known, or its value no list of names.

    """
    if not isinstance(entries, dict):
        raise bad(section, title, "", f"cannot be {entries!r}", "a table, named like a module")
    inner = {key for key, value in entries.items() if isinstance(value, dict)}
    words = {k: _words(section, title, k, v) for k, v in entries.items() if k not in inner}
    if words:
        yield title, words
    for key in sorted(inner):
        yield from flat(section, f"{title}.{key}" if title else key, entries[key])


def bad(section: str, title: str, key: str, says: str, hint: str) -> NbsafeError:
    """Return the error that names a table and a key, and says what is wrong with it."""
    where = f'"{title}": {key}' if title and key else f'"{title}"' if title else key
    slug = "bad-leakage-table" if section == "leakage" else "bad-library-table"
    return NbsafeError(slug, f"{section}: {where} {says}", hint)


def _words(section: str, title: str, key: str, value: Any) -> tuple[str, ...]:
    known = SECTIONS[section]
    if key not in known:
        raise bad(section, title, key, "is not known", _hint(key, known, "keys"))
    words = value.split() if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise bad(section, title, key, f"cannot be {value!r}", "a list of names")
    return tuple(words)


def _hint(key: str, known: Collection[str], what: str) -> str:
    return suggestion(key, known, f"known {what}: {', '.join(known)}", cutoff=0.4)
