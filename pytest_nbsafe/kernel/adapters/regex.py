"""regex: patterns and what they have matched."""

from __future__ import annotations

CONSTANTS = frozenset({"Pattern", "Match"})
