"""Arrays that a cell only reads: what the text says, held against what running it does."""

from __future__ import annotations

import ast
import contextlib
import io
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
import tiers
from hypothesis import given, settings

from pytest_nbsafe.kernel.adapters import numpy as adapter
from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot
from pytest_nbsafe.kernel.tracing.name_fingerprints import NameFingerprints
from pytest_nbsafe.kernel.tracing.read_only_uses import is_alone


class Writing:
    """What writes to whatever it meets in an operation, or is handed."""

    __array_ufunc__ = None

    def __call__(self, other: Any) -> Any:
        other.fill(0)
        return other

    __radd__ = __rsub__ = __rmul__ = __rmatmul__ = __call__

    def __format__(self, form: str) -> str:
        return ""


def namespace(kind: str = "f8") -> dict[str, Any]:
    whole = np.arange(1, 13).reshape(4, 3)
    assert np.fft  # NumPy 2 loads it when it is asked for
    home = {"X": whole.astype(kind), "Y": whole * 2.0, "v": np.array([3.0, 1.0, 2.0])}
    home |= {"np": np, "n": 2, "w": Writing(), "xs": [1, 2], "text": "a"}
    home["mask"] = np.array([True, False, True, True])
    return home


def is_read(
    text: str, home: dict[str, Any] | None = None, deferred: set[str] | None = None
) -> bool:
    held = home if home is not None else namespace()
    return adapter.only_looked_at(ast.parse(text), {"X"}, held, deferred or set()) == {"X"}


@pytest.mark.parametrize(
    "text",
    [
        "mu = X.mean(axis=0); sd = X.std(0)\nZ = (X - mu) / sd",
        "C = X.T @ X / len(X)\nprint(C.round(3))\nlam, V = np.linalg.eigh(C)\nP = X @ V[:, -2:]",
        "norms = np.sqrt((X**2).sum(axis=1))",
        "few = X[mask]\nfew[0] = 5\nmany = X[(v[0] < X[:, 0]) & ~mask]\nmany.sort()",
        "print(X[:3], X.shape, f'{X[0, 1]:.2f} {X}')",
        "X[:, 1:]",
        "box = {'rows': X.shape[0], 'best': [float(X.max()), X.tolist()]}",
        "xs.append(X.sum()); w(X.min())",
        "both = np.concatenate([X, Y]); both += 1\nq = np.quantile(X, [0.5, n])",
        "sums = [X[i].sum() for i in range(len(X)) if X[i, 0] > n]",
        "for i, row in enumerate(range(3)):\n    t = X[i] * row\n    print('{}'.format(t))",
        "if X.any():\n    t = X + 1\nelse:\n    t = X.size",
        "with np.errstate(all='ignore'):\n    t = np.log(X)",
        "t = 0\nt = t + X\nt += X.sum(axis=0)",
        "w + X.sum()",
        "d = w\nd.x = 5\nt = X - Y",
        "t = np.where(X > 3, X, 0) + np.clip(X, 1, n) + X.clip(0, 1)",
        "s = np.linalg.norm(X, axis=1); k = np.fft.rfft(X)",
        "X.round(1); np.diff(X)",
        "print(w, X[0], f'{X} {w}', end=text)",
        "y = X.sum() if n else len(X)",
    ],
)
def test_a_cell_that_only_reads(text: str) -> None:
    assert is_read(text)


@pytest.mark.parametrize(
    "text",
    [
        "X[0] = 1",
        "X += 1",
        "X.sort()",
        "X = X + 1",
        "del X",
        "Z = X",
        "Z = X[1:]",
        "Z = X.T",
        "Z = [X]",
        "Z = {'x': X[:2]}",
        "Z = X.reshape(-1)",
        "Z = np.asarray(X)",
        "Z = np.ravel(X)",
        "w(X)",
        "w(X[0])",
        "w(x=X)",
        "X + w",
        "n = w\nX + n",
        "t = 1\nt = w\nX - t",
        "for t in [1, w]:\n    X * t",
        "for i in range(2):\n    X + t\n    t = w",
        "t = 1\nfor i in range(2):\n    X + t\n    t = w",
        "t = 1\nif n:\n    t = w\nX + t",
        "t = 1\nprint((t := w))\nX + t",
        "import w as n\nX + n",
        "def n(): pass\nX + n",
        "match w:\n    case n:\n        pass\nX + n",
        "match {'k': w}:\n    case {**n}:\n        pass\nX + n",
        "print = w\nprint(X)",
        "len = w\nlen(X)",
        "np = w\nnp.sum(X)",
        "np.add(Y, 1, X)",
        "np.add(Y, 1, out=X)",
        "np.sqrt(X, Y)",
        "np.mean(Y, 0, None, X)",
        "np.median(X, overwrite_input=True)",
        "np.array(X, copy=False)",
        "X.sum(0, None, Y)",
        "X.astype(float, copy=False)",
        "np.sum(X, **xs)",
        "print(*X)",
        "print(X + w)",
        "t = f'{X + w}'",
        "for row in X:\n    row[0] = 1",
        "Z = [row for row in X]",
        "Z = list(X)",
        "Z = max(X)",
        "Z = X or Y",
        "Z = X if n else Y",
        "(Z := X)[0] = 1",
        "Z = (lambda: X)()",
        "def f(): return X",
        "class A:\n    x = X",
        "with w(X) as t: pass",
        "X[:2]\n_[0] = 5",
        "f = X.fill",
        "X.flat[0] = 1",
        "X.shape = (3, 4)",
        "np.shuffle(X)",
        "h, edges = np.histogram(Y, X)",
        "t = np.diff(X, 0)",
        "t = np.diff(X, n=0)",
        "while X.any():\n    X.sort()",
        "f'{n:{w(X)}}'",
        "assert X is Y, X.sort()",
        "return_ = [X for i in range(3)]",
        "xs[X[0]] = X",
        "X[w]",
    ],
)
def test_a_cell_that_may_do_more(text: str) -> None:
    assert not is_read(text)


def test_what_functions_of_cells_may_bind_is_not_relied_upon() -> None:
    assert is_read("f()\nX + n")
    assert not is_read("f()\nX + n", deferred={"n"})
    assert not is_read("n = 1\nf()\nX + n", deferred={"n"})


def test_an_array_of_whole_numbers_that_is_rounded_may_be_given_back() -> None:
    assert not is_read("t = X.round()", namespace("i8"))
    assert is_read("t = X.round()", namespace("c16"))


@pytest.mark.parametrize(
    ("value", "is_flat"),
    [
        (np.arange(3), True),
        (np.array(["a", "b"]), True),
        (np.array(["2020-01-01"], "M8[D]"), True),
        (np.arange(6)[1:], False),
        (np.array([[], 1], dtype=object), False),
        (np.zeros(2, [("a", "i4")]), False),
        (np.ma.masked_array([1, 2]), False),
        (np.float64(1), False),
    ],
)
def test_which_values_are_flat(value: object, is_flat: bool) -> None:  # noqa: FBT001
    assert adapter.is_flat(value) is is_flat


# ------------------------------------------------------------------ held against running it


def damaged(value: Any, seen: set[int]) -> None:
    """Write to all that a value leads to."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        with contextlib.suppress(ValueError, TypeError):
            value.fill(value.dtype.type(0))
    elif isinstance(value, (list, tuple)):
        for each in value:
            damaged(each, seen)
    elif isinstance(value, dict):
        damaged([*value.values()], seen)


def assert_spared(text: str, home: dict[str, Any]) -> bool:
    """Run a text; where it is said only to read `X`, nothing that it leaves may lead there."""
    if not is_read(text, home):
        return False
    array, was, given = home["X"], home["X"].copy(), {*home}
    with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
        exec(text, home)
    assert home["X"] is array
    np.testing.assert_array_equal(array, was)
    del array
    assert is_alone(home, "X"), text
    made = [home[name] for name in home.keys() - given - {"__builtins__"}]
    damaged([*made, *(home[name] for name in ("Y", "v", "xs", "mask"))], set())
    np.testing.assert_array_equal(home["X"], was)
    return True


CALLS = [
    "{f}(X)",
    "{f}(X, Y)",
    "{f}(Y, X)",
    "{f}(X, 1)",
    "{f}(1, X)",
    "{f}(X, v)",
    "{f}([X])",
    "{f}([X, Y])",
    "{f}(Y, 1, X)",
    "{f}(X, 0, Y)",
    "{f}(mask, X, X)",
    "{f}(X, axis=0)",
    "{f}(v, X[0])",
    "{f}(X.T, -1)",
    "{f}(Y, 0, None, X)",
    "{f}(Y, out=X)",
    "{f}(X[0], v, v)",
    "{f}(X[:, 0], 4)",
    "{f}(X[:3])",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", tiers.every(6, ["f8", "c16", "?", "i8", "U2", "M8[s]"]))
def test_no_function_of_the_library_gives_away_what_it_is_said_to_read(kind: str) -> None:
    modules = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}
    functions = [f"{at}.{word}" for at, module in modules.items() for word in dir(module)]
    methods = [f"{of}.{word}" for of in ("X", "X.T", "X[0]", "X[:2]") for word in dir(np.ndarray)]
    known = (*functions, *methods, *("abs", "float", "len", "repr", "round", "str", "sum", "max"))
    texts = [
        f"t = {call.format(f=f)}" for f in known for call in (*CALLS, "{f}()") if "__" not in f
    ]
    assert sum(assert_spared(text, namespace(kind)) for text in texts) > 500


TEMPLATES = [
    "({0} + {1})",
    "({0} @ {1})",
    "({0} > {1})",
    "-{0}",
    "abs({0})",
    "{0}.T",
    "{0}.real",
    "{0}.flat",
    "{0}[{1}]",
    "{0}[:2]",
    "{0}[::-1].copy()",
    "{0}[{1} > 2]",
    "{0}[~({1} > 2)]",
    "{0}.astype(float)",
    "{0}.sum(axis=0)",
    "{0}.round()",
    "{0}.clip({1}, 9)",
    "{0}.reshape(-1)",
    "{0}.sort()",
    "{0}.tolist()",
    "np.sort({0})",
    "np.asarray({0})",
    "np.ravel({0})",
    "np.where({0} > 2, {0}, {1})",
    "np.abs({0})",
    "np.concatenate([{0}, {1}])",
    "np.add({0}, 1, {1})",
    "np.add({0}, {1})",
    "np.dot({0}, {1})",
    "[{0}, {1}]",
    "({0} if n else {1})",
    "({0} or {1})",
    "list({0})",
    "max({0})",
    "sum({0})",
    "w({0})",
    "[{0} for t in range(2)]",
    "[t for t in {0}]",
    "[t + {1} for t in {0}]",
    "f'{{{0}}} {{{1}}}'",
    "{{'a': {0}, 'b': {1}}}",
    "(t := {0})",
    "(lambda: {0})()",
    "len({0})",
    "print({0}, {1})",
]
STATEMENTS = [
    "t = {0}",
    "t, u = {0}",
    "u = {0}\nt = {1}",
    "u = {0}\nt = X + u",
    "t = [{0}, {1}]",
    "xs.append({0})",
    "for t in {0}:\n    u = {1}",
    "for i in range(2):\n    t = {0}\n    X + t",
    "if n:\n    t = {0}\nX * t",
    "t = 1\nt += {0}",
    "n = {0}\nX + n",
    "{0}",
    "u = {0}\nu[0] = {1}",
    "Y[0] = {0}",
    "with w as t:\n    {0}",
]
expressions = st.recursive(
    st.sampled_from(["X", "X", "Y", "v", "n", "w", "1", "mask", "text", "t", "u"]),
    lambda inner: st.builds(str.format, st.sampled_from(TEMPLATES), inner, inner),
    max_leaves=4,
)


@pytest.mark.corpus
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=800, deadline=None)
@given(
    st.builds(str.format, st.sampled_from(STATEMENTS), expressions, expressions),
    st.sampled_from(["f8", "i8"]),
)
def test_what_is_said_to_be_read_is_as_it_was(text: str, kind: str) -> None:
    with contextlib.suppress(SyntaxError):
        assert_spared(text, namespace(kind))


# ------------------------------------------------------------------ in a kernel


class Shell:
    def __init__(self, home: dict[str, Any]) -> None:
        self.user_ns = home
        self.user_ns_hidden: dict[str, object] = {}


def test_an_array_is_compared_again_only_after_a_cell_that_may_change_it() -> None:
    home = {**namespace(), "__name__": "__main__", "wide": np.zeros(400_000)}
    looked: list[object] = []

    class Counting(Snapshot):
        def look(self, value: object) -> Any:
            looked.append(value)
            return super().look(value)

    names = NameFingerprints(Shell(home), Counting(Texts(), home))
    told = []
    for cell in ("wide", "m = wide.mean()", "print(wide[:3])", "m", "wide[2] = 1", "wide.sum()"):
        tree = ast.parse(cell)
        names.start_run()
        names.read(tree, cell)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(cell, home)
        names.finish({*names.names}, {"m"} & names.names)
        told.append(sum(value is home["wide"] for value in looked))
        looked.clear()
    assert told == [2, 0, 0, 0, 1, 0]  # before the first, nobody knew that it is large


def test_an_array_too_large_to_compare_is_known_to_be_left_as_it_was() -> None:
    home = {**namespace(), "__name__": "__main__"}
    snapshot = Snapshot(Texts(), home)
    snapshot.limits = (50, 8)  # so that `X` is too large
    names = NameFingerprints(Shell(home), snapshot)
    told = []
    for cell in ("X", "X.mean()", "X.sort()", "Z = X", "X.mean()", "del Z\nX.mean()", "X.mean()"):
        tree = ast.parse(cell)
        names.start_run()
        names.read(tree, cell)
        exec(cell, home)
        home.pop("__builtins__", None)
        names.finish({*names.names} & home.keys(), {"Z"} & names.names)
        told.append("X" in names.unchanged)
    assert told == [True, True, False, False, False, False, True]
