"""Misuse of the tool, told in one line with a hint; faults of a notebook are findings instead."""

from __future__ import annotations


class NbsafeError(Exception):
    """The user asked for something that cannot be done.

    `slug` is a stable short name for the kind of misuse, `hint` says what to do instead.
    The command line prints both and exits with 2; the plugin raises them as a usage error.
    """

    def __init__(self, slug: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.slug = slug
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message
