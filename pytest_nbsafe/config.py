"""What the user chose: one frozen value, read from pyproject.toml, nbsafe.toml and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_nbsafe import files, toml
from pytest_nbsafe.codes import CODES, Severity
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.key_values import Pairs, selectors
from pytest_nbsafe.keys import (
    PLATFORMS,
    SETTINGS,
    Contract,
    KernelStart,
    LeakageMode,
    Order,
    OutputMode,
    Resume,
    RunTable,
    known_keys,
    matching,
    run_settings,
    value_of,
)
from pytest_nbsafe.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one notebook's check.

    `timeout_s` is the limit for one cell, `notebook_timeout_s` for all runs, None for none.
    `select` and `ignore` are codes, already expanded from prefixes; an empty `select` means all;
    `named` are those that `select` names one by one, which shows them though they be notes.
    `builtins` are names that the kernel brings along, as do those of a hosted `platform`.
    `kernel` overrides the notebook's own kernel; `kernel_start` says whether kernels may start as
    forks of a process that has ipykernel loaded. `notes` shows findings of severity note.

    `folder` is where the configuration file stands, "" without one: the globs of
    `per_file_ignores` (pairs of a glob and codes) and a `baseline` of the file are relative to it.
    Of the files that are looked for `exclude` leaves some out, and `include`, unless empty, all
    others; each is a pair of the folder that it is relative to and a glob.
    `jobs` is the number of processes for static checks, 0 for one a processor; `most_mb` is the
    most megabytes that a notebook may have; `runs` is 1 where it runs once, else 0. `leakage` is
    what the user knows of leak roles, as JSON text, "" for nothing, and `libraries` what he knows
    of libraries in the sections of a data file, leak roles too; `leakage_mode` says whether a run
    looks for leaks in the text, the run, or both.
    With `pages` a report has the cells and outputs of notebooks, as html shows them.
    `resume` says whether runs whose outcome is known are made again.
    `run_tables` say how some notebooks are run. Of one notebook, `parameters` are names with texts
    of Python, which it is given; `environ` lies over the environment of its kernels, which run in
    `cwd`, None for its own folder.
    `repeat` is how often the order is run that is to be repeatable.
    `output` says how saved outputs are compared with new ones, `sanitizers` (pairs of a regular
    expression and what stands in its place) what is no difference; so does the file
    `sanitize_with`.
    """

    order: Order = "auto"
    static: bool = False
    pages: bool = False
    timeout_s: float | None = 600.0
    notebook_timeout_s: float | None = None
    builtins: tuple[str, ...] = ()
    platform: str | None = None
    kernel: str | None = None
    kernel_start: KernelStart = "fork"
    select: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: Pairs = ()
    include: Pairs = ()
    respect_gitignore: bool = True
    baseline: str | None = None
    contracts: tuple[Contract, ...] = ()
    cache: bool = True
    resume: Resume = "off"
    run_tables: tuple[RunTable, ...] = ()
    parameters: Pairs = ()
    environ: Pairs = ()
    cwd: str | None = None
    runs: int = 0
    jobs: int = 1
    most_mb: int = 512
    folder: str = ""
    strict: bool = False
    notes: bool = False
    trace: bool = True
    leakage: str = ""
    leakage_mode: LeakageMode = "both"
    libraries: str = ""
    output: OutputMode = "lenient"
    repeat: int = 1
    sanitizers: Pairs = ()
    sanitize_with: str | None = None

    @property
    def given_names(self) -> frozenset[str]:
        """The names that no cell has to define, beside those of Python and IPython."""
        return frozenset(self.builtins).union(PLATFORMS.get(self.platform or "", ()))

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
        if key not in SETTINGS:
            message, hint = f"{source}: unknown key {key!r}", known_keys(key, SETTINGS)
            raise NbsafeError("unknown-key", message, hint)
        read = value_of(key, value, source)
        changes.update(read if key == "leakage" else {SETTINGS[key].field: read})
    if "select" in changes:
        meant = map(matching, selectors(settings["select"]))
        changes["named"] = tuple(codes[0] for codes in meant if len(codes) == 1)
    for key in ("exclude", "include"):
        if key in changes:
            changes[key] = tuple((str(folder or ""), glob) for glob in changes[key])
    if folder is not None:
        changes["folder"] = str(folder)
        for key in ("baseline", "sanitize_with"):
            if changes.get(key):
                changes[key] = str(folder / changes[key])
    return replace(base, **changes)


def for_path(path: Path, base: Config | None = None) -> Config:
    """Return the configuration of the nearest nbsafe.toml or pyproject.toml upward from `path`.

    A pyproject.toml without a `[tool.nbsafe]` table does not end the search.

    Raises:
        NbsafeError: the file is not understood.

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
            if not keys and "tool" in table:
                hint = "leave out `tool.nbsafe`: [[tool.nbsafe.run]] is [[run]] in this file"
                raise NbsafeError("unknown-key", f"{file}: unknown key 'tool'", hint)
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
    config = for_path(path)
    for table in config.run_tables:
        if any(fits(path, glob, config.folder) for glob in table.match):
            config = _with_run(config, table.changes)
    config = merge(config, settings, "options")
    ignored = [
        code
        for glob, codes in config.per_file_ignores
        if fits(path, glob, config.folder)
        for code in codes
    ]
    if not ignored:
        return config
    return replace(config, ignore=tuple(dict.fromkeys((*config.ignore, *ignored))))


def for_run(config: Config, given: Mapping[str, Any], source: str) -> Config:
    """Return a configuration with what is `given` of one run, by the keys of `RUN_SETTINGS`.

    Raises:
        NbsafeError: an unknown key or a value of the wrong kind; `source` names who gave it.

    """
    return _with_run(config, run_settings(given, source))


def _with_run(config: Config, changes: Iterable[tuple[str, Any]]) -> Config:
    """Lay fields over a configuration; of parameters and variables each by itself."""
    fields = dict(changes)
    for name in ("parameters", "environ"):
        if name in fields:
            fields[name] = tuple({**dict(getattr(config, name)), **dict(fields[name])}.items())
    if fields.get("cwd"):
        fields["cwd"] = str(Path(config.folder) / fields["cwd"])
    return replace(config, **fields)


def is_selected(code: str, config: Config) -> bool:
    """Return whether the user wants to hear of this code."""
    return (not config.select or code in config.select) and code not in config.ignore


def shows(code: str, severity: Severity, config: Config) -> bool:
    """Return whether a finding that weighs this much is shown: a note only where it is wanted."""
    return severity != "note" or config.notes or code in config.named


def is_asked(code: str, config: Config) -> bool:
    """Return whether a rule's answer can show: a mere note only where notes are wanted."""
    return shows(code, CODES[code].severity, config) and is_selected(code, config)


def fits(path: Path, glob: str, folder: str) -> bool:
    """Return whether a glob means this file: by its name, or by its path from the folder.

    As in ruff, `*` goes over slashes too, and a leading `!` means all other files.
    """
    from fnmatch import fnmatchcase

    pattern = glob.removeprefix("!").removeprefix("./").rstrip("/")
    globs = {pattern, pattern.replace("/**/", "/")}  # `*` goes over slashes, `**` over none too
    globs |= {each.removeprefix("**/") for each in globs}
    base = f"{files.real(Path(folder)).as_posix().rstrip('/')}/"
    shown = files.real(path).as_posix()
    is_meant = fnmatchcase(path.name, pattern) or (
        shown.startswith(base)
        and any(fnmatchcase(shown.removeprefix(base), each) for each in globs)
    )
    return is_meant is not glob.startswith("!")


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
