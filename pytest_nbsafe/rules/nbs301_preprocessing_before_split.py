"""A scaler, imputer, PCA or vectorizer was fitted on rows that are later test rows.

Why it matters: what it learned (means, medians, components, a vocabulary) comes from the test
rows too, and the model is trained with it. The test score then says more than the model knows:
new rows will not have been there when the scaler was fitted.

Limits: told only where a model is scored on such rows, as a warning where it only predicts them.
What learns nothing but which categories there are (OneHotEncoder, LabelEncoder) or nothing at all
(Normalizer, HashingVectorizer) is left alone. An estimator of a library that the tables do not
know is not seen; the table `[tool.nbsafe.leakage]` makes it known.

Source: NBLyzer, section 4.2, where any fit before a split is told, also one that nothing is
scored on; Kaufman et al. 2012 (leakage from test rows).
"""

from __future__ import annotations

from pytest_nbsafe.libraries import keys

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
X, y = load_wine(return_X_y=True)
# %% [2]
X = StandardScaler().fit_transform(X) #! NBS301
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [3]
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
X, y = load_wine(return_X_y=True)
# %% [2]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
scaler = StandardScaler().fit(X_train)
# %% [3]
model = LogisticRegression().fit(scaler.transform(X_train), y_train)
print(model.score(scaler.transform(X_test), y_test))
"""
SAYS = "{what} {learns} rows that are later test rows"
REMEDY = "split first and fit it on the training rows, or use {pipeline}"


def more() -> str:
    """Return the keys of a table that makes a library known."""
    groups = (
        ("Keys for classes", keys.ROLES),
        ("Keys for functions and methods (a method as `Class.method`)", keys.EFFECTS),
        ("Further keys for classes", keys.TRAITS),
    )
    lines = ['In [tool.nbsafe.leakage."module"], each with a list of names of the module:']
    for title, entries in groups:
        lines += ["", f"{title}:", *(f"    {key:<18} {says}" for key, says in entries.items())]
    return "\n".join(lines)
