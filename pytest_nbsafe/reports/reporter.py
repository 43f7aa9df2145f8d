"""What a format is: it turns a report into a document."""

from __future__ import annotations

from typing import Protocol, TypeVar

Reported_contra = TypeVar("Reported_contra", contravariant=True)


class Reporter(Protocol[Reported_contra]):
    """A format of one kind of report."""

    def __call__(self, report: Reported_contra, /, *, colour: bool = False) -> str:
        """Return the report in this format; `colour` where the format knows any."""
