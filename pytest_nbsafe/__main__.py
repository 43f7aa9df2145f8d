"""`python -m pytest_nbsafe` is the command `nbsafe`.

Python puts the working folder first on `sys.path` for `-m`. Nothing is imported from there: it is
taken away before the first import. (What Python itself imports before a module begins, `runpy`
and what that needs, only `python -P -m pytest_nbsafe` or the command `nbsafe` keep out.)
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
    from pytest_nbsafe.cli import main

    sys.exit(main())
