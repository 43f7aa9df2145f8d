"""gmpy2: numbers of many digits."""

from __future__ import annotations

CONSTANTS = frozenset({"mpz", "mpq", "mpfr", "mpc"})
