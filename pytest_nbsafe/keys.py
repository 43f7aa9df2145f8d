"""The keys of a configuration: what value each takes, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

from pytest_nbsafe.codes import CODES, Severity
from pytest_nbsafe.errors import NbsafeError, suggestion
from pytest_nbsafe.values import dataclass

Order = Literal[
    "auto", "recorded", "inferred", "top-down", "archaeology", "base", "dependency", "all"
]
ORDERS: tuple[str, ...] = get_args(Order)
LeakageMode = Literal["both", "static", "runtime"]
OutputMode = Literal["off", "lenient", "exact"]
KernelStart = Literal["fork", "spawn"]
Resume = Literal["off", "on", "verify"]
KERNEL_STARTS: tuple[str, ...] = get_args(KernelStart)
RESUME_MODES: tuple[str, ...] = get_args(Resume)
PLATFORMS: Mapping[str, tuple[str, ...]] = {
    "databricks": (
        *("dbutils", "display", "displayHTML", "getArgument", "sc", "spark", "sql", "sqlContext"),
        "table",
    ),
    "sagemaker": ("sc", "spark", "sqlContext"),
    "colab": (),
    "kaggle": (),
}
"""Names that the kernels of hosted platforms bring along, beside those of IPython."""
OUTPUT_MODES: tuple[str, ...] = get_args(OutputMode)
Pairs = tuple[tuple[str, str], ...]
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


def known_keys(key: str, known: Iterable[str]) -> str:
    """Return which known key was meant, or all of them."""
    return suggestion(key, known, f"known keys: {', '.join(known)}", _FAR)


def value_of(key: str, value: Any, source: str) -> Any:
    """Return the value of a key as Config holds it."""
    setting = SETTINGS[key]
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


def selectors(value: Any) -> list[str]:
    """Return the codes, prefixes and names of a list, of which commas may make more."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(i, str) for i in items):
        raise _UnfitError
    return [part for item in items for part in item.split(",") if part.strip()]


def _codes(value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(code for part in selectors(value) for code in matching(part)))


def _names(value: Any) -> tuple[str, ...]:
    names = tuple(name.strip() for name in selectors(value))
    if not all(name.isidentifier() for name in names):
        raise _UnfitError
    return names


def _globs(value: Any) -> tuple[str, ...]:
    return tuple(glob.strip() for glob in selectors(value))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _UnfitError
    return value


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        raise _UnfitError
    return value or None


def _one_of(choices: Sequence[str], value: Any) -> str:
    if value not in choices:
        raise _UnfitError
    return str(value)


def _pairs(value: Any) -> Pairs:
    """Return regular expressions, each with what stands in place of what it matches."""
    if not isinstance(value, list):
        raise _UnfitError
    for pair in value:
        if not isinstance(pair, list) or [type(part) for part in pair] != [str, str]:
            raise _UnfitError
    return tuple((text, replacement) for text, replacement in value)


def _seconds(value: Any) -> float | None:
    try:
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _UnfitError from None
    if isinstance(value, bool) or not 0 <= seconds < _MOST_S:
        raise _UnfitError
    return seconds or None


def _resume(value: Any) -> str:
    """Return a mode; the texts are those of the ini file of pytest."""
    modes = {"true": "on", "false": "off", "1": "on", "0": "off"}
    mode = modes.get(str(value).lower(), value)
    if mode not in RESUME_MODES:
        raise _UnfitError
    return str(mode)


def _jobs(value: Any) -> int:
    return 0 if value == "auto" else _number(value)


def _runs(value: Any) -> int:
    return 0 if value == "auto" else _number(value, 1, 1)


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
            hint = known_keys(key, fields)
            raise _UnfitError(f" {position}: unknown key {key!r}", hint, "unknown-key")
        if not isinstance(value, str) or (key == "severity" and value not in SEVERITIES):
            expected = f"one of {', '.join(SEVERITIES)}" if key == "severity" else "a text"
            raise _UnfitError(f" {position}: {key} cannot be {value!r}", expected)
    missing = [key for key in ("name", "sql") if not item.get(key, "").strip()]
    if missing:
        hint = "a contract needs a name and sql"
        raise _UnfitError(f" {position}: it has no {missing[0]}", hint)
    return Contract(**item)


class Setting(NamedTuple):
    """One key: the field that holds it, what reads its value, and what it expects."""

    field: str
    read: Callable[[Any], Any]
    expects: str


def _choice(field: str, choices: Sequence[str]) -> Setting:
    return Setting(field, partial(_one_of, choices), f"one of {', '.join(choices)}")


_FLAG = "true or false"
_CODES = "a list of codes or prefixes of codes"
_GLOBS = "a list of globs"
SETTINGS = {
    "order": _choice("order", ORDERS),
    "static": Setting("static", _flag, _FLAG),
    "timeout": Setting("timeout_s", _seconds, "seconds for one cell, 0 for no limit"),
    "notebook-timeout": Setting("notebook_timeout_s", _seconds, "seconds for all, 0 for no limit"),
    "builtins": Setting("builtins", _names, "a list of names that the kernel brings along"),
    "platform": _choice("platform", tuple(PLATFORMS)),
    "kernel-start": _choice("kernel_start", KERNEL_STARTS),
    "kernel": Setting("kernel", _text, "the name of a kernel in `jupyter kernelspec list`"),
    "select": Setting("select", _codes, _CODES),
    "ignore": Setting("ignore", _codes, _CODES),
    "per-file-ignores": Setting(
        "per_file_ignores", _ignores, "a table from globs to lists of codes"
    ),
    "exclude": Setting("exclude", _globs, _GLOBS),
    "include": Setting("include", _globs, _GLOBS),
    "respect-gitignore": Setting("respect_gitignore", _flag, _FLAG),
    "baseline": Setting("baseline", _text, "the path of a file"),
    "contract": Setting("contracts", _contracts, "tables, each [[tool.nbsafe.contract]]"),
    "cache": Setting("cache", _flag, _FLAG),
    "jobs": Setting("jobs", _jobs, 'a number of processes, "auto" for one a processor'),
    "resume": Setting("resume", _resume, 'true, false or "verify"'),
    "runs": Setting("runs", _runs, '1, or "auto" for as many as a proof takes'),
    "max-notebook-mb": Setting(
        "most_mb", lambda mb: _number(mb, 1, _MOST_MB), f"megabytes, from 1 to {_MOST_MB}"
    ),
    "strict": Setting("strict", _flag, _FLAG),
    "notes": Setting("notes", _flag, _FLAG),
    "trace": Setting("trace", _flag, _FLAG),
    "output": _choice("output", OUTPUT_MODES),
    "repeat": Setting("repeat", lambda n: _number(n, 1, 100), "how often to run it, from 1 to 100"),
    "sanitizers": Setting("sanitizers", _pairs, 'a list of pairs, ["expression", "replacement"]'),
    "sanitize-with": Setting("sanitize_with", _text, "the path of a file as nbval has it"),
    "libraries": Setting(
        "libraries",
        _libraries,
        "tables, each [tool.nbsafe.libraries.NAME.section], with the keys of a data file",
    ),
    "leakage": Setting(
        "leakage",
        _leakage,
        f"one of {', '.join(LEAKAGE_MODES)}, as such or as mode of the table, "
        'or tables, each [tool.nbsafe.leakage."module"], of lists of names',
    ),
}
