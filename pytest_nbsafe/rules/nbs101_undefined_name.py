"""A name is read here that no cell defines, or that a cell above has deleted.

Why it matters: the kernel still held the name when the cell was run, from a cell that has
since been edited or deleted, or before `del` was run. The notebook shows a result that its own
code cannot give, and fails as soon as it is run afresh.

Limits: below a star import, `%run` or `exec` any name may exist, so only a run can tell;
a name that is read in a branch or in a function's body is a warning until a run shows it, and
one that the cell may have bound itself, in a loop or an `if`, is told only after a run.
Where a cell was saved with just this NameError, NBS409 tells of that; one that is tagged
`raises-exception` is meant so.

Source: Macke et al. 2021, section 6.6 (the Wiener process); Koop 2021, section 4.1 (unbound names).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge.missing_names import Missing, missing
from pytest_nbsafe.keys import PLATFORMS
from pytest_nbsafe.notebook.model import Cell, saved_error
from pytest_nbsafe.rules.base import Claim, Facts, Mark, claim
from pytest_nbsafe.rules.wording import names

_ALIKE = 0.8
_MOST_COMPARED = 40

BAD = """\
# %% [2]
weights = [0.2, 0.3, 0.5]
# %% [4]
print(sum(weight)) #! NBS101
"""
GOOD = """\
# %% [1]
weights = [0.2, 0.3, 0.5]
# %% [2]
print(sum(weights))
#> 1.0
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell that reads a name which is defined nowhere.

    What may be missing joins what surely is: where one name of a cell is gone, the functions
    that the cell calls with it are seldom another fault.
    """
    items = missing(facts.graph, facts.trial.clean, facts.config.given_names)
    nowhere = [item for item in items if not item.is_first_defined_later]
    sure: dict[int, str] = {}
    for item in nowhere:
        if item.verdict != "suspected":
            sure.setdefault(item.cell, item.name)
    alike = _defined_alike(facts, [item.name for item in nowhere if not item.deleted_by])
    for item in nowhere:
        joins = sure.get(item.cell) if item.verdict == "suspected" else None
        yield _claim(facts, item, joins or item.name, alike.get(item.name, {}))


def _claim(facts: Facts, item: Missing, fault: str, near: dict[str, int]) -> Claim:
    reads = "may also read" if item.verdict == "suspected" else "also reads"
    return claim(
        facts,
        "NBS101",
        item.cell,
        item.span,
        item.verdict,
        _message(item, near),
        steps=_steps(facts, item, near),
        remedy=_remedy(item, near),
        explains=_marks(item),
        fault=("NBS101", fault),
        also=f"{reads} `{item.name}`, which {_why(item)}",
    )


def _marks(item: Missing) -> frozenset[Mark]:
    """Return what this accounts for: the failure, and what the cell read from below instead."""
    marks: set[Mark] = set()
    if item.later and item.verdict != "suspected":
        marks.add(("stale", item.cell, 0))
    if item.verdict == "observed":
        marks.add(("raise", item.cell, 0))
    return frozenset(marks)


def _message(item: Missing, near: dict[str, int]) -> str:
    verb = "may be read" if item.verdict == "suspected" else "is read"
    text = f"`{item.name}` {verb} here, but {_why(item)} it"
    if near:
        hints = (f"cell {cell} defines `{other}`" for other, cell in near.items())
        text += f" ({', '.join(hints)})"
    return text


def _why(item: Missing) -> str:
    return f"cell {item.deleted_by} deletes" if item.deleted_by else "no cell defines"


def _steps(facts: Facts, item: Missing, near: dict[str, int]) -> Iterator[Step]:
    if item.deleted_by:
        yield Step(item.deleted_by, _line_of_deletion(facts, item), f"deletes `{item.name}`")
    for other, cell in near.items():
        defines = f"defines `{other}`, which is spelled almost like `{item.name}`"
        yield Step(cell, facts.line_of(cell, other), defines)
    page = facts.notebook.cell(item.cell)
    reads = f"reads `{item.name}`{' ' + item.via if item.via else ''}"
    if item.verdict == "observed":
        yield Step(item.cell, item.span.line, f"{reads} and raises NameError in a clean run")
    elif _was_read(page, item):
        then = f"when it ran as [{page.count}], a cell since edited or deleted still defined it"
        yield Step(item.cell, item.span.line, f"{reads}; {then}")
    else:
        yield Step(item.cell, item.span.line, reads)


def _was_read(page: Cell, item: Missing) -> bool:
    """Return whether the cell read the name for sure when the page was saved."""
    ran = page.count is not None and saved_error(page) is None
    return ran and item.verdict == "proved" and not item.deleted_by


def _line_of_deletion(facts: Facts, item: Missing) -> int:
    definitions = facts.graph.cells[item.deleted_by].definitions
    lines = (d.span.line for d in definitions if d.name == item.name and d.kind == "delete")
    return max(lines, default=1)


def _remedy(item: Missing, near: dict[str, int]) -> str:
    if item.deleted_by:
        return f"delete `{item.name}` only after this cell, or make it again before"
    back = f"bring back the code that made `{item.name}`"
    brought_by = [name for name, brings in PLATFORMS.items() if item.name in brings]
    if brought_by and item.verdict == "suspected":
        return f'set `platform = "{brought_by[0]}"` where its kernel brings the name, or {back}'
    return f"read {names(near)} if it was renamed, or {back}" if near else back


def _defined_alike(facts: Facts, missing_names: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return the nearest names that cells define, two at most, each with its first definer.

    Where very many are missing it is no matter of spelling: to compare each with all that is
    defined would take longer than all else.
    """
    missing_names = list(dict.fromkeys(missing_names))[:_MOST_COMPARED]
    known: dict[str, int] = {}
    for number in sorted(facts.graph.cells) if missing_names else ():
        for other in sorted(facts.graph.cells[number].defines):
            known.setdefault(other, number)
    folded: dict[str, list[str]] = {}
    for other in known:
        folded.setdefault(_folded(other), []).append(other)
    return {
        name: {other: known[other] for other in _nearest(name, known, folded)}
        for name in missing_names
    }


def _nearest(
    name: str, known: Iterable[str], folded: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the two names most like a name, first those that differ in case and underscores."""
    import difflib

    others = [other for other in known if other != name]
    same = [other for other in folded.get(_folded(name), ()) if other != name]
    close = difflib.get_close_matches(name, others, n=2, cutoff=_ALIKE) if len(name) > 2 else []
    return tuple(dict.fromkeys([*same, *close]))[:2]


def _folded(name: str) -> str:
    return name.replace("_", "").casefold()
