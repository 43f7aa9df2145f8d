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
from pytest_nbsafe.app import cache, run_store, small_edits
from pytest_nbsafe.app.inputs import standing_for, working_folder
from pytest_nbsafe.config import Config
from pytest_nbsafe.environment import LOCK
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Finding, Report
from pytest_nbsafe.kernel.hashes_contract import hash_at
from pytest_nbsafe.module_files import ModuleFiles
from pytest_nbsafe.reports import transport
from pytest_nbsafe.resume import world
from pytest_nbsafe.store.database import Entry, StoreRefused
from pytest_nbsafe.store.list_hash import hashed
from pytest_nbsafe.values import dataclass, field, replace

if TYPE_CHECKING:
    from pytest_nbsafe.app.given_session import GivenSession
    from pytest_nbsafe.app.session import NotebookSession
    from pytest_nbsafe.runner.listening import Listener
    from pytest_nbsafe.store.database import Store


@dataclass(frozen=True, slots=True)
class Place:
    """Where the report of a notebook is kept.

    `context` stands for the program and what its kernels always heed, `question` for the page, the
    settings and the project, `of_any_page` for the two last. `content` are the bytes of the page.
    `started` is when it was asked for.
    """

    path: Path
    store: Store
    context: str
    question: str
    of_any_page: str
    content: bytes = field(default_factory=bytes, compare=False)
    started: float = field(default_factory=time.perf_counter, compare=False)


def place_of(path: Path, config: Config) -> Place | None:
    """Return where a report is kept; None where it is not, or cannot be.

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
    context = hashed("report", cache.program(), str(path.resolve()), heeded)
    question, of_any_page = cache.key(content, parts), cache.key(b"", ["any page", *parts])
    return Place(path, store, context, question, of_any_page, content)


def known(place: Place) -> Report | None:
    """Return the report that is kept, None where there is none, or what it hangs on has changed."""
    kept = _kept(place)
    if kept is None:
        return None
    report = transport.unpack(kept.entry.content["report"])
    (notebook,) = report.notebooks
    notebook = replace(notebook, duration_s=time.perf_counter() - place.started)
    return replace(report, findings=_placed(report.findings, kept, place), notebooks=(notebook,))


def session(place: Place, config: Config, listener: Listener) -> GivenSession | None:
    """Return what says once more what a session said, None where no report is known."""
    kept = _kept(place)
    question = _of_outcomes(kept.question, kept.entry.id) if kept is not None else ""
    outcomes = place.store.entries(place.context, question) if kept is not None else ()
    if kept is None or not outcomes:
        return None
    from pytest_nbsafe.app.given_session import GivenSession

    (notebook,) = transport.unpack(kept.entry.content["report"]).notebooks
    said = [
        replace(outcome, findings=_placed(outcome.findings, kept, place))
        for outcome in transport.unpack_outcomes(outcomes[0].content["outcomes"])
    ]
    place.store.mark_used([outcomes[0].id])
    return GivenSession(place.path, config, listener, notebook, said)


def keep(place: Place, session: NotebookSession) -> None:
    """Keep the report of a session that is over, as it is if all that its kernels gave is kept.

    Where the page has changed meanwhile nobody knows which of the two was read: nothing is kept.
    """
    used, trial = session.reuse.used, session.trial
    entries = sorted({entry for each in used for entry in each.entries})
    is_over = {0, *(cell.number for cell in session.cells)} == session.outcomes.keys()
    is_known = entries and all(each.is_whole for each in used)
    is_whole = is_over and is_known and session.keeps_runs and not session.no_kernel
    if trial is None or not is_whole or not place.store.holds(entries):
        return
    environments = [run_store.environment(each.kernel, each.environ) for each in used]
    if None in environments or _place_now(place.path, session.config) != place:
        return
    from pytest_nbsafe.app.notebook_verdict import as_reused

    session.trial = as_reused(trial)
    report = Report(session.findings, (session.report(),))
    outcomes = tuple(session.outcomes.values())
    content = {
        "report": transport.pack(report),
        "entries": entries,
        "modules": dict(session.module_answers),
        "kernels": [
            (each.kernel, each.environ, environment, each.uses)
            for each, environment in zip(used, environments, strict=True)
        ],
    }
    name = _add(place, place.question, content, report)
    said = {"outcomes": transport.pack(outcomes)}
    _add(place, _of_outcomes(place.question, name), said, report)
    if session.notebook is None or session.config.contracts:
        return  # contracts may ask about all that stands on a page
    page = small_edits.sketch(place.content)
    if page is not None:
        bound = small_edits.bound(report, outcomes, session.notebook)
        of_report = {"question": place.question, "report": name, "bound": bound}
        _add(place, place.of_any_page, {**of_report, "page": transport.pack(page)}, report)


def _add(place: Place, question: str, content: Mapping[str, Any], report: Report) -> str:
    """Keep what belongs to a report, and return the name of its entry."""
    saved_s = sum(each.resumed.saved_s for each in report.notebooks if each.resumed is not None)
    path = files.path_text(place.path)
    return place.store.add(place.context, question, path, content, saved_s)


def _place_now(path: Path, config: Config) -> Place | None:
    try:
        return place_of(path, config)
    except NbsafeError:
        return None


def _of_outcomes(question: str, entry: str) -> str:
    """Return the question of what each cell had to say: only who shows them apart reads that."""
    return hashed("outcomes", question, entry)


@dataclass(frozen=True, slots=True)
class _Kept:
    """The entry of a report, and its question; whether of this page, or of one much like it."""

    entry: Entry
    question: str
    is_of_page: bool = True


def _kept(place: Place) -> _Kept | None:
    """Return the report that is made of what is there now, and mark its entries as used."""
    for entry in place.store.entries(place.context, place.question):
        if _holds(place, entry.content):
            place.store.mark_used([entry.id, *entry.content["entries"]])
            return _Kept(entry, place.question)
    return _of_page_like_it(place)


def _of_page_like_it(place: Place) -> _Kept | None:
    """Return the report of a page that differs in what nobody asks about."""
    pages = place.store.entries(place.context, place.of_any_page)
    now = small_edits.sketch(place.content) if pages else None
    if now is None:
        return None
    for page in pages:
        then = small_edits.unpacked(page.content["page"])
        if not small_edits.are_small(then, now, page.content["bound"]):
            continue
        question = page.content["question"]
        for entry in place.store.entries(place.context, question):
            if entry.id == page.content["report"] and _holds(place, entry.content):
                place.store.mark_used([page.id, entry.id, *entry.content["entries"]])
                return _Kept(entry, question, is_of_page=False)
    return None


def _placed(findings: tuple[Finding, ...], kept: _Kept, place: Place) -> tuple[Finding, ...]:
    """Return findings with the lines of the file as it is."""
    if kept.is_of_page or not findings:
        return findings
    from pytest_nbsafe.notebook import load

    page = load.read(place.path, content=place.content)
    return tuple(small_edits.placed(finding, page) for finding in findings)


def _holds(place: Place, content: Mapping[str, Any]) -> bool:
    """Return whether a report was made of what is there now."""
    for kernel, given, environment, uses in content["kernels"]:
        environ = {**os.environ, **given}
        if run_store.environment(kernel, given) != environment:
            return False
        if any(world.changed(each, environ) for each in uses):
            return False
    return place.store.holds(content["entries"]) and ModuleFiles(place.path).still(
        content["modules"]
    )


def _standing_for(path: Path, config: Config) -> Iterator[str]:
    """Yield what a run hangs on beside the page: as a check does, and where its modules lie."""
    from pytest_nbsafe import project

    yield from standing_for(path, config)
    yield str(working_folder(path, config))
    of_project = project.of(path)
    yield repr((of_project.key, of_project.folders[-1], of_project.paths))
    if config.sanitize_with is not None:
        yield hash_at(config.sanitize_with)
    if files.is_file(files.real(path).parent / LOCK):
        from pytest_nbsafe.app import lock

        locked = lock.of(path)
        names = [entry.name for entry in locked.files] if locked else []
        yield repr((locked, [files.is_file(path.parent / name) for name in names]))


def _is_measured() -> bool:
    """Return whether coverage of this program is measured: then all has to run."""
    if "coverage" not in sys.modules:
        return False
    from pytest_nbsafe.runner import kernel_coverage

    return kernel_coverage.is_measured()
