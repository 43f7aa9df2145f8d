"""Rows of one group (a patient, a user, a device) land on both sides of the split.

Why it matters: rows of one patient are much alike. A model that recognises the patient needs to
know nothing of the illness, and it will meet other patients.

Limits: told where the page names the groups (it counts, aggregates, repeats or sorts rows by them,
takes one after another, or calls them `groups`) and then splits without them. A column of ids that
is only dropped may have one row each.

Source: Saeb et al. 2017 (record-wise and subject-wise splits); Kapoor & Narayanan 2023.
"""

BAD = """\
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
GOOD = """\
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
SAYS = "rows of one group{(what)} [land|may land] on both sides of the split"
REMEDY = "split by groups: GroupKFold, GroupShuffleSplit"
