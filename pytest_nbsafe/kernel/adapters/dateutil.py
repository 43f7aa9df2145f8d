"""dateutil: rules for days, which keep how many there are once all were gone through."""

from __future__ import annotations

CACHES = frozenset({"_len"})
