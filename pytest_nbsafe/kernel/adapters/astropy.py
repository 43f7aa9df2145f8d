"""astropy: coordinates, which keep what they have worked out."""

from __future__ import annotations

CACHES = frozenset({"cache", "_cache"})
