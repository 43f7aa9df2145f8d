"""sklearn: estimators, and functions that split, draw and judge."""

STATE_IS_DICT = True
LEARNERS = ("sklearn.base", "BaseEstimator")
WATCHED_EFFECTS = frozenset({"split", "resample", "shuffle", "cv", "cv_curve"})
