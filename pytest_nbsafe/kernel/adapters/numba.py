"""numba: a compiler that reads the bytecode of functions."""

READS_BYTECODE = True
