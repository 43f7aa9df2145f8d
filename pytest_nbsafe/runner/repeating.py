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
_APART = 1000


def environ(kernel: int, given: Mapping[str, str], *, is_repeat: bool) -> Mapping[str, str]:
    """Return variables for a notebook's kernel of this number, from 0 on, with those `given`.

    Each kernel has sets come in another order, the same ones tomorrow: two checks of one notebook
    find the same. A repeated run has one thread for each library, too. The hash seed of a user
    (tox and Dask set one) stands in the first kernel alone: the page may have been saved without
    it, and runs that share one agree by chance.
    """
    own = given.get(_HASH_SEED, os.environ.get(_HASH_SEED))
    seed = str(kernel + 1)
    if own is not None and not kernel and not is_repeat:
        seed = own
    elif seed == own:
        seed = str(kernel + 1 + _APART)
    return {**dict.fromkeys(_THREADS if is_repeat else (), "1"), **given, _HASH_SEED: seed}
