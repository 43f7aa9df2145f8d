"""Comments that tell of tables and splits: what they change, and what is told of wrong ones."""

import pytest
from rulecase import facts_of, found

from pytest_nbsafe.rules import evaluate

HEAD = """\
# %% [1]
from ourlib import load, part
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
"""
SCALED = "X = StandardScaler().fit_transform(X)\n"
SCORE = "svc = SVC().fit(a, y)\nsvc.score(b, z)\n"


LOADED = "X = load()  # nbsafe: source\ny = z = load()\n"


def told(text: str) -> list[str]:
    """Return what is told of the comments, as "line: message | remedy"."""
    findings = [f for f in evaluate(facts_of(text)) if f.code == "NBS907"]
    return [f"{f.location.line}: {f.message} | {f.remedy}" for f in findings]


def test_without_a_comment_an_unknown_split_is_in_doubt() -> None:
    text = HEAD + "X, y, z = load()\n" + SCALED + "a, b = part(X)\n" + SCORE
    assert found(text) == ["NBS301 1:5 suspected warning"]


@pytest.mark.parametrize(
    "split",
    [
        "a, b = part(X)  # nbsafe: split X -> a, b",
        "a, b = part(X)  #nbsafe:split X->a,b",
        "# nbsafe: split X -> a, b\na, b = part(X)",
        "a, b = part(\n    X,\n)  # nbsafe: split X -> a, b",
        "def go(X):\n    a, b = part(X)  # nbsafe: split X -> a, b\n    return a, b\na, b = go(X)",
        "a, b, y, z = part(X, y)  # nbsafe: split X, y -> a, b, y, z",
    ],
    ids=["behind", "tight", "above", "several lines", "in a function", "two tables"],
)
def test_a_split_that_a_comment_tells_of(split: str) -> None:
    text = HEAD + LOADED + SCALED + split + "\n" + SCORE
    assert found(text) == ["NBS301 1:6 proved error"]


def test_parts_that_a_comment_tells_of_are_apart() -> None:
    split = "# nbsafe: split X -> a, b\na, b = part(X)\n"
    assert found(HEAD + LOADED + split + SCORE) == []


def test_two_sources_that_a_comment_tells_of_are_apart() -> None:
    text = "a = load()  # nbsafe: source\nb = load()  # nbsafe: source\ny = z = load()\n"
    assert found(HEAD + text + SCORE) == []


FORM = "write `# nbsafe: split X -> train, test`"
NO_FORM = "this `split` does not say what is split into what"


@pytest.mark.parametrize(
    ("comment", "says", "remedy"),
    [
        (
            "splt X -> a, b",
            "this comment says `splt`, which has no effect",
            "did you mean `split`?",
        ),
        (
            "ingore[NBS3]",
            "this comment says `ingore`, which has no effect",
            "did you mean `ignore`?",
        ),
        ("split Xs -> a, b", "`split` names `Xs`, which no cell defines", "did you mean `X`?"),
        (
            "split X -> train, b",
            "`split` names `train`, which this line does not assign",
            "write a name that the code assigns",
        ),
        ("split X", NO_FORM, FORM),
        ("split X, y -> a, b, z", NO_FORM, FORM),
    ],
)
def test_a_comment_that_says_nothing_is_told(comment: str, says: str, remedy: str) -> None:
    text = HEAD + f"X, y = load()\na, b = part(X)  # nbsafe: {comment}\n"
    assert told(text) == [f"5: {says} | {remedy}"]


def test_a_comment_at_no_assignment_is_told() -> None:
    says = "`source` is at no assignment, so it has no effect"
    remedy = "put it behind the line that assigns the table, or on the line above"
    assert told("# %% [1]\nprint(1)  # nbsafe: source\n") == [f"1: {says} | {remedy}"]


@pytest.mark.parametrize(
    "line",
    [
        "# nbsafe: a tool for notebooks",
        "text = '# nbsafe: splt X'",
        'text = """\n# nbsafe: source\n"""',
        "a, b = part(X)  # nbsafe: split X -> a, b",
        "parts['a'], b = part(X)  # nbsafe: split X -> a, b",
        "%time a, b = part(X)  # nbsafe: split X -> a, b",
    ],
)
def test_what_is_no_comment_to_nbsafe_or_a_right_one_is_left_alone(line: str) -> None:
    assert told(HEAD + "X, y = load()\n" + line + "\n") == []


def test_a_comment_in_a_cell_that_does_not_parse_is_no_crash() -> None:
    assert len(told("# %% [1]\na, b = (  # nbsafe: split X -> a, b\n")) == 1
