"""The notebook is too much to be analysed whole: something was not looked at, or not to its end.

Why it matters: a check must end, whatever it is given, so each notebook has a budget of work. Past
it nothing is guessed: what was found until then holds, but what was cut short may hide a fault.

Limits: the budget is counted in steps, so that it ends at the same place on every machine. People
do not write notebooks that need it all; programs do.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.codes import CODES
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.rules.base import Facts, claim
from pytest_nbsafe.sentences import listed

BAD = """\
# %% [1]
from sklearn.metrics import accuracy_score #! NBS908
for a in [1, 2, 3, 4, 5, 6, 7, 8]:
    for b in [1, 2, 3, 4, 5, 6, 7, 8]:
        for c in [1, 2, 3, 4, 5, 6, 7, 8]:
            for d in [1, 2, 3, 4, 5, 6, 7, 8]:
                for e in [1, 2, 3, 4, 5, 6, 7, 8]:
                    score = accuracy_score([a, b, c], [d, e, 3])
"""
GOOD = """\
# %% [1]
from sklearn.metrics import accuracy_score
for a in [1, 2, 3, 4, 5, 6, 7, 8]:
    for b in [1, 2, 3, 4, 5, 6, 7, 8]:
        score = accuracy_score([a, b, 3], [1, 2, 3])
"""


def cut_short(facts: Facts) -> Iterator[Finding]:
    """Yield a finding that lists the analyses of a notebook that did not come to their end."""
    remedy = "split the notebook, or move what is long or deeply nested into a module"
    yield claim(facts, "NBS908", 0, 1, "proved", message(facts.graph), remedy=remedy).finding


def message(graph: Graph) -> str:
    """Return the sentence that lists the analyses which did not come to their end."""
    cut = listed([_described(analysis) for analysis in graph.budget.cut])
    return f"this notebook is too much to be analysed whole; cut short: {cut}"


def concerns(facts: Facts, code: str) -> bool:
    """Return whether what a code says of this notebook may be wanting."""
    cut = facts.graph.budget.cut
    return code in cut or any(analysis not in CODES for analysis in cut)


def _described(analysis: str) -> str:
    return f"{analysis} ({CODES[analysis].name})" if analysis in CODES else analysis
