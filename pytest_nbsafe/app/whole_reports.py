"""The whole report of a notebook that was run, given again where nothing that it hangs on changed.

It is kept where all its runs are, so that each would be reused; then what they were made of is
compared once, and nothing is recalled, analysed or judged. It lies with them in the store, signed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_nbsafe import files
from pytest_nbsafe.app import cache, run_store
from pytest_nbsafe.app.inputs import standing_for, working_folder
from pytest_nbsafe.config import Config
from pytest_nbsafe.environment import LOCK
from pytest_nbsafe.findings import Report
from pytest_nbsafe.module_files import ModuleFiles
from pytest_nbsafe.reports import transport
from pytest_nbsafe.resume import questions, world
from pytest_nbsafe.runner import kernel_coverage
from pytest_nbsafe.store.database import StoreRefused
from pytest_nbsafe.values import dataclass, field, replace

if TYPE_CHECKING:
    from pytest_nbsafe.app.session import NotebookSession
    from pytest_nbsafe.store.database import Store


@dataclass(frozen=True, slots=True)
class Asked:
    """A report that is asked for: of which notebook, and the names under which it is kept.

    `context` stands for the program and what its kernels always heed, `question` for the page, the
    settings and the project. `started` is when it was asked for.
    """

    path: Path
    store: Store
    context: str
    question: str
    started: float = field(default_factory=time.perf_counter, compare=False)


def asked(path: Path, config: Config) -> Asked | None:
    """Return what is asked for; None where such a report is not kept, or cannot be.

    Raises:
        NbsafeError: the configuration names what cannot be read.

    """
    if config.resume != "on" or config.static or config.pages or _is_measured():
        return None
    try:
        store = run_store.of_notebook(path)
        content = files.read_bytes(path, config.most_mb * files.MEGABYTE)
        parts = [str(path), *_standing_for(path, config)]
    except (StoreRefused, OSError):
        return None  # who runs the notebook tells of it
    heeded = json.dumps(run_store.heeded(), sort_keys=True)
    context = questions.hashed("report", cache.program(), str(path.resolve()), heeded)
    return Asked(path, store, context, cache.key(content, parts))


def known(asked: Asked) -> Report | None:
    """Return the report that is kept, None where there is none, or what it hangs on has changed."""
    for entry in asked.store.entries(asked.context, asked.question):
        content = entry.content
        if _holds(asked, content):
            report = transport.unpack(content["report"])
            asked.store.mark_used([entry.id, *content["entries"]])
            (notebook,) = report.notebooks
            notebook = replace(notebook, duration_s=time.perf_counter() - asked.started)
            return replace(report, notebooks=(notebook,))
    return None


def keep(asked: Asked, session: NotebookSession) -> None:
    """Keep the report of a session that is over, as it is if all that its kernels gave is kept."""
    used, trial = session.reuse.used, session.trial
    environments = [run_store.environment(each.kernel, each.environ) for each in used]
    entries = sorted({entry for each in used for entry in each.entries})
    is_known = all(each.is_whole for each in used) and None not in environments
    if trial is None or not (session.keeps_runs and is_known and asked.store.holds(entries)):
        return
    from pytest_nbsafe.app.notebook_verdict import as_reused

    session.trial = as_reused(trial)
    report = session.report()
    content = {
        "report": transport.pack(Report(session.findings, (report,))),
        "entries": entries,
        "modules": dict(session.module_answers),
        "kernels": [
            (each.kernel, each.environ, environment, each.uses)
            for each, environment in zip(used, environments, strict=True)
        ],
    }
    saved_s = report.resumed.saved_s if report.resumed is not None else 0.0
    about = asked.context, asked.question, str(asked.path.resolve())
    asked.store.add(*about, content, saved_s)


def _holds(asked: Asked, content: Mapping[str, Any]) -> bool:
    """Return whether a report was made of what is there now."""
    return (
        asked.store.holds(content["entries"])
        and all(
            run_store.environment(kernel, environ) == environment
            and not any(world.changed(each, {**os.environ, **environ}) for each in uses)
            for kernel, environ, environment, uses in content["kernels"]
        )
        and ModuleFiles(asked.path).still(content["modules"])
    )


def _standing_for(path: Path, config: Config) -> Iterator[str]:
    """Yield what a run hangs on beside the page: as a check does, and where its modules lie."""
    from pytest_nbsafe import project

    yield from standing_for(path, config)
    yield str(working_folder(path, config))
    of_project = project.of(path)
    yield repr((of_project.key, of_project.folders[-1], of_project.paths))
    if config.sanitize_with is not None:
        yield world.file_hash(config.sanitize_with)
    if files.is_file(files.real(path).parent / LOCK):
        from pytest_nbsafe.app import lock

        locked = lock.of(path)
        names = [entry.name for entry in locked.files] if locked else []
        yield repr((locked, [files.is_file(path.parent / name) for name in names]))


def _is_measured() -> bool:
    """Return whether coverage of this program is measured: then all has to run."""
    return "coverage" in sys.modules and kernel_coverage.is_measured()
