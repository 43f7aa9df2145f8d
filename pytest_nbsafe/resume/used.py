"""What all that was asked of a kernel hangs on: where nothing of it changes, it comes out again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_nbsafe.values import dataclass, field

if TYPE_CHECKING:
    from pytest_nbsafe.resume.world import Uses

_NONE: Mapping[str, str] = {}


class Used:
    """What the answers of one kernel hang on, beyond the page and what its context stands for.

    `kernel` is its name, `environ` lies over the environment of this process in it. `entries` are
    those of all its answers; the store may not hold each. `is_whole` is false once it has given an
    answer that nobody keeps, `refused` says why it never gives one that is.
    """

    def __init__(self, kernel: str = "", environ: Mapping[str, str] = _NONE) -> None:
        self.kernel = kernel
        self.environ = dict(environ)
        self.is_whole = True
        self.refused = ""
        self._entries: dict[str, None] = {}
        self._uses: dict[str, Uses] = {}

    @property
    def entries(self) -> Sequence[str]:
        """The entries of its answers, each once."""
        return [*self._entries]

    @property
    def uses(self) -> Sequence[Uses]:
        """What they hang on, each once."""
        return [*self._uses.values()]

    def note(self, entry: str, uses: Iterable[Uses]) -> None:
        """Take note of an answer that is, or may be, kept."""
        self._entries[entry] = None
        self._uses.update((json.dumps(each, sort_keys=True), each) for each in uses)

    def note_unkept(self) -> None:
        """Take note of an answer that nobody keeps."""
        self.is_whole = False


@dataclass(frozen=True, slots=True)
class Reuse:
    """What kernels that remember tell of themselves.

    `remarks` are sentences: why nothing is reused, or what came out otherwise. `used` is what the
    answers of each hang on.
    """

    remarks: list[str] = field(default_factory=list)
    used: list[Used] = field(default_factory=list)

    @property
    def told(self) -> Sequence[str]:
        """The remarks, and what each kernel says against reusing anything, once."""
        refused = (f"nothing is reused: {each.refused}" for each in self.used if each.refused)
        return [*self.remarks, *dict.fromkeys(refused)]
