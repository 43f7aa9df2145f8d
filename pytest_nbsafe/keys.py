"""The keys of a configuration: what value each takes, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

from pytest_nbsafe.codes import CODES, Severity
from pytest_nbsafe.errors import NbsafeError, suggestion
from pytest_nbsafe.key_values import (
    Unfit,
    flag,
    globs,
    names,
    number,
    one_of,
    pairs,
    parameters,
    seconds,
    selectors,
    text,
    variables,
)
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
LEAKAGE_MODES: tuple[str, ...] = get_args(LeakageMode)
SEVERITIES: tuple[str, ...] = get_args(Severity)
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
class RunTable:
    """How some notebooks are run: those that a glob of `match` means.

    `changes` are fields of a configuration, each with its value.
    """

    match: tuple[str, ...]
    changes: tuple[tuple[str, Any], ...]


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


def run_settings(given: Mapping[str, Any], source: str) -> tuple[tuple[str, Any], ...]:
    """Return what `RUN_SETTINGS` say of a run, as fields of a configuration with their values."""
    try:
        return _run_changes(given, "")
    except Unfit as unfit:
        raise NbsafeError(unfit.slug, f"{source}:{unfit}", unfit.hint) from None


def value_of(key: str, value: Any, source: str) -> Any:
    """Return the value of a key as Config holds it."""
    setting = SETTINGS[key]
    try:
        return setting.read(value)
    except Unfit as unfit:
        is_option = source.replace("_", "-").endswith(f"-{key}")
        named = source if is_option else f"{source}: {key}"
        message = f"{named}{unfit.says or f' cannot be {value!r}'}"
        raise NbsafeError(unfit.slug, message, unfit.hint or setting.expects) from None


def _codes(value: Any) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(code for part in selectors(value) for code in matching(part)))
    except NbsafeError as unknown:
        raise Unfit(f": {unknown.message}", unknown.hint, unknown.slug) from None


def _resume(value: Any) -> str:
    """Return a mode; the texts are those of the ini file of pytest."""
    modes = {"true": "on", "false": "off", "1": "on", "0": "off"}
    mode = modes.get(str(value).lower(), value)
    if mode not in RESUME_MODES:
        raise Unfit
    return str(mode)


def _jobs(value: Any) -> int:
    return 0 if value == "auto" else number(value)


def _runs(value: Any) -> int:
    return 0 if value == "auto" else number(value, 1, 1)


def _ignores(value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise Unfit
    return tuple((glob, _codes(codes)) for glob, codes in value.items())


def _contracts(value: Any) -> tuple[Contract, ...]:
    return tuple(_contract(table, position) for position, table in _tables(value))


def _tables(value: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Return the tables of a list, each with its position, which counts from 1."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Unfit
    return enumerate(value, start=1)


def _leakage(value: Any) -> dict[str, str]:
    """Return the fields that hold a mode, tables, or tables with their `mode`.

    Tables are kept as text that can be hashed; what is in them is read where it is used.
    """
    if isinstance(value, str):
        value = {"mode": value}
    if not isinstance(value, dict):
        raise Unfit
    tables = {key: item for key, item in value.items() if key != "mode"}
    if not all(isinstance(item, dict) for item in tables.values()):
        raise Unfit
    fields = {}
    if "mode" in value:
        if value["mode"] not in LEAKAGE_MODES:
            raise Unfit
        fields["leakage_mode"] = value["mode"]
    if tables or not value:
        import json

        fields["leakage"] = json.dumps(tables, sort_keys=True, default=str) if tables else ""
    return fields


def _libraries(value: Any) -> str:
    """Return tables as text that can be hashed; what is in them is read where it is used."""
    if not isinstance(value, dict) or not all(isinstance(t, dict) for t in value.values()):
        raise Unfit
    import json

    return json.dumps(value, sort_keys=True, default=str) if value else ""


def _run_tables(value: Any) -> tuple[RunTable, ...]:
    return tuple(_run_table(table, position) for position, table in _tables(value))


def _run_table(item: Mapping[str, Any], position: int) -> RunTable:
    if not item.get("match"):
        raise Unfit(f" {position}: it has no match", "a run needs a match: a list of globs")
    try:
        match = globs(item["match"])
    except Unfit:
        raise Unfit(f" {position}: match cannot be {item['match']!r}", _GLOBS) from None
    rest = {key: value for key, value in item.items() if key != "match"}
    return RunTable(match, _run_changes(rest, f" {position}:"))


def _run_changes(item: Mapping[str, Any], where: str) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a configuration that say how a notebook is run, with their values."""
    changes = []
    for key, value in item.items():
        if key not in RUN_SETTINGS:
            known = ("match", *RUN_SETTINGS)
            raise Unfit(f"{where} unknown key {key!r}", known_keys(key, known), "unknown-key")
        setting = RUN_SETTINGS[key]
        try:
            changes.append((setting.field, setting.read(value)))
        except Unfit as unfit:
            says = f"{where} {key}{unfit.says or f' cannot be {value!r}'}"
            raise Unfit(says, unfit.hint or setting.expects) from None
    return tuple(changes)


def _contract(item: Mapping[str, Any], position: int) -> Contract:
    fields = Contract.__match_args__
    for key, value in item.items():
        if key not in fields:
            hint = known_keys(key, fields)
            raise Unfit(f" {position}: unknown key {key!r}", hint, "unknown-key")
        if not isinstance(value, str) or (key == "severity" and value not in SEVERITIES):
            expected = f"one of {', '.join(SEVERITIES)}" if key == "severity" else "a text"
            raise Unfit(f" {position}: {key} cannot be {value!r}", expected)
    missing = [key for key in ("name", "sql") if not item.get(key, "").strip()]
    if missing:
        hint = "a contract needs a name and sql"
        raise Unfit(f" {position}: it has no {missing[0]}", hint)
    return Contract(**item)


class Setting(NamedTuple):
    """One key: the field that holds it, what reads its value, and what it expects."""

    field: str
    read: Callable[[Any], Any]
    expects: str


def _choice(field: str, choices: Sequence[str]) -> Setting:
    return Setting(field, partial(one_of, choices), f"one of {', '.join(choices)}")


_FLAG = "true or false"
_CODES = "a list of codes or prefixes of codes"
_GLOBS = "a list of globs"
SETTINGS = {
    "order": _choice("order", ORDERS),
    "static": Setting("static", flag, _FLAG),
    "timeout": Setting("timeout_s", seconds, "seconds for one cell, 0 for no limit"),
    "notebook-timeout": Setting("notebook_timeout_s", seconds, "seconds for all, 0 for no limit"),
    "builtins": Setting("builtins", names, "a list of names that the kernel brings along"),
    "platform": _choice("platform", tuple(PLATFORMS)),
    "kernel-start": _choice("kernel_start", KERNEL_STARTS),
    "kernel": Setting("kernel", text, "the name of a kernel in `jupyter kernelspec list`"),
    "select": Setting("select", _codes, _CODES),
    "ignore": Setting("ignore", _codes, _CODES),
    "per-file-ignores": Setting(
        "per_file_ignores", _ignores, "a table from globs to lists of codes"
    ),
    "exclude": Setting("exclude", globs, _GLOBS),
    "include": Setting("include", globs, _GLOBS),
    "respect-gitignore": Setting("respect_gitignore", flag, _FLAG),
    "baseline": Setting("baseline", text, "the path of a file"),
    "contract": Setting("contracts", _contracts, "tables, each [[tool.nbsafe.contract]]"),
    "cache": Setting("cache", flag, _FLAG),
    "jobs": Setting("jobs", _jobs, 'a number of processes, "auto" for one a processor'),
    "pages": Setting("pages", flag, _FLAG),
    "resume": Setting("resume", _resume, 'true, false or "verify"'),
    "runs": Setting("runs", _runs, '1, or "auto" for as many as a proof takes'),
    "run": Setting("run_tables", _run_tables, "tables, each [[tool.nbsafe.run]] with its match"),
    "max-notebook-mb": Setting(
        "most_mb", lambda mb: number(mb, 1, _MOST_MB), f"megabytes, from 1 to {_MOST_MB}"
    ),
    "strict": Setting("strict", flag, _FLAG),
    "notes": Setting("notes", flag, _FLAG),
    "trace": Setting("trace", flag, _FLAG),
    "output": _choice("output", OUTPUT_MODES),
    "repeat": Setting("repeat", lambda n: number(n, 1, 100), "how often to run it, from 1 to 100"),
    "sanitizers": Setting("sanitizers", pairs, 'a list of pairs, ["expression", "replacement"]'),
    "sanitize-with": Setting("sanitize_with", text, "the path of a file as nbval has it"),
    "libraries": Setting(
        "libraries",
        _libraries,
        "tables, each [tool.nbsafe.libraries.NAME.section], with the keys of a data file",
    ),
    "leakage": Setting(
        "leakage",
        _leakage,
        f"one of {', '.join(LEAKAGE_MODES)}; in a file it may be the mode of a table, beside "
        'tables, each [tool.nbsafe.leakage."module"], of lists of names',
    ),
}
RUN_SETTINGS: Mapping[str, Setting] = {
    "parameters": Setting("parameters", parameters, "a table from names to values"),
    "env": Setting("environ", variables, "a table from variables to texts"),
    "cwd": Setting("cwd", text, "the path of a folder"),
    **{key: SETTINGS[key] for key in ("kernel", "timeout", "runs")},
}
"""What a table `[[tool.nbsafe.run]]` may hold beside its `match`."""
