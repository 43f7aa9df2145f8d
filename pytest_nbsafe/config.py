"""What the user chose: one frozen value, read from pyproject.toml, nbsafe.toml and options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from pytest_nbsafe import files, toml
from pytest_nbsafe.codes import CODES, Severity
from pytest_nbsafe.errors import NbsafeError, suggestion
from pytest_nbsafe.values import dataclass, replace

Order = Literal["auto", "recorded", "inferred", "top-down"]
ORDERS: tuple[str, ...] = get_args(Order)
LeakageMode = Literal["both", "static", "runtime"]
LEAKAGE_MODES: tuple[str, ...] = get_args(LeakageMode)
SEVERITIES: tuple[str, ...] = get_args(Severity)
_MOST_S = 10**7  # of a time limit; clocks cannot hold much more
_MOST_MB = 16_384
_FAR = 0.4
"""A word is taken for a mistyped one though it is as far from it as this."""


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

    `timeout_s` is the limit for one cell, `notebook_timeout_s` for all runs, None for none.
    `select` and `ignore` are codes, already expanded from prefixes; an empty `select` means all;
    `named` are those that `select` names one by one, which shows them though they be notes.
    `kernel` overrides the notebook's own kernel. `notes` shows findings of severity note.

    `folder` is where the configuration file stands, "" without one: the globs of
    `per_file_ignores` (pairs of a glob and codes) and a `baseline` of the file are relative to it.
    `jobs` is the number of processes for static checks, 0 for one a processor; `most_mb` is the
    most megabytes that a notebook may have. `leakage` is what the user knows of leak roles, as JSON
    text, "" for nothing, and `libraries` what he knows of libraries in the sections of a data file,
    leak roles too; `leakage_mode` says whether a run looks for leaks in the text, the run, or both.
    """

    order: Order = "auto"
    static: bool = False
    timeout_s: float | None = 600.0
    notebook_timeout_s: float | None = None
    kernel: str | None = None
    select: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    baseline: str | None = None
    contracts: tuple[Contract, ...] = ()
    cache: bool = True
    jobs: int = 1
    most_mb: int = 512
    folder: str = ""
    strict: bool = False
    notes: bool = False
    trace: bool = True
    leakage: str = ""
    leakage_mode: LeakageMode = "both"
    libraries: str = ""

    @property
    def leak_roles(self) -> str:
        """All that the user knows of leak roles, as JSON text, "" for nothing."""
        if not self.libraries:
            return self.leakage
        import json

        roles = json.loads(self.leakage or "{}")
        for sections in json.loads(self.libraries).values():
            roles.update(sections.get("leakage", {}))
        return json.dumps(roles, sort_keys=True) if roles else ""


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
            message, hint = f"{source}: unknown key {key!r}", _known_keys(key, _SETTINGS)
            raise NbsafeError("unknown-key", message, hint)
        read = _value(key, value, source)
        changes.update(read if key == "leakage" else {_SETTINGS[key].field: read})
    if "select" in changes:
        meant = map(matching, _selectors(settings["select"]))
        changes["named"] = tuple(codes[0] for codes in meant if len(codes) == 1)
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
    start = files.real(path)
    for folder in (start, *start.parents) if files.is_folder(start) else start.parents:
        for file, keys in (
            (folder / "nbsafe.toml", ()),
            (folder / "pyproject.toml", ("tool", "nbsafe")),
        ):
            if not files.is_file(file):
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


def is_selected(code: str, config: Config) -> bool:
    """Return whether the user wants to hear of this code."""
    return (not config.select or code in config.select) and code not in config.ignore


def shows(code: str, severity: Severity, config: Config) -> bool:
    """Return whether a finding that weighs this much is shown: a note only where it is wanted."""
    return severity != "note" or config.notes or code in config.named


def is_asked(code: str, config: Config) -> bool:
    """Return whether a rule's answer can show: a mere note only where notes are wanted."""
    return shows(code, CODES[code].severity, config) and is_selected(code, config)


def _fits(path: Path, glob: str, folder: str) -> bool:
    """Return whether a glob means this file: by its name, or by its path from the folder.

    As in ruff, `*` goes over slashes too, and a leading `!` means all other files.
    """
    from fnmatch import fnmatchcase

    pattern = glob.removeprefix("!")
    whole = f"{files.real(Path(folder)).as_posix()}/{pattern}"
    fits = fnmatchcase(path.name, pattern) or fnmatchcase(files.real(path).as_posix(), whole)
    return fits is not glob.startswith("!")


def matching(prefix: str) -> tuple[str, ...]:
    """Return the codes that a selector means: a code, a prefix of codes, or a name.

    Raises:
        NbsafeError: no code matches; the message names the nearest.

    """
    wanted = prefix.strip()
    codes = tuple(code for code in CODES if code.startswith(wanted.upper())) if wanted else ()
    codes = codes or tuple(row.code for row in CODES.values() if row.name == wanted.lower())
    if codes:
        return codes
    names = [*CODES, *(row.name for row in CODES.values())]
    hint = suggestion(wanted, names, "see `nbsafe rules`", _FAR)
    raise NbsafeError("unknown-code", f"there is no code {wanted!r}", hint)


@lru_cache(maxsize=64)
def _read_toml(file: Path, _changed_ns: int, _bytes: int) -> dict[str, Any]:
    """Return what a file holds, read once for all notebooks as long as it stays the same.

    A pyproject.toml that does not name this tool is not even parsed: that takes its time.
    """
    try:
        content = files.read_bytes(file)
        if file.name == "pyproject.toml" and b"nbsafe" not in content:
            return {}
        return toml.loads(content.decode("utf-8"))
    except (OSError, ValueError) as error:  # no UTF-8, or no TOML
        raise NbsafeError("bad-toml", f"{file}: {error}", "fix the file") from error


def _known_keys(key: str, known: Iterable[str]) -> str:
    return suggestion(key, known, f"known keys: {', '.join(known)}", _FAR)


# -- the values of each key ------------------------------------------------------------------------


def _value(key: str, value: Any, source: str) -> Any:
    """Return the value of a key as Config holds it."""
    setting = _SETTINGS[key]
    try:
        return setting.read(value)
    except _UnfitError as unfit:
        message = f"{source}: {key}{unfit.says or f' cannot be {value!r}'}"
        raise NbsafeError(unfit.slug, message, unfit.hint or setting.expects) from None


class _UnfitError(Exception):
    """The value is not of the kind that the key wants; `says` is what stands after the key."""

    def __init__(self, says: str = "", hint: str = "", slug: str = "bad-value") -> None:
        super().__init__(says)
        self.says = says
        self.hint = hint
        self.slug = slug


def _selectors(value: Any) -> list[str]:
    """Return the codes, prefixes and names of a list, of which commas may make more."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(i, str) for i in items):
        raise _UnfitError
    return [part for item in items for part in item.split(",") if part.strip()]


def _codes(value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(code for part in _selectors(value) for code in matching(part)))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _UnfitError
    return value


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        raise _UnfitError
    return value or None


def _order(value: Any) -> str:
    if value not in ORDERS:
        raise _UnfitError
    return str(value)


def _seconds(value: Any) -> float | None:
    try:
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _UnfitError from None
    if isinstance(value, bool) or not 0 <= seconds < _MOST_S:
        raise _UnfitError
    return seconds or None


def _jobs(value: Any) -> int:
    return 0 if value == "auto" else _number(value)


def _number(value: Any, least: int = 0, most: int = 10**6) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _UnfitError
    return value


def _ignores(value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise _UnfitError
    return tuple((glob, _codes(codes)) for glob, codes in value.items())


def _contracts(value: Any) -> tuple[Contract, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _UnfitError
    return tuple(_contract(item, position) for position, item in enumerate(value, start=1))


def _leakage(value: Any) -> dict[str, str]:
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


def _libraries(value: Any) -> str:
    """Return tables as text that can be hashed; what is in them is read where it is used."""
    if not isinstance(value, dict) or not all(isinstance(t, dict) for t in value.values()):
        raise _UnfitError
    import json

    return json.dumps(value, sort_keys=True, default=str) if value else ""


def _contract(item: Mapping[str, Any], position: int) -> Contract:
    fields = Contract.__match_args__
    for key, value in item.items():
        if key not in fields:
            hint = _known_keys(key, fields)
            raise _UnfitError(f" {position}: unknown key {key!r}", hint, "unknown-key")
        if not isinstance(value, str) or (key == "severity" and value not in SEVERITIES):
            expected = f"one of {', '.join(SEVERITIES)}" if key == "severity" else "a text"
            raise _UnfitError(f" {position}: {key} cannot be {value!r}", expected)
    missing = [key for key in ("name", "sql") if not item.get(key, "").strip()]
    if missing:
        hint = "a contract needs a name and sql"
        raise _UnfitError(f" {position}: it has no {missing[0]}", hint)
    return Contract(**item)


class _Setting(NamedTuple):
    """One key: the field that holds it, what reads its value, and what it expects."""

    field: str
    read: Callable[[Any], Any]
    expects: str


_FLAG = "true or false"
_CODES = "a list of codes or prefixes of codes"
_SETTINGS = {
    "order": _Setting("order", _order, f"one of {', '.join(ORDERS)}"),
    "static": _Setting("static", _flag, _FLAG),
    "timeout": _Setting("timeout_s", _seconds, "seconds for one cell, 0 for no limit"),
    "notebook-timeout": _Setting("notebook_timeout_s", _seconds, "seconds for all, 0 for no limit"),
    "kernel": _Setting("kernel", _text, "the name of a kernel in `jupyter kernelspec list`"),
    "select": _Setting("select", _codes, _CODES),
    "ignore": _Setting("ignore", _codes, _CODES),
    "per-file-ignores": _Setting(
        "per_file_ignores", _ignores, "a table from globs to lists of codes"
    ),
    "baseline": _Setting("baseline", _text, "the path of a file"),
    "contract": _Setting("contracts", _contracts, "tables, each [[tool.nbsafe.contract]]"),
    "cache": _Setting("cache", _flag, _FLAG),
    "jobs": _Setting("jobs", _jobs, 'a number of processes, "auto" for one a processor'),
    "max-notebook-mb": _Setting(
        "most_mb", lambda mb: _number(mb, 1, _MOST_MB), f"megabytes, from 1 to {_MOST_MB}"
    ),
    "strict": _Setting("strict", _flag, _FLAG),
    "notes": _Setting("notes", _flag, _FLAG),
    "trace": _Setting("trace", _flag, _FLAG),
    "libraries": _Setting(
        "libraries",
        _libraries,
        "tables, each [tool.nbsafe.libraries.NAME.section], with the keys of a data file",
    ),
    "leakage": _Setting(
        "leakage",
        _leakage,
        f"one of {', '.join(LEAKAGE_MODES)}, as such or as mode of the table, "
        'or tables, each [tool.nbsafe.leakage."module"], of lists of names',
    ),
}
