"""NBS332: rows of one group land on both sides of the split."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pytest_nbsafe.rules import leaks
from pytest_nbsafe.rules.base import Claim, Facts, Needs
from pytest_nbsafe.rules.leaks import Leak, of_name, verb


class SplitGroups:
    """Rows of one group (a patient, a user, a device) land on both sides of the split.

    Why it matters: rows of one patient are much alike. A model that recognises the patient needs to
    know nothing of the illness, and it will meet other patients.

    Limits: told where the page names the groups (it counts, aggregates or repeats rows by them, or
    passes them as `groups`) and then splits without them.

    Source: Saeb et al. 2017 (record-wise and subject-wise splits); Kapoor & Narayanan 2023.
    """

    code: ClassVar[str] = "NBS332"
    needs: ClassVar[Needs] = "static"
    bad: ClassVar[str] = """\
# %% [1]
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold, cross_val_score
visits = pd.read_csv("visits.csv")
groups = visits["patient_id"]
# %% [2]
X, y = visits[["pulse", "pressure"]], visits["ill"]
folds = KFold(5, shuffle=True, random_state=0)
# %% [3]
model = RandomForestClassifier(random_state=0)
print(cross_val_score(model, X, y, groups=groups, cv=folds).mean()) #! NBS332
"""
    good: ClassVar[str] = """\
# %% [1]
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GroupKFold, cross_val_score
visits = pd.read_csv("visits.csv")
groups = visits["patient_id"]
# %% [2]
X, y = visits[["pulse", "pressure"]], visits["ill"]
# %% [3]
model = RandomForestClassifier(random_state=0)
print(cross_val_score(model, X, y, groups=groups, cv=GroupKFold(5)).mean())
"""

    def check(self, facts: Facts) -> Iterator[Claim]:
        """Yield a claim for each split that does not keep the groups of the page together."""
        yield from leaks.claims(facts, self.code, _says, _remedy)


def _says(leak: Leak) -> str:
    does = verb(leak, "land", "may land")
    return f"rows of one group{of_name(leak.what)} {does} on both sides of the split"


def _remedy(_: Leak) -> str:
    return "split by groups: GroupKFold, GroupShuffleSplit"
