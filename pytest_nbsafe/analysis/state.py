"""State that no name holds: files, random sources, what cells set in modules.

It passes from cell to cell like a name and is followed like one. Its symbol is no identifier, so
that no name is taken for it: `'data.csv'`, `numpy's random state`, `os.environ['HOME']`.

Source: Macke et al. 2021, Table 1, which knows names only.
"""

from __future__ import annotations

from typing import Literal

from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.values import dataclass

What = Literal["read", "set", "change", "draw"]


@dataclass(frozen=True, slots=True)
class StateUse:
    """How a statement uses a state: reads it, sets it again, changes it, or draws from it.

    `function` is the outermost function that the statement stands in, "" at the cell's own level.
    `holder` is the name that a file is open under from there on.
    """

    symbol: str
    span: Span
    what: What
    function: str = ""
    holder: str = ""


def is_state(symbol: str) -> bool:
    """Return whether a symbol stands for a state that no name holds."""
    return not symbol.isidentifier()


def is_random(symbol: str) -> bool:
    """Return whether a state is that of a random source, which is named in words."""
    return not outlives_kernel(symbol) and " " in symbol.partition("[")[0]


def outlives_kernel(symbol: str) -> bool:
    """Return whether a state may be there from before the session: a file, unlike a setting."""
    return symbol[0] in "'\""
