"""The best score of a search is given as the final result.

Why it matters: `best_score_` is the best of all candidates, on the folds that chose it, and so
a little too good: the more candidates, the more. New rows, or a second cross-validation around
the search, tell how good it is.

Limits: a note; told only where nothing else scores the search: no test rows, and no
cross-validation around it.

Source: Varma & Simon 2006; Cawley & Talbot 2010.
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)
# %% [2]
search = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}).fit(X, y)
# %% [3]
print("accuracy", search.best_score_) #! NBS324
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
search = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}).fit(X_train, y_train)
# %% [3]
print(search.best_score_, search.score(X_test, y_test))
"""
SAYS = "the best score of {what} is the only one that is given"
REMEDY = "score the search on test rows, or cross-validate it as a whole"
