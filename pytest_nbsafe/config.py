"""What the user chose: one frozen value, read from pyproject.toml, nbsafe.toml and options."""

from __future__ import annotations

import dataclasses
import difflib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.errors import NbsafeError

Order = Literal["auto", "recorded", "inferred", "top-down"]
ORDERS: tuple[str, ...] = get_args(Order)


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one notebook's check.

    `timeout_s` is the limit for one cell, None for no limit. `select` and `ignore` are codes,
    already expanded from prefixes; an empty `select` means all. `kernel` overrides the notebook's
    own kernel. `notes` shows findings of severity note.
    """

    order: Order = "auto"
    static: bool = False
    timeout_s: float | None = 600.0
    kernel: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    strict: bool = False
    notes: bool = False
    trace: bool = True


_KEYS = {
    "order": "order",
    "static": "static",
    "timeout": "timeout_s",
    "kernel": "kernel",
    "select": "select",
    "ignore": "ignore",
    "strict": "strict",
    "notes": "notes",
    "trace": "trace",
}


def merge(base: Config, settings: Mapping[str, Any], source: str) -> Config:
    """Return `base` with `settings` (keys as in `[tool.nbsafe]`) laid over it.

    Raises:
        NbsafeError: an unknown key or a value of the wrong kind; `source` names where it stands.

    """
    changes: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, n=1, cutoff=0.4)
            hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(_KEYS)}"
            raise NbsafeError("unknown-key", f"{source}: unknown key {key!r}", hint)
        changes[_KEYS[key]] = _value(key, value, source)
    return dataclasses.replace(base, **changes)


def for_path(path: Path, base: Config | None = None) -> Config:
    """Return the configuration of the nearest nbsafe.toml or pyproject.toml upward from `path`.

    A pyproject.toml without a `[tool.nbsafe]` table does not end the search.
    """
    base = base or Config()
    start = path.resolve()
    for folder in (start, *start.parents) if start.is_dir() else start.parents:
        for file, keys in (
            (folder / "nbsafe.toml", ()),
            (folder / "pyproject.toml", ("tool", "nbsafe")),
        ):
            if not file.is_file():
                continue
            table: Any = _read_toml(file)
            for key in keys:
                table = table.get(key) if isinstance(table, dict) else None
            if isinstance(table, dict):
                return merge(base, table, str(file))
    return base


def matching(prefix: str) -> tuple[str, ...]:
    """Return the codes that a selector means: a code, a prefix of codes, or a name.

    Raises:
        NbsafeError: no code matches; the message names the nearest.

    """
    wanted = prefix.strip()
    found = tuple(code for code in CODES if code.startswith(wanted.upper())) if wanted else ()
    found = found or tuple(row.code for row in CODES.values() if row.name == wanted.lower())
    if found:
        return found
    names = [*CODES, *(row.name for row in CODES.values())]
    near = difflib.get_close_matches(wanted, names, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else "see `nbsafe rules`"
    raise NbsafeError("unknown-code", f"there is no code {wanted!r}", hint)


def _read_toml(file: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NbsafeError("bad-toml", f"{file}: {error}", "mend the file") from error
    return table


def _value(key: str, value: Any, source: str) -> Any:
    problem = NbsafeError("bad-value", f"{source}: {key} cannot be {value!r}", _EXPECTS[key])
    if key in {"select", "ignore"}:
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list | tuple) or not all(isinstance(i, str) for i in items):
            raise problem
        parts = (part for item in items for part in item.split(",") if part.strip())
        return tuple(dict.fromkeys(code for part in parts for code in matching(part)))
    if key in {"static", "strict", "notes", "trace"}:
        if not isinstance(value, bool):
            raise problem
        return value
    if key == "timeout":
        try:
            seconds = float(value)
        except (TypeError, ValueError):
            raise problem from None
        if isinstance(value, bool) or not seconds >= 0:
            raise problem
        return seconds or None
    if key == "order":
        if value not in ORDERS:
            raise problem
        return value
    if not isinstance(value, str):
        raise problem
    return value or None


_EXPECTS = {
    "order": f"one of {', '.join(ORDERS)}",
    "static": "true or false",
    "strict": "true or false",
    "notes": "true or false",
    "trace": "true or false",
    "timeout": "seconds for one cell, 0 for no limit",
    "kernel": "the name of a kernel, as `jupyter kernelspec list` shows it",
    "select": "a list of codes or prefixes of codes",
    "ignore": "a list of codes or prefixes of codes",
}
