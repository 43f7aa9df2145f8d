"""`nbsafe fix`: remedies carried out, each kept only where it is proved.

What hangs on a run is proved by running (`fix_order`). What stands in the text is proved by a
check: such a remedy must take a finding away and add none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe import files, suffixes
from pytest_nbsafe.app import fix_leaks, fix_order, session
from pytest_nbsafe.app.discovery import Which, notebooks_in
from pytest_nbsafe.app.fix_order import Mended
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.app.whole_files import put
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.fix import (
    cell_diff,
    late_imports,
    pinned_installs,
    relative_paths,
    seeds,
    unused_suppressions,
)
from pytest_nbsafe.fix.notebook_text import edited, is_editable
from pytest_nbsafe.fix.remedy import Patient, Remedy
from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.sentences import many
from pytest_nbsafe.values import dataclass, replace

_STATIC = (
    unused_suppressions.remedies,
    late_imports.remedies,
    pinned_installs.remedies,
    relative_paths.remedies,
    seeds.remedies,
)
_OF_THIS_ENVIRONMENT = frozenset({None, "", "python3"})
"""Names of kernels that are this Python."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """What is mended in a notebook: in words, as lines of a diff, and its new content.

    `refused` says which remedy was tried and why it was not kept, or why the file cannot be read;
    `withheld` how many were not tried, for they change results.
    """

    path: Path
    done: tuple[str, ...] = ()
    diff: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    withheld: int = 0
    content: bytes = b""
    is_read: bool = True


def fix(
    paths: Sequence[Path], settings: Mapping[str, Any], which: Which, *, unsafe: bool = False
) -> Iterator[Fixed]:
    """Yield what can be mended in each notebook; nothing is written.

    With `unsafe` also what changes results, such as a seed, or a scaler that moves below a split.

    Raises:
        NbsafeError: a path or a setting is not understood.

    """
    for path in notebooks_in(paths, settings, which):
        config = replace(configuration(path, settings), baseline=None)
        try:
            fixed = _fixed(path, config, unsafe=unsafe)
        except (load.Unreadable, OSError) as error:
            why = getattr(error, "strerror", None) or error
            fixed = Fixed(path, refused=(f"cannot be read: {why}",), is_read=False)
        yield fixed


def write(fixed: Fixed) -> None:
    """Put the mended content in the place of the file.

    Raises:
        NbsafeError: it cannot be written.

    """
    put(fixed.path, fixed.content)


def summary(pages: Sequence[Fixed], *, written: bool) -> str:
    """Return what was mended in all, or would be, and what `--unsafe` would mend besides."""
    mended = [fixed for fixed in pages if fixed.done]
    edits = sum(len(fixed.done) for fixed in mended)
    done = "made" if written else "to make"
    of_all = many(sum(fixed.is_read for fixed in pages), "notebook")
    says = f"{many(edits, 'edit')} {done}, in {len(mended)} of {of_all}"
    withheld = sum(fixed.withheld for fixed in pages)
    more = f"; {withheld} more with --unsafe, for results change" if withheld else ""
    return (says if edits else f"nothing to mend in {of_all}") + more


def _fixed(path: Path, config: Config, *, unsafe: bool) -> Fixed:
    fixed = Fixed(path, content=files.read_bytes(path, config.most_mb * files.MEGABYTE))
    notebook = _read(fixed, config)
    if (
        suffixes.is_text(str(path))
        or notebook.language != "python"
        or not is_editable(fixed.content)
    ):
        return fixed
    if config.static:
        return _mended_text(fixed, config, unsafe=unsafe)
    by_order = _mended_by_running(fixed, config)
    in_text = _mended_text(
        replace(by_order, refused=()), replace(config, static=True), unsafe=unsafe
    )
    if in_text.done != by_order.done and by_order.refused:
        by_order = _mended_by_running(replace(in_text, refused=()), config)
        in_text = replace(by_order, refused=(*in_text.refused, *by_order.refused))
    else:
        in_text = replace(in_text, refused=(*by_order.refused, *in_text.refused))
    return _without_leaks(in_text, config) if unsafe else in_text


def _mended_by_running(fixed: Fixed, config: Config) -> Fixed:
    mended, refused = fix_order.mended(fixed.path, config, fixed.content)
    if mended is None:
        return replace(fixed, refused=tuple(f"not kept: {says}" for says in refused))
    return _with(fixed, config, mended)


def _without_leaks(fixed: Fixed, config: Config) -> Fixed:
    mended, refused = fix_leaks.mended(fixed.path, config, fixed.content)
    for each in mended:
        fixed = _with(fixed, config, each)
    return replace(fixed, refused=(*fixed.refused, *(f"not kept: {says}" for says in refused)))


def _with(fixed: Fixed, config: Config, mended: Mended) -> Fixed:
    diff = cell_diff.shown(_read(fixed, config), mended.edits, mended.order)
    return replace(
        fixed,
        content=mended.content,
        done=(*fixed.done, *mended.says),
        diff=(*fixed.diff, *diff),
    )


def _read(fixed: Fixed, config: Config) -> Notebook:
    return load.read(fixed.path, config.libraries, config.most_mb, fixed.content)


def _findings(fixed: Fixed, config: Config, content: bytes) -> tuple[Finding, ...]:
    return session.examine(fixed.path, config, content=content).findings


def _more(before: Sequence[Finding], after: Sequence[Finding]) -> list[str]:
    """Return the codes of which there are more than there were."""
    return sorted(Counter(f.code for f in after) - Counter(f.code for f in before))


# -- one remedy after another ---------------------------------------------------------------------


def _mended_text(fixed: Fixed, config: Config, *, unsafe: bool) -> Fixed:
    """Carry out one remedy after another, as long as each takes a finding away and adds none."""
    findings = _findings(fixed, config, fixed.content)
    refused: set[str] = set()
    while remedy := _next_remedy(_patient(fixed, config, findings, unsafe=unsafe), refused):
        content = _applied(fixed.content, remedy)
        after = _findings(fixed, config, content)
        if _more(before=findings, after=after) or len(after) >= len(findings):
            refused.add(remedy.says)
            continue
        says = (f"{remedy.code} {remedy.says}",)
        fixed = _with(fixed, config, Mended(says, remedy.edits, (), content))
        findings = after
    withheld = 0 if unsafe else _unsafe_remedies(fixed, config, findings)
    refusals = tuple(f"not kept: {says}" for says in sorted(refused))
    return replace(fixed, refused=refusals, withheld=withheld)


def _unsafe_remedies(fixed: Fixed, config: Config, findings: Sequence[Finding]) -> int:
    """Return how many remedies there are that change results; the same edit counts once."""
    safe, unsafe = (
        {each.says for kind in _STATIC for each in kind(patient)}
        for patient in (
            _patient(fixed, config, findings, unsafe=False),
            _patient(fixed, config, findings, unsafe=True),
        )
    )
    return len(unsafe - safe) + len({f.patch for f in findings if f.patch})


def _patient(fixed: Fixed, config: Config, findings: Sequence[Finding], *, unsafe: bool) -> Patient:
    notebook = _read(fixed, config)
    runs_here = (config.kernel or notebook.kernel_name) in _OF_THIS_ENVIRONMENT
    return Patient(notebook, findings, runs_here, unsafe)


def _next_remedy(patient: Patient, refused: set[str]) -> Remedy | None:
    remedies = (remedy for kind in _STATIC for remedy in kind(patient))
    return next((remedy for remedy in remedies if remedy.says not in refused), None)


def _applied(content: bytes, remedy: Remedy) -> bytes:
    text = content.decode("utf-8")
    return edited(text, remedy.edits).encode("utf-8")
