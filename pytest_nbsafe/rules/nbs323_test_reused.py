"""Several models are scored on one test set.

Why it matters: nothing is wrong with comparing models, but the best score of several is a
little too good, and the one that is then used was chosen on the test rows.

Limits: a note, for a comparison is often all that is wanted; told once a test set, at the
second model that is scored on it.

Source: Dwork et al. 2015 (the reusable holdout).
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
print(LogisticRegression().fit(X_train, y_train).score(X_test, y_test))
# %% [3]
print(SVC().fit(X_train, y_train).score(X_test, y_test)) #! NBS323
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
print(cross_val_score(LogisticRegression(), X_train, y_train).mean())
print(cross_val_score(SVC(), X_train, y_train).mean())
# %% [3]
print(SVC().fit(X_train, y_train).score(X_test, y_test))
"""
SAYS = "another model, {what}, [is|may be] scored on the same test rows{(test)}"
REMEDY = "compare them by cross-validation on the training rows, and score the chosen one"
