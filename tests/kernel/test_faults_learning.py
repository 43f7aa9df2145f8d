"""A fault anywhere in the watch of what learns changes no result, and is told as ours."""

from __future__ import annotations

from typing import Any

import pytest
import sabotage
from tiers import spread
from watching import Watched, watching

from pytest_nbsafe.kernel.functions.stand_in import is_ours

LEARNING = """
    learning.desk learning.watching functions.stand_in
    learning.watched_calls learning.fit_log
    learning.row_hashes learning.row_origins learning.table_rows
"""
OUTERMOST = frozenset(
    {
        "learning.desk:Desk.__enter__",  # what all faults end in
        "learning.desk:Desk.__exit__",
        "learning.desk:Desk.leave",  # the same
        "learning.desk:Hook.func",  # what functions call; what it calls is guarded
        "learning.watching:Finder.find_spec",  # what Python's imports call
        "learning.desk:Desk.__init__",  # the tracer calls these, and guards all that it does
        "learning.desk:Desk.start",
        "learning.desk:Desk.report",
        "learning.watching:install",
    }
)
WORK = """\
import warnings
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import cross_validate, learning_curve
X, y = load_wine(return_X_y=True)
frame = pd.DataFrame(X[:, :4], columns=list("abcd")).assign(word=[f"w{i % 7}" for i in y])
frame["day"] = pd.date_range("2020-01-01", periods=len(frame))
class Most(ClassifierMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.ones(len(X), int)
Z = StandardScaler().fit_transform(X)
Z = MinMaxScaler().fit(Z).transform(Z)
a, b, c, d = train_test_split(Z, y, random_state=0, stratify=y)
f, g, h, i = train_test_split(frame[list("abcd")], y, random_state=0)
m = LogisticRegression().fit(a, c)
out = [m.score(b, d), accuracy_score(d, m.predict(b)), f1_score(d, m.predict(b), average="macro")]
out += [accuracy_score(y_true=i, y_pred=Most().fit(g, i).predict(g)), Most().fit(a, c).score(b, d)]
out.append(cross_val_score(LogisticRegression(), Z, y, cv=3).tolist())
out.append(cross_validate(Most(), Z, y, cv=2)["test_score"].tolist())
search = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [1.0]}, cv=2)
out.append(search.fit(a, c).score(b, d))
more = resample(frame, random_state=0)
out.append(train_test_split(more[["a", "b"]], random_state=1)[0].sum().tolist())
drawn = frame.sample(frac=1.5, replace=True, random_state=0)
both = pd.concat([frame, drawn], ignore_index=True)
p, q = train_test_split(both, random_state=2)
dummies = ColumnTransformer([("w", OneHotEncoder(), ["word"])], remainder="drop")
out.append(dummies.fit(p).transform(q).sum())
texts = TfidfVectorizer().fit_transform([f"some words {w}" for w in frame.word])
u, v, w, x = train_test_split(texts, y, random_state=3)
out.append(SGDClassifier(random_state=0).partial_fit(u, w, classes=[0, 1, 2]).score(v, x))
out.append(LogisticRegression().fit(csr_matrix(a), c).predict_proba(csr_matrix(b))[:, 1].sum())
out += [len(part) for part, _ in KFold(3).split(Z)]
out.append(shuffle(Z, y, random_state=0)[1].tolist())
out.append(scale(Z).sum() + PCA(2, random_state=0).fit_transform(Z).sum())
out.append(SelectKBest(k=3).fit(a, c).transform(b).sum())
out.append(RandomForestClassifier(3, random_state=0).fit(a, c).predict(b).tolist())
try:
    out.append(RandomOverSampler(random_state=0).fit_resample(a, c)[1].tolist())
except NameError:
    pass
try:
    m.predict([[1]])
except ValueError as error:
    out.append(str(error))
"""


@pytest.fixture(scope="module")
def without() -> list[Any]:
    with watching() as watched:
        watched.desk.leave()
        return list(watched.run(WORK)["out"])


@pytest.mark.corpus
def test_the_work_is_watched(without: list[Any]) -> None:
    with watching() as watched:
        assert without == watched.run(WORK)["out"]
        assert len(watched.told()) > 10
        assert watched.listener.faults == []


@pytest.mark.parametrize(
    "point",
    spread(48, 8, sabotage.points(LEARNING, OUTERMOST)),
)
def test_a_fault_changes_no_result(point: str, without: list[Any]) -> None:
    found: Watched
    with sabotage.broken(point), watching() as found:
        assert without == found.run(WORK)["out"]
        reached = bool(sabotage.reached)
    told = [fault for fault in found.listener.faults if "sabotage" in fault]
    assert found.listener.faults == told
    assert reached == bool(told)
    if told:
        assert not found.desk.on
    assert not is_ours(found.names["StandardScaler"].fit.__code__)
