"""`python -m pytest_nbsafe` is the command `nbsafe`."""

from __future__ import annotations

import sys

from pytest_nbsafe.cli import main

if __name__ == "__main__":
    sys.exit(main())
