"""Leaks as claims: what was found in each order of cells, and the words that tell it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.findings import Step
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.values import replace

_RAN = ", in the order in which the cells ran"
_PAGE = ", when the cells run from top to bottom"


def in_orders(
    analyse: Callable[[Sequence[int]], tuple[Leak, ...]],
    plan: Plan,
    page: Plan,
    *,
    notes: bool = True,
) -> tuple[tuple[Leak, str], ...]:
    """Return the leaks of a plan and of the page's own order, each with the words for its order.

    A leak counts in the order that was run. Where some runs of that are inferred, one that no other
    order has is a suspicion, for the order may be wrong. So is one that only the page's order has,
    told as a note: the saved scores do not come from it, and a run from top to bottom shows it.
    Without `notes` it is not looked for.
    """
    if plan.cells == page.cells:
        return tuple((leak, "") for leak in analyse(page.cells))
    ran = {_key(leak): leak for leak in analyse(plan.cells)}
    below = {_key(leak): leak for leak in analyse(page.cells)} if ran or notes else {}
    sure = all(run.recorded for run in plan.runs)
    as_ran = [
        (leak, "") if key in below else (replace(leak, certain=leak.certain and sure), _RAN)
        for key, leak in ran.items()
    ]
    rest = [leak for key, leak in below.items() if key not in ran]
    return (*as_ran, *((replace(leak, certain=False), _PAGE) for leak in rest))


def _key(leak: Leak) -> tuple[str, int, int]:
    return leak.code, leak.cell, leak.span.line


def claims(facts: Facts, code: str, says: str, remedy: str) -> Iterator[Claim]:
    """Yield a claim for each leak of this code, with what it adds to another's path.

    `says` and `remedy` are texts of its rule; see `filled`.
    """
    for leak, order in facts.leaks():
        if leak.code != code:
            continue
        message = filled(says, leak) + order
        yield claim(
            facts,
            code,
            leak.cell,
            leak.span,
            leak.verdict or ("proved" if leak.certain else "suspected"),
            message,
            steps=(Step(*step) for step in leak.steps),
            remedy=filled(remedy, leak),
            severity="note" if order == _PAGE else None,
            fault=_fault(leak),
            also=message,
        )


def _fault(leak: Leak) -> tuple[str, int, int]:
    """Return what leaks have in common that are mended together: preparing rows in one cell."""
    if leak.code.startswith("NBS30"):
        return "NBS30", leak.cell, 0
    return leak.code, leak.cell, 0 if leak.code == "NBS311" else leak.span.line


# -- words for the messages ------------------------------------------------------------------------


_VERBS = patterns.compile(r"\[([^\[\]|]+)\|([^\[\]|]+)\]")
_WORDS = patterns.compile(r"\{([^{|}]+)(?:\|([^{|}]*))?\}")


def filled(text: str, leak: Leak) -> str:
    """Return the text of a rule for one leak.

    `[goes|may go]` is a verb for a leak that is certain, and one for a leak that is not. `{what}`
    is what learned or was used, `{what|the target}` says what stands there where it has no name;
    `{(rows)}` is a name in brackets, nothing where there is none.
    """
    # a class is fitted, a function learns
    learns = "[is fitted on|may be fitted on]" if leak.what[:1].isupper() else _LEARNS
    names = {"what": leak.what, "rows": leak.rows, "test": leak.test}
    words = {
        "what": leak.what and named(leak.what),
        "plain what": leak.what,
        "pipeline": pipeline(leak),
        **{f"({key})": f" (`{name}`)" if name else "" for key, name in names.items()},
    }
    text = text.replace("{learns}", learns)
    text = _VERBS.sub(lambda verbs: verbs[1 if leak.certain else 2], text)
    return _WORDS.sub(lambda word: words[word[1]] or word[2] or "", text)


_LEARNS = "[learns from|may learn from]"


def named(name: str) -> str:
    """Return a name of the code in its marks, and words as they are."""
    return name if " " in name else f"`{name}`"


def pipeline(leak: Leak) -> str:
    """Return the pipeline that does it right, as code.

    What cross-validates by itself belongs around a pipeline, not in it.
    """
    names = leak.what, leak.model
    are_classes = all(name.isidentifier() and name[0].isupper() for name in names)
    if not are_classes or len({*names}) < len(names) or leak.model.endswith("CV"):
        return "a pipeline"
    return f"`make_pipeline({leak.what}(), {leak.model}())`"
