"""Where Jupyter and IPython look for things, asked without making or warning of anything.

Asked themselves, they make a temporary folder each time where IPython's own cannot be written (a
home that is read-only, say), which nobody removes, and warn of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "IPYTHONDIR"


def writable_environ(folder: Path) -> dict[str, str]:
    """Return what a kernel needs to write to `folder` what it cannot write to IPython's own."""
    place = of_ipython()
    nearest = place if os.path.lexists(place) else place.parent
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        return {}
    return {VARIABLE: str(folder / "ipython")}


def of_ipython(environ: Mapping[str, str] = os.environ) -> Path:
    """Return IPython's own folder in an environment, which need not be there."""
    named, home = environ.get(VARIABLE), environ.get("HOME")
    if home and not named:
        return Path(home, ".ipython")
    return Path(os.path.expanduser(named or "~/.ipython"))  # noqa: PTH111  # no home is no error
