"""catboost: models, and what they learn from."""

from __future__ import annotations

OWNERS = frozenset({"_CatBoost", "Pool", "_PoolBase"})
