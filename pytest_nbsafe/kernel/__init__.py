"""The island: source that is shipped into the user's kernel as the package `_nbsafe`.

The host imports `contract` alone. A kernel runs `bootstrap`, whose `tracer` follows the runs; the
host asks `aside` to run cells on the side, and `kernel_state` what the kernel holds. A room imports
from those named before it: `functions`, `hashing`, `tracing`, `learning`, `parts`, `aside`. None
names a library: what is known of one stands in `adapters`.
"""
