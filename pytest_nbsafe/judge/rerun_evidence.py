"""What cells make when they run on the side, and how that differs from what they made before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_nbsafe.judge.trial import Rerun
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.outputs.text_alone import compare, draws_alike, text_lines
from pytest_nbsafe.trace.results import CellResult, Comparison, compared
from pytest_nbsafe.trace.side_runs import Aspects
from pytest_nbsafe.values import dataclass, field

_MOST = 3
_WIDTH = 60


@dataclass(frozen=True, slots=True)
class DescribedRun:
    """What one run of a cell made, with a description of the names' values where there is one.

    With `strict` a value counts as another only where its description is: so where the two runs
    were not made alike, and a long sum may end in another last digit.
    """

    result: CellResult
    aspects: Mapping[str, Aspects] = field(default_factory=dict)
    strict: bool = False


def rerun(
    cell: int,
    after: tuple[int, ...],
    old: DescribedRun,
    new: DescribedRun,
    control: CellResult | None = None,
) -> Rerun:
    """Return how what a cell makes when it runs again compares with what it made before.

    What differs from the `control`, the same run with other random numbers, is chance.
    """
    kept = sorted(old.result.kept | new.result.kept)
    answers = {name: _compared(name, old, new, control) for name in kept}
    shown = compare(old.result.outputs, new.result.outputs)
    output = _output(old.result, new.result, control)
    before, now = _raised(old.result), _raised(new.result)
    differing = [name for name, answer in answers.items() if answer == "differs"]
    differences = _of_names(differing, old, new)
    if before != now:
        differences.insert(0, f"{before or 'no exception'} -> {now or 'no exception'}")
    if output == "differs" and shown.result == "differs":
        differences.append(f"shows {_quoted(shown.saved)} -> {_quoted(shown.new)}")
    elif output == "differs":
        differences.append("shows a different picture")
    return Rerun(
        cell,
        after,
        _overall(answers, output, raised=before != now),
        output=output,
        differences=tuple(differences[:_MOST]),
        old=shown.saved,
        new=shown.new,
    )


def difference(name: str, old: Aspects, new: Aspects) -> str:
    """Return how two values differ, by the first aspect that does: "`x` shape (2, 3) -> (2, 2)"."""
    for aspect, was in old.items():
        now = new.get(aspect, was)
        if _lines(now) != _lines(was):
            word = "" if aspect == "value" else f" {aspect}"
            return f"`{name}`{word} {was} -> {now}"
    return ""


# ------------------------------------------------------------------ names, output, end


def _compared(
    name: str, old: DescribedRun, new: DescribedRun, control: CellResult | None
) -> Comparison:
    """Return how the values of a name that either run made compare."""
    repeated = control.after if control is not None else None
    answer = compared(name, old.result.after, new.result.after, repeated)
    if answer == "gone":
        return "differs"
    aspects = old.aspects.get(name, {}), new.aspects.get(name, {})
    unclear = answer == "differs" and old.strict and not difference(name, *aspects)
    return "nothing-to-compare" if unclear else answer


def _output(old: CellResult, new: CellResult, control: CellResult | None) -> Comparison:
    """Return how what the runs show compares: as text, and picture by picture."""
    answer: Comparison = compare(old.outputs, new.outputs).result
    if answer != "differs" and not draws_alike(old.outputs, new.outputs, "exact"):
        answer = "differs"
    if answer != "differs" or control is None:
        return answer
    changes = compare(new.outputs, control.outputs).result == "differs"
    redrawn = not draws_alike(new.outputs, control.outputs, "exact")
    return "nondeterministic" if changes or redrawn else "differs"


def _overall(names: Mapping[str, Comparison], output: Comparison, *, raised: bool) -> Comparison:
    """Return "same" only where nothing that can be seen differs, and all of it can be seen."""
    answers = {*names.values(), output} if output != "nothing-to-compare" else {*names.values()}
    if raised:
        return "differs"
    order: tuple[Comparison, ...] = ("differs", "nondeterministic", "nothing-to-compare")
    return next((answer for answer in order if answer in answers), "same")


def _of_names(differing: Iterable[str], old: DescribedRun, new: DescribedRun) -> list[str]:
    """Return what to say of the names that differ, those first of which something is known."""
    differences = {
        name: difference(name, old.aspects.get(name, {}), new.aspects.get(name, {}))
        for name in differing
    }
    known = [text for text in differences.values() if text]
    return known + [
        f"`{name}` holds a different value" for name, text in differences.items() if not text
    ]


def _raised(result: CellResult) -> str:
    failure = result.failure
    return _cut(f"{failure.ename}: {failure.evalue}") if failure is not None else ""


def _lines(text: str) -> tuple[str, ...]:
    """Return a description as outputs are compared: numbers to eight digits."""
    return text_lines([Output("stream", name="stdout", text=text)])


def _quoted(line: str) -> str:
    return f'"{_cut(line)}"' if line.strip() else "nothing"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
