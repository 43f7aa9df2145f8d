"""What stands for a log of learning: what comes of it, not where and by whom it was learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from watching import Watched, watching

from pytest_nbsafe.kernel.checkpoint.carried_log import CarriedLogs, restore
from pytest_nbsafe.kernel.checkpoint_contract import CarryQuestion
from pytest_nbsafe.kernel.learning_contract import NOTHING, LogNote

DATA = "X, y = load_wine(return_X_y=True)\n"
SPLIT = (
    DATA + "a, b, c, d = train_test_split(StandardScaler().fit_transform(X), y, random_state=0)\n"
)
TWO = SPLIT + "one, two = LogisticRegression().fit(a, c), LogisticRegression().fit(a, c)\n"


def noted(watched: Watched, logs: CarriedLogs) -> LogNote:
    own = [n for n in watched.names if not n.startswith("__")]
    log = watched.desk.fit_log
    assert log is not None
    note = logs.note(log, 1, watched.names, own, {*own}, has_changed=True)
    assert note is not None
    return note


def state(*texts: str) -> str:
    """Return what stands for what was learned by some cells."""
    with watching() as watched:
        note, logs = None, CarriedLogs()
        for text in texts:
            watched.run(text)
            note = noted(watched, logs)
        assert watched.listener.faults == []
    assert note is not None
    return note["state"]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (
            SPLIT + "m = LogisticRegression().fit(a, c)",
            SPLIT + "\n\nm = LogisticRegression(C=2).fit(a, c)",
        ),
        (
            SPLIT + "m = LogisticRegression().fit(a, c)",
            SPLIT + "m = DecisionTreeClassifier().fit(a, c)",
        ),
        (TWO + "one.score(b, d)", TWO + "print(one.score(b, d))"),
    ],
)
def test_the_same_will_be_told(text: str, other: str) -> None:
    assert state(text) == state(other)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("text", "other"),
    [
        (SPLIT + "m = LogisticRegression().fit(a, c)", SPLIT + "m = KMeans(2, n_init=1).fit(a)"),
        (
            SPLIT + "m = LogisticRegression().fit(a, c)",
            SPLIT + "m = LogisticRegression().fit(b, d)",
        ),
        (SPLIT + "m = LogisticRegression().fit(a, c)", SPLIT + "m = LogisticRegression()"),
        (SPLIT, SPLIT.replace("random_state=0", "random_state=1")),
        (SPLIT, SPLIT.replace("StandardScaler().fit_transform(X)", "X")),
        (SPLIT, SPLIT.replace("StandardScaler()", "MinMaxScaler()")),
        (
            SPLIT + "p = LogisticRegression().fit(a, c).predict(b)",
            SPLIT + "p = LogisticRegression().fit(a, c)",
        ),
        (TWO + "one.fit(a, c); two.fit(b, d)", TWO + "two.fit(a, c); one.fit(b, d)"),
        (
            DATA + "Z, z = resample(X, y, random_state=0)",
            DATA + "Z, z = resample(X, y, random_state=1)",
        ),
    ],
)
def test_something_else_may_be_told(text: str, other: str) -> None:
    texts = ["from sklearn.cluster import KMeans\n" + each for each in (text, other)]
    assert state(texts[0]) != state(texts[1])


LATER = (
    "m = DecisionTreeClassifier(random_state=0).fit(a, c); m.score(b, d); "
    "f1_score(d, two.predict(b), average='micro')"
)


def test_a_log_that_was_carried_goes_on_like_its_own(tmp_path: Path) -> None:
    """Its state after what comes next, and what is told then, are those of a log that stayed."""
    steps = "for n in range(60):\n    s = StandardScaler().fit(P)\n"
    steps += "    P = s.transform(P) if n % 7 < 2 else P\n"
    before = f"{TWO}P = MinMaxScaler().fit_transform(a)\n{steps}P = [P, PCA(3).fit(P)]"
    with watching() as watched:
        logs = CarriedLogs()
        watched.run(before)
        note = noted(watched, logs)
        kept = logs.kept(str(tmp_path))
        (version,), (told,) = kept["versions"], kept["states"]
        assert version["lost"] == 0
        names = dict(watched.names)
        watched.told()
        watched.evaluations.clear()
        watched.run(LATER)
        stayed = noted(watched, logs), watched.told()
    with watching() as watched:
        watched.run("")
        watched.names.update(names)
        assert kept["arrays"] is not None
        asked: CarryQuestion = {
            "do": "restore",
            "folder": str(tmp_path),
            "stream": told["stream"],
            "numbers": told["numbers"],
            "arrays": kept["arrays"],
            "shapes": kept["shapes"],
            "probe": kept["probe"],
            "run": 1,
            "found": {
                key: [(n, p) for n, p in paths.items() if p is not None]
                for key, paths in version["tracked"].items()
            },
            "places": note["places"],
        }
        restore(watched.desk, watched.names, asked)
        watched.run(LATER)
        carried = noted(watched, watched.desk.logs), watched.told()
        assert watched.listener.faults == []
    assert carried == stayed
    assert len(stayed[1]) == 2


def test_what_is_known_of_the_objects_in_a_name_is_told() -> None:
    def holds(text: str) -> dict[str, Any]:
        with watching() as watched:
            watched.run(text)
            return {**noted(watched, CarriedLogs())["holds"]}

    plain = holds(TWO + "n, both = 1, [one, two]")
    assert {"a", "b", "one", "two", "both"} <= plain.keys()
    assert plain["n"] == NOTHING
    turned = holds(TWO + "n, both = 1, [two, one]")
    assert turned["both"] != plain["both"]
    assert turned["one"] == plain["one"]
    assert holds(TWO + "both = (each for each in [one])").get("both", "") != plain["one"]
    assert holds(TWO + "both = lambda: one")["one"] == plain["one"]
