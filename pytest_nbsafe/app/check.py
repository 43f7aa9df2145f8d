"""`nbsafe check`: the one way into a static check.

What was found before comes from the cache, the rest is found by one process or several. Where
every notebook is in the cache, nothing that analyses is imported.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe import config as configs
from pytest_nbsafe import files, patterns
from pytest_nbsafe.app.discovery import Which, notebooks_in
from pytest_nbsafe.app.inputs import configuration, standing_for
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Report, merged
from pytest_nbsafe.module_files import ModuleFiles
from pytest_nbsafe.values import dataclass, replace

_WORTH = 24
"""Notebooks that keep a process busy for longer than it takes to start."""


@dataclass(frozen=True, slots=True)
class Work:
    """A notebook that is to be analysed, and the entry to keep its answer in, if any."""

    path: Path
    config: Config
    folder: Path | None = None
    entry: str = ""


def check(
    paths: Sequence[Path],
    settings: Mapping[str, Any],
    which: Which | None = None,
    worth: int = _WORTH,
) -> Report:
    """Return what can be said of the notebooks without running anything.

    `settings` are the options given by hand (keys as in `[tool.nbsafe]`); they lie over each
    notebook's own configuration file. `which` says which of the notebooks are meant. Another
    process is started for every `worth` notebooks.

    Raises:
        NbsafeError: a path or a setting is not understood.

    """
    settings = {**settings, "static": True}
    reports: dict[Path, Report] = {}
    work: list[Work] = []
    for path in notebooks_in(paths, settings, which):
        config = configuration(path, settings)
        known = _known(path, config)
        if isinstance(known, Work):
            work.append(known)
        else:
            reports[path] = known
    for item, report in zip(work, _analysed(work, settings, worth), strict=True):
        reports[item.path] = report
    return merged(reports[path] for path in sorted(reports))


def check_text(content: bytes, path: Path, settings: Mapping[str, Any]) -> Report:
    """Return what can be said of the bytes of a notebook that lies, or will lie, at `path`.

    Raises:
        NbsafeError: a setting is not understood.

    """
    from pytest_nbsafe.app import session

    config = configuration(path, {**settings, "static": True})
    return session.examine(path, config, content=content)


# -- the cache -------------------------------------------------------------------------------------


def _known(path: Path, config: Config) -> Report | Work:
    """Return the cached report of a notebook, or what is to be done where there is none."""
    if not config.cache:
        return Work(path, config)
    from pytest_nbsafe.app import cache
    from pytest_nbsafe.store import place

    started = time.perf_counter()
    folder = place.folder()
    entry = _entry(path, config) if folder else ""
    if folder is None or not entry:
        return Work(path, config)
    report = cache.load(folder, entry, ModuleFiles(path).still)
    if report is None:
        return Work(path, config, folder, entry)
    (notebook,) = report.notebooks
    notebook = replace(notebook, duration_s=time.perf_counter() - started)
    return replace(report, notebooks=(notebook,))


_FORMAT_4 = patterns.compile(rb'"nbformat"\s*:\s*4\b')


def _entry(path: Path, config: Config) -> str:
    """Return the name of a notebook's entry, empty for one whose answer is not kept.

    Those are files that cannot be read, and older formats, which another package upgrades.
    """
    from pytest_nbsafe.app import cache

    try:
        content = files.read_bytes(path, config.most_mb * files.MEGABYTE)
    except OSError:
        return ""
    if not _FORMAT_4.search(content):
        return ""
    return cache.key(content, (str(path), *standing_for(path, config)))


# -- the work --------------------------------------------------------------------------------------


def _analysed(work: Sequence[Work], settings: Mapping[str, Any], worth: int) -> Iterable[Report]:
    """Return the reports in order; more processes are started only where they have enough to do."""
    processes = processes_for(len(work), settings, worth)
    if processes == 1:
        return map(_done, work)
    from pytest_nbsafe import workers

    return workers.results(_done, work, processes)


def _done(work: Work) -> Report:
    """Return the report of one notebook, and keep it unless the file has changed meanwhile."""
    from pytest_nbsafe.app import session

    report, asked = session.look(work.path, work.config)
    if work.folder is not None and _entry(work.path, work.config) == work.entry:
        from pytest_nbsafe.app import cache

        cache.store(work.folder, work.entry, report, asked)
    return report


def processes_for(notebooks: int, settings: Mapping[str, Any], worth: int = _WORTH) -> int:
    """Return how many processes analyse this many notebooks.

    As many as the options, or the configuration here, ask for, but one for every `worth` at most.
    """
    most = notebooks // worth
    if most <= 1:
        return 1
    from pytest_nbsafe import workers

    jobs = configs.merge(configs.for_path(Path()), settings, "options").jobs
    return min(jobs or workers.processors(), most)
