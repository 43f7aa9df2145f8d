"""What a reader finds below a cell: printed text, displays, an error; each display in its forms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.outputs import chance_text
from pytest_nbsafe.values import dataclass

CUT_NOTE = "[nbsafe: "
"""How the note begins that stands on standard error where a run showed more than is kept."""
_VERSION = patterns.compile(r"\.v\d+(?=\+)|\.v\d+\.json$")
_WIDGETS = "application/vnd.jupyter.widget"
Reading = Literal["data", "html", "drawing", "picture", "text", "code"]
"""How a form of a display is read, the richest first."""
_READ_AS: dict[str, Reading] = {
    "text/html": "html",
    "image/svg+xml": "drawing",
    "image/png": "picture",
    "image/jpeg": "picture",
    "image/gif": "picture",
    "text/latex": "text",
    "text/markdown": "text",
    "application/json": "data",
    "application/javascript": "code",
    "text/plain": "text",
}
_RICHEST = tuple(_READ_AS)


@dataclass(frozen=True, slots=True)
class Shown:
    """The outputs of a cell by what they are; text of one stream is joined, however it was sent.

    `is_cut` where the run showed more than was kept.
    """

    printed: str
    warned: str
    displays: tuple[Output, ...]
    errors: tuple[Output, ...]
    is_cut: bool


def of(outputs: Iterable[Output]) -> Shown:
    """Return what is shown; what only stands for a picture, and widgets, say nothing."""
    streams: dict[str, list[str]] = {"stdout": [], "stderr": []}
    displays, errors = [], []
    is_broken = is_cut = False
    for output in outputs:
        if output.kind == "stream":
            is_cut = is_cut or output.text.startswith(CUT_NOTE)
            pieces = streams.setdefault(output.name, [])
            if is_broken and pieces and not pieces[-1].endswith("\n"):
                pieces.append("\n")
            pieces.append(output.text)
            is_broken = False
        elif output.kind == "error":
            errors.append(output)
        else:
            is_broken = True
            if says_something(output):
                displays.append(output)
    printed, warned = ("".join(streams[name]) for name in ("stdout", "stderr"))
    return Shown(printed, warned, tuple(displays), tuple(errors), is_cut)


def says_something(output: Output) -> bool:
    """Return whether a display has a form that is compared."""
    kinds = [kind for kind, content in output.data.items() if content not in ("", None)]
    if any(kind.startswith(_WIDGETS) for kind in kinds):
        return False
    return bool(kinds) or not (
        chance_text.is_picture(output.text) or not chance_text.lines(output.text)
    )


def forms(output: Output) -> dict[str, object]:
    """Return the forms of a display by their kind, without the version of a kind."""
    kinds: dict[str, object] = {_VERSION.sub("", kind): c for kind, c in output.data.items()}
    if output.text and not (kinds and chance_text.is_nameless(output.text)):
        kinds["text/plain"] = output.text
    return kinds


def richest(kinds: Sequence[str]) -> str:
    """Return the kind that shows most: a figure's own data, HTML, a picture, at last plain text."""
    own = sorted(kind for kind in kinds if kind not in _READ_AS)
    return own[0] if own else min(kinds, key=_RICHEST.index)


def read_as(kind: str) -> Reading:
    """Return how a form of this kind is read."""
    own: Reading = "data" if kind.endswith(("json", "JSON")) else "code"
    return _READ_AS.get(kind, own)
