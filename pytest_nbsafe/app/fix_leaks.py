"""Leaks that an edit mends, each kept only where a run proves it.

The page that an edit makes is run twice, in copies of the folder: the leak must be gone, both runs
give equal values, and nothing be found that was not found before. What cells below the edit then
show is saved with it, for it changes results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.app import fix_order
from pytest_nbsafe.app.expected import expectations
from pytest_nbsafe.app.fix_order import Examined, Mended
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.fix import leak_patches, saved_results
from pytest_nbsafe.fix.notebook_text import CellEdit, edited
from pytest_nbsafe.fix.remedy import Remedy
from pytest_nbsafe.trace.outputs import shown
from pytest_nbsafe.trace.outputs.comparison import compare


def mended(
    path: Path, config: Config, content: bytes
) -> tuple[tuple[Mended, ...], tuple[str, ...]]:
    """Return the edits that are proved, one after another, and why others were not kept."""
    config = fix_order.twice(fix_order.as_it_stands(config))
    done: list[Mended] = []
    refused: dict[str, str] = {}
    before = fix_order.examined(path, config, content)
    while before is not None and (remedy := _next(before, refused)):
        result = _tried(path, config, before, content, remedy)
        if isinstance(result, str):
            refused[remedy.says] = result
            continue
        edits, content, before = result
        page = tuple(range(1, len(before.page) + 1))
        done.append(Mended((f"{remedy.code} {remedy.says}",), edits, page, content))
    return tuple(done), tuple(f"{says}: {why}" for says, why in refused.items())


def _next(before: Examined, refused: Iterable[str]) -> Remedy | None:
    found = (f for f in before.findings if f.severity != "note")
    remedies = (leak_patches.patch(before.facts.graph, finding) for finding in found)
    return next((r for r in remedies if r is not None and r.says not in refused), None)


def _tried(
    path: Path, config: Config, before: Examined, content: bytes, remedy: Remedy
) -> tuple[dict[int, CellEdit], bytes, Examined] | str:
    """Return the edits with what cells then show, the new content and what is found in it.

    Where they are not kept, it is said why.
    """
    text = content.decode("utf-8")
    tried = edited(text, remedy.edits).encode("utf-8")
    after = fix_order.examined(path, config, tried)
    if after is None:
        return "then it does not run"
    edits = dict(remedy.edits)
    below = {*edits, *downstream(after.facts.graph, *edits)}
    for result in after.trial.clean.results:
        if result.cell not in below:
            continue
        cell = after.facts.notebook.cell(result.cell)
        settings = expectations(after.facts.notebook, config).settings(result.cell)
        if result.status != "ok":
            return f"then cell {result.cell} fails"
        if settings is None or not saved_results.has_results(cell):
            continue
        difference = compare(cell.outputs, result.outputs, settings)
        if difference is None:
            continue
        if shown.of(result.outputs).is_cut:
            return f"cell {result.cell} shows more than can be saved"
        outputs = saved_results.as_saved(result.outputs, cell.count)
        source = edits[result.cell].source if result.cell in edits else None
        edits[result.cell] = CellEdit(source, outputs, cell.count)
    final = edited(text, edits).encode("utf-8")
    proved = after if final == tried else fix_order.examined(path, config, final)
    if proved is None:
        return "then it does not run"
    reason = _unproved(before.findings, proved.findings, remedy.code)
    return reason or (edits, final, proved)


def _unproved(before: Iterable[Finding], after: Iterable[Finding], code: str) -> str:
    """Return why a page is no better than it was, "" where it is."""
    old, new = (Counter(f.code for f in each) for each in (before, after))
    if more := sorted(new - old):
        return f"then {', '.join(more)} would be found"
    return "" if new[code] < old[code] else "the leak would still be there"
