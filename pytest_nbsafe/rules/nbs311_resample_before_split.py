"""Rows were over-sampled or augmented before the split or the folds.

Why it matters: a copy of a row, or a row made of it and its neighbours, lands in the training
set while the row itself lands in the test set. The model is then asked for what it has learned
by heart, and the rarer the class, the better the score looks.

Limits: told only where a model is scored on such rows, as a warning where it only predicts them.
Resampling of the training rows alone, or inside a pipeline of imbalanced-learn, is right and left
alone; so is drawing rows without putting them back.

Source: Santos et al. 2018 (over-sampling and cross-validation); Kapoor & Narayanan 2023.
"""

BAD = """\
# %% [1]
from imblearn.over_sampling import SMOTE
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = make_classification(900, weights=[0.9], random_state=0)
# %% [2]
X, y = SMOTE(random_state=0).fit_resample(X, y) #! NBS311
# %% [3]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
"""
GOOD = """\
# %% [1]
from imblearn.over_sampling import SMOTE
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = make_classification(900, weights=[0.9], random_state=0)
# %% [2]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
X_train, y_train = SMOTE(random_state=0).fit_resample(X_train, y_train)
# %% [3]
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
"""
SAYS = "{what} [makes|may make] rows out of rows that are later test rows"
REMEDY = "split first, and resample the training rows only"
