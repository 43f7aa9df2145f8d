"""Cells that tell on which line something stands, when a comment has moved it."""

from __future__ import annotations

from pathlib import Path

import pytest

from resume.shown_pages import shown

LOGS = """
import logging, sys
logging.basicConfig(level=20, stream=sys.stdout, format="%(lineno)d %(message)s", force=True)
"""
DEFINED = {
    "frame": "import inspect\ndef told():\n    print(inspect.currentframe().f_lineno)",
    "log": "def told():\n    logging.info('few')",
    "warning": """
import warnings
def told():
    with warnings.catch_warnings(record=True) as found:
        warnings.warn("few")
    print(*str(found[0]).split(", ")[3:])
""",
    "traceback": """
import traceback
def told():
    try:
        1 / 0
    except ZeroDivisionError:
        print(traceback.format_exc().rpartition(", in")[0].rpartition(",")[2])
""",
}


@pytest.mark.corpus
@pytest.mark.kernel
@pytest.mark.parametrize("kind", DEFINED)
def test_the_line_of_a_function(own_store: Path, kind: str) -> None:
    path, defined = own_store / "nb.ipynb", DEFINED[kind]
    shown(path, LOGS, defined, "told()", resumed=True)
    cells = LOGS, f"# why\n{defined}", "told()"
    assert shown(path, *cells, resumed=True) == shown(path, *cells, resumed=False)
