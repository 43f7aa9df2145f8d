"""astropy: coordinates and tables, which keep what they have worked out, and what they are in."""

from __future__ import annotations

CACHES = frozenset({"_cache", "_parent_ref", "_parent_table", "cache"})
