"""State of Python itself that no name of a notebook shows."""

from __future__ import annotations

from typing import Any

PLACES: dict[str, Any] = {
    "random": lambda module: module.getstate(),
    "decimal": lambda module: repr(module.getcontext()),
    "os": lambda module: sorted(module.environ.items()),
    "locale": lambda module: module.setlocale(module.LC_ALL),
}
"""What tells the state, by the module that holds it."""
