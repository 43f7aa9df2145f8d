"""The text of outputs, and their pictures, as far as they show which values a run had.

What lineage suspects is settled by text, and where there is none by pictures; both are compared as
`comparison` compares them. Standard error is left out: warnings come and go with versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.outputs import chance_text, part_changes, pictures, tokens
from pytest_nbsafe.trace.outputs.difference import Change, Mode
from pytest_nbsafe.values import dataclass

_WRITTEN = ("text/markdown", "text/latex")
_SETTINGS = patterns.compile(r"[A-Z]\w*\((?:\w+=[^=]+,\s+){4,}\w+=")


@dataclass(frozen=True, slots=True)
class TextComparison:
    """How two outputs compare, and the first line of each that differs."""

    result: Literal["same", "differs", "nothing-to-compare"]
    saved: str = ""
    new: str = ""


def text_lines(outputs: Iterable[Output]) -> tuple[str, ...]:
    """Return the lines of text that a reader would compare, made equal where chance differs."""
    return tuple(
        line
        for chunk in _chunks(outputs)
        if not chance_text.is_picture(chunk)
        for line in chance_text.lines(chunk)
    )


def compare(saved: Sequence[Output], new: Sequence[Output]) -> TextComparison:
    """Return how a cell's saved outputs compare with new ones, as text.

    A cell whose saved outputs hold no text has nothing to compare: its outputs may have been
    cleared, or are pictures.
    """
    before, after = text_lines(saved), text_lines(new)
    if not before:
        return TextComparison("nothing-to-compare")
    changes: Sequence[Change] = part_changes.of_lines(before, after, tokens.same)
    if not changes:
        return TextComparison("same")
    return TextComparison("differs", *(part.text if part else "" for part in changes[0]))


def reproduces(new: Sequence[Output], saved: Sequence[Output]) -> bool:
    """Return whether new outputs hold the saved text, and there is any."""
    return compare(saved, new).result == "same"


def is_of_other_library(saved: Iterable[Output], new: Iterable[Output]) -> bool:
    """Return whether both show one object, the saved text with all its settings at length.

    So scikit-learn did before 0.23; what else it gives has changed since, too.
    """
    return any(
        _SETTINGS.match(before.text) is not None
        and _SETTINGS.match(after.text) is None
        and after.text.startswith(f"{before.text.partition('(')[0]}(")
        for before, after in zip(saved, new, strict=False)
    )


def has_pictures(outputs: Iterable[Output]) -> bool:
    """Return whether any picture is among outputs."""
    return bool(_pictures(outputs))


def draws_alike(saved: Iterable[Output], new: Iterable[Output], mode: Mode = "lenient") -> bool:
    """Return whether both show the same pictures in the same order.

    Those that cannot be looked into, or that different versions drew, are the same byte for byte
    or not at all.
    """
    before, after = _pictures(saved), _pictures(new)
    return [kind for kind, _ in before] == [kind for kind, _ in after] and all(
        content == other
        or (kind in pictures.KINDS and pictures.compared(content, other, mode).same is True)
        for (kind, content), (_, other) in zip(before, after, strict=True)
    )


def _pictures(outputs: Iterable[Output]) -> list[tuple[str, object]]:
    return [
        (kind, content.strip() if isinstance(content, str) else content)
        for output in outputs
        for kind, content in sorted(output.data.items())
        if kind.startswith("image/")
    ]


def _chunks(outputs: Iterable[Output]) -> Iterable[str]:
    """Yield the texts of outputs; the pieces of one stream are joined."""
    stream: list[str] = []
    for output in outputs:
        if output.kind == "stream":
            if output.name == "stdout":
                stream.append(output.text)
            continue
        if stream:
            yield "".join(stream)
            stream = []
        yield f"{output.ename}: {output.evalue}" if output.kind == "error" else _own_text(output)
    if stream:
        yield "".join(stream)


def _own_text(output: Output) -> str:
    """Return the text of a display; of one that is named alone, what a reader sees in its place.

    `<IPython.core.display.Markdown object>` is the same, whatever stands in it, and so says nothing
    where there is more to see.
    """
    if not output.data or (output.text and not chance_text.is_nameless(output.text)):
        return output.text
    html = text_of_html(output)
    if html is not None:
        return html
    written = (output.data.get(kind) for kind in _WRITTEN)
    return next((text for text in written if isinstance(text, str)), "")


def has_html(output: Output) -> bool:
    """Return whether an output is shown as HTML."""
    return isinstance(output.data.get("text/html"), str)


def text_of_html(output: Output) -> str | None:
    """Return what a reader sees of the HTML of an output, None where it has none."""
    from pytest_nbsafe.trace.outputs import html_reader

    return html_reader.as_text(output.data["text/html"]) if has_html(output) else None
