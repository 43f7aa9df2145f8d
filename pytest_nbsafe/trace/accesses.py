"""Which parts of names a run was seen to read and change, where it was followed below the names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis.parts import WHOLE, Part, Parts
from pytest_nbsafe.values import dataclass, field

if TYPE_CHECKING:
    from pytest_nbsafe.kernel.contract import Access


@dataclass(frozen=True, slots=True)
class Touched:
    """The parts of names that one run read and changed, by name and by the line of the statement.

    Line 0 stands for the whole run. `values` are the fingerprints of parts that the run read as it
    found them. `others` are names that held something else, when it ran, than in the run of the
    plan that it stands for. A name that is missing was not seen.
    """

    read: Mapping[tuple[str, int], Parts] = field(default_factory=dict)
    changed: Mapping[tuple[str, int], Parts] = field(default_factory=dict)
    values: Mapping[tuple[str, Part], str] = field(default_factory=dict)
    others: frozenset[str] = frozenset()

    def stands_for(self, name: str) -> bool:
        """Return whether the plan's run reads the same parts of a name that holds another value.

        It does if nothing else is another: what the run reads before it comes to a part that
        differs is the same, and so is what it does.
        """
        return self.others <= {name}


def touched(accesses: Iterable[Access]) -> Touched:
    """Return what a kernel has told of one run."""
    read: dict[tuple[str, int], set[Part]] = {}
    changed: dict[tuple[str, int], set[Part]] = {}
    values: dict[tuple[str, Part], str] = {}
    for access in accesses:
        name, part = access["name"], tuple(access["path"])
        found = changed if access["changed"] else read
        for line in {access["line"], 0}:
            found.setdefault((name, line), set()).add(part)
        if access["hash"] and not access["changed"]:
            values[name, part] = access["hash"]
    return Touched(
        {key: frozenset(parts) for key, parts in read.items()},
        {key: frozenset(parts) for key, parts in changed.items()},
        values,
    )


def told(parts: Parts | None) -> bool:
    """Return whether parts say more than that the whole of a name may be meant."""
    return bool(parts) and () not in (parts or WHOLE)
