"""What is raised for a file that is no notebook."""

from __future__ import annotations


class Unreadable(Exception):  # noqa: N818 - it names what the file is, as NBS901 does
    """The file is not a notebook that can be read.

    `line` is the physical line (1-based) where reading stopped, `hint` says what to do.
    """

    def __init__(self, line: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
        self.hint = hint
