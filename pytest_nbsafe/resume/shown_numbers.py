"""Numbers of libraries in what a run has shown, as they would be now.

scikit-learn numbers the estimators that it shows for as long as Python runs: where another one is
shown above, `sk-container-id-3` becomes `sk-container-id-4` in what is shown below.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pytest_nbsafe import patterns
from pytest_nbsafe.kernel.contract import CellRun, Inputs
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.resume.positions import PlaceUnknown
from pytest_nbsafe.runner.executed import Executed, inputs_of
from pytest_nbsafe.values import replace

_MAKES_PAGES = patterns.compile(r"html|mimebundle")
"""Texts that may keep in a value what would be shown."""


def shown_so_far(past: Sequence[PastRun]) -> Mapping[str, int]:
    """Return the last number that each counter has given in these runs, by its word."""
    return {word: last for run in past for word, (_, last) in _told(run.executed).items()}


def begins_anew(event: CellRun | None, past: Sequence[PastRun]) -> bool:
    """Return whether a run has counted on from other numbers than these runs have come to."""
    inputs = inputs_of(event)
    told, so_far = inputs["numbers"] if inputs is not None else {}, shown_so_far(past)
    return any(first != so_far.get(word, 0) for word, (first, _) in told.items())


def renumbered(executed: Executed, so_far: Mapping[str, int], texts: Collection[str]) -> Executed:
    """Return a run as it would be after these numbers; `texts` are those that it ran.

    Raises:
        PlaceUnknown: it has used numbers that it did not show, or may hold them in a value.

    """
    told = _told(executed)
    shifts = {word: so_far.get(word, 0) - first for word, (first, _) in told.items()}
    event = executed.event
    if not any(shifts.values()) or event is None or event["inputs"] is None:
        return executed
    if any(map(_MAKES_PAGES.search, texts)):
        raise PlaceUnknown
    outputs, numbers = executed.outputs, dict(told)
    for word, shift in shifts.items():
        first, last = told[word]
        form = re.compile(rf"\b{re.escape(word)}-(\d+)\b")
        if _shown(outputs, form) != {*range(first + 1, last + 1)}:
            raise PlaceUnknown
        outputs = tuple(_shifted(output, form, word, shift) for output in outputs)
        numbers[word] = first + shift, last + shift
    inputs: Inputs = {**event["inputs"], "numbers": numbers}
    told_now: CellRun = {**event, "inputs": inputs}
    return replace(executed, event=told_now, outputs=outputs)


def _told(executed: Executed) -> Mapping[str, tuple[int, int]]:
    inputs = executed.inputs
    return inputs["numbers"] if inputs is not None else {}


def _shown(outputs: Collection[Output], form: re.Pattern[str]) -> set[int]:
    texts = [text for each in outputs for text in (each.text, *each.data.values())]
    return {int(n) for text in texts if isinstance(text, str) for n in form.findall(text)}


def _shifted(output: Output, form: re.Pattern[str], word: str, shift: int) -> Output:
    def now(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        return form.sub(lambda found: f"{word}-{int(found[1]) + shift}", text)

    data = {kind: now(content) for kind, content in output.data.items()}
    return replace(output, text=now(output.text), data=data)
