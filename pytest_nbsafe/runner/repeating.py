"""Where a run takes place that is to give the same though all else is another."""

from __future__ import annotations

import os
from collections.abc import Mapping

_THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"),
)
"""How libraries are told how many threads to use."""
_HASH_SEED = "PYTHONHASHSEED"


def environ() -> Mapping[str, str]:
    """Return variables for another order of sets, and for one thread for each library."""
    other = "2" if os.environ.get(_HASH_SEED) == "1" else "1"
    return {_HASH_SEED: other, **dict.fromkeys(_THREADS, "1")}
