"""Whatever a cell holds, the rules of habits (NBS405 to NBS408) point at a place that is there."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from rulecase import facts_of

from pytest_nbsafe.config import Config
from pytest_nbsafe.project import Project
from pytest_nbsafe.rules import evaluate
from pytest_nbsafe.values import replace

HABITS = Config(select=("NBS405", "NBS406", "NBS407", "NBS408"))
PROJECT = Project(frozenset({"a"}), frozenset(), (Path("requirements.txt"),))
PIECES = (
    "import random\n",
    "from numpy.random import *\n",
    "import shap as s, é\n",
    "x = rand(3)\n",
    "random.random()",
    "def f(a='/home/ana/x'):\n    ",
    "lambda: ",
    "open(f'/home/ana/{x}')\n",
    "r'C:\\x'",
    "os.system('pip install x')\n",
    "!pip install a 'b>=1' \\\n  c\n",
    "%pip install -q\n",
    "%cd ~/x /home/ana\n",
    "%%bash\n",
    "%time ",
    "é = '''",
    '"',
    "(",
    ")",
    "\\\n",
    "\n",
    "\r\n",
    "    ",
    "#",
    "=",
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), max_size=4))
def test_places_are_in_the_cell(cells: list[str]) -> None:
    text = "import os, random\nfrom pathlib import Path"
    facts = facts_of("".join(f"# %%\n{cell}\n" for cell in (text, *cells)))
    facts = replace(facts, config=HABITS, project=PROJECT)
    for found in evaluate(facts):
        where = found.location
        lines = facts.notebook.cell(where.cell).source.split("\n")
        end = (where.end_line or where.line, where.end_column or where.column + 1)
        assert 1 <= where.line <= end[0] <= len(lines)
        # What stands in a magic that goes on over lines is told at the end of its first line.
        assert 1 <= where.column <= len(lines[where.line - 1]) + 1
        assert (where.line, where.column) < end
        assert end[1] <= len(lines[end[0] - 1]) + 2
