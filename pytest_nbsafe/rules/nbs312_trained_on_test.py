"""A model is scored as on test rows, on rows that it was fitted on.

Why it matters: a model can know its training rows by heart; its score on them says nothing of
new rows. `model.fit(X, y)` below the split, or a model of another cell that was fitted on
everything, makes the test score just such a score.

Limits: told where the rows are a test part or a fold, or the model was fitted on more than its
training part. A score on the training rows beside one on test rows is common and left alone;
that it is the only one is NBS314.

Source: NBLyzer, section 4.2 (data that a model was trained and evaluated on).
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
model = LogisticRegression().fit(X, y) #! NBS312
# %% [3]
print(model.score(X_test, y_test))
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
# %% [3]
final = LogisticRegression().fit(X, y)
"""
SAYS = "{what} [is|may be] fitted on rows that it is later scored on"
REMEDY = "fit it on the training rows before it is scored, and on all rows only after that"
