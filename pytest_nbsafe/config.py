"""What the user chose: one frozen value, read from pyproject.toml, nbsafe.toml and options."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from pytest_nbsafe.codes import CODES, Severity
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.values import dataclass, replace

Order = Literal["auto", "recorded", "inferred", "top-down"]
ORDERS: tuple[str, ...] = get_args(Order)
LeakageMode = Literal["both", "static", "runtime"]
LEAKAGE_MODES: tuple[str, ...] = get_args(LeakageMode)
SEVERITIES: tuple[str, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class Contract:
    """A promise of the user's own: each row that `sql` returns from the facts breaks it."""

    name: str
    sql: str
    message: str = ""
    severity: Severity = "error"


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one notebook's check.

    `timeout_s` is the limit for one cell, None for no limit. `select` and `ignore` are codes,
    already expanded from prefixes; an empty `select` means all; `named` are those that `select`
    names one by one, which shows them though they be notes. `kernel` overrides the notebook's
    own kernel. `notes` shows findings of severity note.

    `folder` is where the configuration file stands, "" without one: the globs of
    `per_file_ignores` (pairs of a glob and codes) and a `baseline` of the file are relative to it.
    `jobs` is the number of processes for static checks, 0 for one a processor. `leakage` is what
    the user knows of his own libraries, as JSON text, "" for nothing; `leakage_mode` says whether
    a run looks for leaks in the text, in what it sees, or in both.
    """

    order: Order = "auto"
    static: bool = False
    timeout_s: float | None = 600.0
    kernel: str | None = None
    select: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    baseline: str | None = None
    contracts: tuple[Contract, ...] = ()
    cache: bool = True
    jobs: int = 1
    folder: str = ""
    strict: bool = False
    notes: bool = False
    trace: bool = True
    leakage: str = ""
    leakage_mode: LeakageMode = "both"


def merge(
    base: Config, settings: Mapping[str, Any], source: str, folder: Path | None = None
) -> Config:
    """Return `base` with `settings` (keys as in `[tool.nbsafe]`) laid over it.

    `folder` is what relative paths in `settings` are relative to, None for the working folder.

    Raises:
        NbsafeError: an unknown key or a value of the wrong kind; `source` names where it stands.

    """
    changes: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in _SETTINGS:
            near = _nearest(key, _SETTINGS)
            hint = f"did you mean {near}?" if near else f"known keys: {', '.join(_SETTINGS)}"
            raise NbsafeError("unknown-key", f"{source}: unknown key {key!r}", hint)
        read = _value(key, value, source)
        changes.update(read if key == "leakage" else {_SETTINGS[key].field: read})
    if "select" in changes:
        changes["named"] = _named(settings["select"])
    if folder is not None:
        changes["folder"] = str(folder)
        if changes.get("baseline"):
            changes["baseline"] = str(folder / changes["baseline"])
    return replace(base, **changes)


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
            state = file.stat()
            table: Any = _read_toml(file, state.st_mtime_ns, state.st_size)
            for key in keys:
                table = table.get(key) if isinstance(table, dict) else None
            if isinstance(table, dict):
                return merge(base, table, str(file), folder)
    return base


def of_notebook(path: Path, settings: Mapping[str, Any]) -> Config:
    """Return one notebook's configuration: its file's, what was given by hand, its own ignores.

    Raises:
        NbsafeError: a setting is not understood.

    """
    config = merge(for_path(path), settings, "options")
    ignored = [
        code
        for glob, codes in config.per_file_ignores
        if _fits(path, glob, config.folder)
        for code in codes
    ]
    if not ignored:
        return config
    return replace(config, ignore=tuple(dict.fromkeys((*config.ignore, *ignored))))


def _fits(path: Path, glob: str, folder: str) -> bool:
    """Return whether a glob means this file: by its name, or by its path from the folder.

    As in ruff, `*` goes over slashes too, and a leading `!` means all other files.
    """
    from fnmatch import fnmatchcase

    pattern = glob.removeprefix("!")
    found = fnmatchcase(path.name, pattern) or fnmatchcase(
        path.resolve().as_posix(), f"{Path(folder).resolve().as_posix()}/{pattern}"
    )
    return found is not glob.startswith("!")


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
    near = _nearest(wanted, names)
    hint = f"did you mean {near}?" if near else "see `nbsafe rules`"
    raise NbsafeError("unknown-code", f"there is no code {wanted!r}", hint)


@lru_cache(maxsize=64)
def _read_toml(file: Path, _changed_ns: int, _bytes: int) -> dict[str, Any]:
    """Return what a file holds, read once for all notebooks as long as it stays the same.

    A pyproject.toml that does not name this tool is not even parsed: that takes its time.
    """
    try:
        content = file.read_bytes()
        if file.name == "pyproject.toml" and b"nbsafe" not in content:
            return {}
        return _parsed_toml(file, content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NbsafeError("bad-toml", f"{file}: {error}", "mend the file") from error


def _parsed_toml(file: Path, text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise NbsafeError("bad-toml", f"{file}: {error}", "mend the file") from error
    return table


def _nearest(word: str, words: Iterable[str]) -> str:
    """Return the word that is nearest, empty when none is near.

    Of words that are as near the one with more letters in the same places is meant: NBS201 by
    NBS2O1, not NBS321.
    """
    import difflib

    def nearness(found: str) -> tuple[float, int]:
        same = sum(a == b for a, b in zip(found, word, strict=False))
        return difflib.SequenceMatcher(None, found, word).ratio(), same

    return max(difflib.get_close_matches(word, words, n=5, cutoff=0.4), key=nearness, default="")


def _named(value: Any) -> tuple[str, ...]:
    """Return the codes that a list of selectors names one by one, not by a prefix."""
    items = [value] if isinstance(value, str) else value
    parts = [part for item in items for part in item.split(",") if part.strip()]
    return tuple(found[0] for part in parts if len(found := matching(part)) == 1)


# -- the values of each key ------------------------------------------------------------------------


def _value(key: str, value: Any, source: str) -> Any:
    """Return the value of a key as Config holds it."""
    setting = _SETTINGS[key]
    try:
        return setting.read(value, f"{source}: {key}")
    except _UnfitError:
        message = f"{source}: {key} cannot be {value!r}"
        raise NbsafeError("bad-value", message, setting.expects) from None


class _UnfitError(Exception):
    """The value is not of the kind that the key wants."""


def _codes(value: Any, where: str) -> tuple[str, ...]:  # noqa: ARG001 - all readers take both
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(i, str) for i in items):
        raise _UnfitError
    parts = (part for item in items for part in item.split(",") if part.strip())
    return tuple(dict.fromkeys(code for part in parts for code in matching(part)))


def _flag(value: Any, where: str) -> bool:  # noqa: ARG001
    if not isinstance(value, bool):
        raise _UnfitError
    return value


def _text(value: Any, where: str) -> str | None:  # noqa: ARG001
    if not isinstance(value, str):
        raise _UnfitError
    return value or None


def _order(value: Any, where: str) -> str:  # noqa: ARG001
    if value not in ORDERS:
        raise _UnfitError
    return str(value)


def _seconds(value: Any, where: str) -> float | None:  # noqa: ARG001
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        raise _UnfitError from None
    if isinstance(value, bool) or not seconds >= 0:
        raise _UnfitError
    return seconds or None


def _jobs(value: Any, where: str) -> int:  # noqa: ARG001
    text = str(value)
    if isinstance(value, bool) or not text.isascii() or not (text.isdigit() or text == "auto"):
        raise _UnfitError
    return 0 if text == "auto" else int(text)


def _ignores(value: Any, where: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise _UnfitError
    return tuple((glob, _codes(codes, where)) for glob, codes in value.items())


def _contracts(value: Any, where: str) -> tuple[Contract, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _UnfitError
    return tuple(_contract(item, where, position) for position, item in enumerate(value, start=1))


def _leakage(value: Any, where: str) -> dict[str, str]:  # noqa: ARG001
    """Return the fields that hold a mode, tables, or tables with their `mode`.

    Tables are kept as text that can be hashed; what is in them is read where it is used.
    """
    if isinstance(value, str):
        value = {"mode": value}
    if not isinstance(value, dict):
        raise _UnfitError
    tables = {key: item for key, item in value.items() if key != "mode"}
    if not all(isinstance(item, dict) for item in tables.values()):
        raise _UnfitError
    fields = {}
    if "mode" in value:
        if value["mode"] not in LEAKAGE_MODES:
            raise _UnfitError
        fields["leakage_mode"] = value["mode"]
    if tables or not value:
        import json

        fields["leakage"] = json.dumps(tables, sort_keys=True, default=str) if tables else ""
    return fields


def _contract(item: Mapping[str, Any], where: str, position: int) -> Contract:
    fields = Contract.__match_args__
    for key, value in item.items():
        if key not in fields:
            near = _nearest(key, fields)
            hint = f"did you mean {near}?" if near else f"known keys: {', '.join(fields)}"
            raise NbsafeError("unknown-key", f"{where} {position}: unknown key {key!r}", hint)
        if not isinstance(value, str) or (key == "severity" and value not in SEVERITIES):
            expected = f"one of {', '.join(SEVERITIES)}" if key == "severity" else "a text"
            message = f"{where} {position}: {key} cannot be {value!r}"
            raise NbsafeError("bad-value", message, expected)
    missing = [key for key in ("name", "sql") if not item.get(key, "").strip()]
    if missing:
        message = f"{where} {position}: it has no {missing[0]}"
        raise NbsafeError("bad-value", message, "a contract needs a name and sql")
    return Contract(**item)


class _Setting(NamedTuple):
    """One key: the field that holds it, what reads its value, and what it expects."""

    field: str
    read: Callable[[Any, str], Any]
    expects: str


_FLAG = "true or false"
_CODES = "a list of codes or prefixes of codes"
_SETTINGS = {
    "order": _Setting("order", _order, f"one of {', '.join(ORDERS)}"),
    "static": _Setting("static", _flag, _FLAG),
    "timeout": _Setting("timeout_s", _seconds, "seconds for one cell, 0 for no limit"),
    "kernel": _Setting(
        "kernel", _text, "the name of a kernel, as `jupyter kernelspec list` shows it"
    ),
    "select": _Setting("select", _codes, _CODES),
    "ignore": _Setting("ignore", _codes, _CODES),
    "per-file-ignores": _Setting(
        "per_file_ignores", _ignores, "a table from globs to lists of codes"
    ),
    "baseline": _Setting("baseline", _text, "the path of a file"),
    "contract": _Setting("contracts", _contracts, "tables, each [[tool.nbsafe.contract]]"),
    "cache": _Setting("cache", _flag, _FLAG),
    "jobs": _Setting("jobs", _jobs, 'a number of processes, "auto" for one a processor'),
    "strict": _Setting("strict", _flag, _FLAG),
    "notes": _Setting("notes", _flag, _FLAG),
    "trace": _Setting("trace", _flag, _FLAG),
    "leakage": _Setting(
        "leakage",
        _leakage,
        f"one of {', '.join(LEAKAGE_MODES)}, as such or as mode of the table, "
        'or tables, each [tool.nbsafe.leakage."module"], of lists of names',
    ),
}
