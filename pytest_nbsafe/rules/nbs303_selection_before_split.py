"""Features were chosen with the labels of rows that are later test rows.

Why it matters: of many columns of pure noise, some go with the labels by chance. Chosen on all
rows, they go with the labels of the test rows too, and the score looks fine where nothing can
be predicted at all.

Limits: told only where a model is scored on such rows, by a split or by cross-validation, and as
a warning where it only predicts them. A choice made by eye, from a printed table of correlations,
is not seen.

Source: Ambroise & McLachlan 2002; Hastie, Tibshirani & Friedman 2009, section 7.10.2.
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
# %% [2]
best = SelectKBest(k=3).fit_transform(X, y) #! NBS303
# %% [3]
X_train, X_test, y_train, y_test = train_test_split(best, y, random_state=0)
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
X, y = load_wine(return_X_y=True)
# %% [2]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [3]
model = make_pipeline(SelectKBest(k=3), LogisticRegression()).fit(X_train, y_train)
print(model.score(X_test, y_test))
"""
SAYS = "{what} [chooses|may choose] features with the labels of later test rows"
REMEDY = "choose them on the training rows, or use {pipeline}"
