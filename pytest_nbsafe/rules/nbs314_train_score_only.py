"""A model is scored on its training rows, and nowhere on others.

Why it matters: a model can know its training rows by heart. Without a score on rows that it has
not seen nobody can tell whether it has learned anything else.

Limits: told only in a notebook that holds rows back (a split, or a file that it predicts) and
scores nothing on them, or whose result is the score of a classifier on the rows of a file that it
was fitted on. Clusters, densities and embeddings are left alone, and so is any model that is
cross-validated, or a network that a loop of its own trains.

Source: Hastie, Tibshirani & Friedman 2009, section 7.4 (the optimism of the training error).
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
model = DecisionTreeClassifier(random_state=0).fit(X_train, y_train)
# %% [3]
print("accuracy", model.score(X_train, y_train)) #! NBS314
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
model = DecisionTreeClassifier(random_state=0).fit(X_train, y_train)
# %% [3]
print("train", model.score(X_train, y_train), "test", model.score(X_test, y_test))
"""
SAYS = "{what} [is|may be] scored only on rows that it was fitted on"
REMEDY = "score it on the test rows too, or cross-validate it"
