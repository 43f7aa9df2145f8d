"""What tells the kernels of one notebook apart, so that agreement between them is no chance."""

from __future__ import annotations

import os
from collections.abc import Mapping

_THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"),
)
"""How libraries are told how many threads to use."""
_HASH_SEED = "PYTHONHASHSEED"


def environ(kernel: int, *, is_repeat: bool) -> Mapping[str, str]:
    """Return variables for a notebook's kernel of this number, from 0 on.

    Each kernel has sets come in another order, the same ones tomorrow: two checks of one notebook
    find the same. A repeated run has one thread for each library, too. The hash seed of a user
    stands, but not in a repeated run.
    """
    own = os.environ.get(_HASH_SEED)
    if own is None:
        seed = {_HASH_SEED: str(kernel + 1)}
    elif is_repeat:
        seed = {_HASH_SEED: "2" if own == "1" else "1"}
    else:
        seed = {}
    return seed | dict.fromkeys(_THREADS if is_repeat else (), "1")
