"""A scaler, imputer or the like was fitted on the test rows, which are then evaluated.

Why it matters: `fit_transform(X_test)` scales the test rows by their own mean, not by that of
the training rows. The score is then of a model that has seen the whole test set at once, and of
other numbers than the model was trained on; it may be better or worse than the truth.

Limits: told only where a model is scored on such rows. What learns nothing is left alone.

Source: the pitfalls page of the scikit-learn user guide (inconsistent preprocessing).
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
X, y = load_wine(return_X_y=True)
# %% [2]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
scaler = StandardScaler()
X_train = scaler.fit_transform(X_train)
X_test = scaler.fit_transform(X_test) #! NBS304
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
scaler = StandardScaler()
X_train = scaler.fit_transform(X_train)
X_test = scaler.transform(X_test)
# %% [3]
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
"""
SAYS = "{what} [is|may be] fitted on the test rows that it changes"
REMEDY = "call `transform` on the test rows, with what was fitted on the training rows"
