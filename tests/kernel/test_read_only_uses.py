from __future__ import annotations

import ast
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pytest_nbsafe.kernel.adapters import pandas as pandas_adapter
from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot
from pytest_nbsafe.kernel.tracing import read_only_uses
from pytest_nbsafe.kernel.tracing.name_fingerprints import NameFingerprints


def looked_at(text: str, home: dict[str, Any] | None = None) -> set[str]:
    return read_only_uses.only_looked_at(ast.parse(text), {"xs", "d"}, home or {})


@pytest.mark.parametrize(
    "text",
    [
        "for x in xs: print(x)",
        "s = {x for x in xs if x in d}",
        "t = sum(xs) + len(xs) + xs[0] + max(d)",
        "u = sorted(xs, key=lambda x: -x)[:3], xs[1:]",
        "print(f'{xs} {d[1]}', d.get(1), d.items())",
        "v = [(i, x) for i, x in enumerate(xs)]",
        "v = ' '.join(xs) + f'{d}'",
    ],
)
def test_looking(text: str) -> None:
    assert {"xs", "d"} == looked_at(text)


@pytest.mark.parametrize(
    "text",
    [
        "xs.append(1)",
        "xs[0] = 1",
        "xs += [1]",
        "xs = []",
        "del xs[0]",
        "ys = xs",
        "ys = [xs]",
        "f(xs)",
        "f(key=xs)",
        "len(xs); xs.sort()",
        "f = xs.append",
        "(xs if 1 else d)[0] = 2",
        "for xs[0] in d: pass",
        "ys = xs or d",
        "sorted(1, key=xs)",
        "def f(): return xs",
        "xs == y",
        "y.join(xs)",
        "with xs as y: pass",
        "print = f; print(xs)",
        "[*xs]",
        "y = (z := xs)",
    ],
)
def test_more_than_looking(text: str) -> None:
    assert "xs" not in looked_at(text)


def test_a_builtin_of_ones_own() -> None:
    assert looked_at("n = len(xs)", {"len": list.clear}) == {"d"}


@pytest.mark.parametrize(
    "raw",
    [
        "%run other.py",
        "x = 1\n!rm file",
        "globals()['xs'].append(1)",
        "exec('xs.append(1)')",
        "import __main__",
        "from helpers import *",
        "get_ipython().user_ns",
        "f.__globals__['xs'].clear()",
        "Out[3].append(1)",
    ],
)
def test_side_ways(raw: str) -> None:
    assert read_only_uses.goes_side_ways(raw)


def test_who_else_holds_it() -> None:
    home: dict[str, Any] = {"xs": [1, 2], "ys": [3]}
    home["zs"] = home["ys"]
    assert read_only_uses.is_alone(home, "xs")
    assert not read_only_uses.is_alone(home, "ys")


# ------------------------------------------------------------------ frames


def changed(text: str) -> set[str] | None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    home = {"df": frame, "s": frame["a"], "pd": pd, "n": 1, "f": lambda x: x}
    home |= {"np": np, "time": time}
    return pandas_adapter.changed_names(ast.parse(text), {"df"}, home)


copies_on_write = pytest.mark.skipif(
    int(pd.__version__.split(".")[0]) < 3, reason="frames may share what they hold before pandas 3"
)


@copies_on_write
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("df.head()", set()),
        ("m = df.groupby('b').agg(x=('a', 'mean')).reset_index()", {"m"}),
        ("out = df.merge(df, on='a')\nout['z'] = (out['a_x'] - 1) / n", {"out"}),
        ("df['z'] = df['a'] * 2 + s.clip(-1, 1)", {"df"}),
        ("q = pd.qcut(df['a'], 2)\nprint(df.shape, len(q))", {"q"}),
        ("t = df['b'].str.strip().str.lower().fillna('?')", {"t"}),
        ("m = df['a'].rolling(2).mean()\nm", {"m"}),
        ("r = {'n': float(df['a'].sum()), 'best': [int(s.index[0]), len(df)]}", {"r"}),
        ("time.sleep(0)\nm = df.a.mean() - df.b.map({'x': 1}).sum()", {"m"}),
        ("x = df['a']\ny, z = df.b, df[['a']]\nx.iloc[0] = 5", {"x", "y", "z"}),
        ("x = {'a': df['a']}", {"x"}),
        ("df.loc[0, 'a'] = 1\ndf.iloc[0] = s", {"df"}),
        ("df['a'] += 1\nt = 0\nt += df['a'].max()", {"df", "t"}),
        ("for c in df.columns:\n    print(c, df[c].nunique())", {"c"}),
        ("for c in ['a', 'b']:\n    out = df.sort_values(c)\n    out[c] = 1", {"c", "out"}),
        ("if df.shape[0] > n:\n    df['z'] = 1\nelse:\n    s.head()", {"df"}),
        ("few = [c for c in df.columns if df[c].isna().any()]", {"c", "few"}),
        ("np.percentile(df.a, 50), np.where(df.a > 1, df.a, 0)", set()),
        ('print(f\'{len(df.loc[df["a"] > 1, "b"]):>3}\', df.iloc[1:2, 0].sum())', set()),
    ],
)
def test_plain_work_on_frames(text: str, names: set[str]) -> None:
    assert names == changed(text)


@pytest.mark.parametrize(
    "text",
    [
        "df.pop('a')",
        "df.drop(columns='a', inplace=True)",
        "df.apply(f)",
        "df.groupby('b').apply(lambda g: g)",
        "other = df",
        "x = df['a'][0]",
        "x = df.loc[0, 'a']",
        "x = df.index",
        "x = df.columns\nx.name = 'a'",
        "x = [df]",
        "x = {'a': {'b': df}}",
        "x = {'a': s[0]}",
        "x = df if n else 1",
        "for t in [df]:\n    t['z'] = 1",
        "few = [df for c in df.columns]",
        "for c in df['a']:\n    c.append(1)",
        "x, y = df, 1",
        "x = df.c",
        "np.sqrt(df.a, df)",
        "np.max(df.a, 0, s)",
        "df.values[0] += 1",
        "df.index.name = 'x'",
        "df.rolling(2).apply(f)",
        "df.assign(z=f)",
        "s[0].add(1)",  # it may be a set
        "f(df)",
        "df['a'][0] = 1",
        "df.values[0] = 1",
        "df.columns = ['x', 'y']",
        "box.append(df)",
        "for c in df: print(c)",
        "x = df.to_numpy(copy=False)",
        "df.eval('z = a', inplace=True)",
        "df.update(df)",
        "df.query('@f(a)')",
        "df.insert(0, 'z', 1)",
        "x = df.mean(**options)",
    ],
)
def test_other_work_on_frames(text: str) -> None:
    assert changed(text) is None


# ------------------------------------------------------------------ what is known of values


class Shell:
    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {"__name__": "__main__"}
        self.user_ns_hidden: dict[str, object] = {}


CELLS = [
    ["xs = list(range(50_000))", "n = len(xs)", "xs[3] = -1", "m = xs[3]"],
    ["xs = list(range(50_000))", "ys = xs", "ys.append(1)", "print(len(xs))"],
    ["xs = list(range(50_000))\ndef f(): xs.append(1)\nfs = [f]", "fs[0]()", "print(xs[-1])"],
    ["xs = list(range(50_000))", "g = (xs.append(i) for i in [1])", "list(g)", "n = len(xs)"],
    ["xs = list(range(50_000))", "h = lambda: xs.clear()", "k = [h]", "k[0]()", "len(xs)"],
    ["xs = list(range(50_000))", "globals()['xs'].append(1)", "len(xs)"],
    ["xs = list(range(50_000))\nd = {'k': xs}", "d['k'].append(1)", "len(xs)"],
    ["d = {i: [] for i in range(5_000)}", "v = d[3]", "v.append(1)", "len(d)"],
    ["d = {i: [i] for i in range(300)}", "v = d[3]", "v.append(1)", "len(d)"],
    ["d = {i: [i] for i in range(30)}", "v = d[3]", "v.append(1)", "len(d)"],
    ["xs = [[i] for i in range(300)]", "v = xs[3]", "v.append(1)", "len(xs)"],
    ["xs = [(i, [i]) for i in range(300)]", "v = xs[3]", "v[1].append(1)", "len(xs)"],
    ["xs = [[i] for i in range(30)]", "v = xs[3]", "v.append(1)", "len(xs)"],
    ["d = {'k': [1, 2]}", "v = d['k']", "v.append(1)", "len(d)"],
    ["xs = ['a', 'b']", "t = ' '.join(xs)", "xs.append('c')", "len(xs)"],
    ["d = {i: i for i in range(50_000)}", "it = iter(d)", "n = len(d)", "d.clear()", "len(d)"],
    ["s = set(range(50_000))", "t = {x for x in s}", "add = s.add", "add(-1)", "len(s)"],
    ["xs = list(range(50_000))", "import math as xs", "xs = list(range(50_001))", "len(xs)"],
    [
        "import pandas as pd\ndf = pd.DataFrame({'a': list('abcde') * 20_000})",
        "m = df.describe()",
        "df['b'] = df['a'].str.upper()",
        "two = df",
        "two['c'] = 1",
        "n = len(df)",
    ],
]


@pytest.mark.parametrize("cells", CELLS)
def test_what_is_not_compared_again_has_not_changed(cells: list[str]) -> None:
    shell = Shell()
    snapshot = Snapshot(Texts(), shell.user_ns)
    ledger = NameFingerprints(shell, snapshot, heavy=-1)  # every value counts as much work
    for cell in cells:
        tree = ast.parse(cell)
        old = set(shell.user_ns)
        ledger.start_run()
        ledger.read(tree, cell)
        before = {name: snapshot.fingerprint(shell.user_ns[name]) for name in ledger.before}
        assert before == ledger.before
        exec(compile(tree, "<cell>", "exec"), shell.user_ns)
        shell.user_ns.pop("__builtins__", None)
        bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & shell.user_ns.keys()
        new = set(shell.user_ns) - old
        after = ledger.finish(ledger.names | new, bound & {*new, *stored(tree)})
        assert after == {name: snapshot.fingerprint(shell.user_ns[name]) for name in after}


LARGE = [
    ("m = df['a'].mean()", {"df"}),
    ("df.loc[df['a'] > 1, 'b'].str.upper()", {"df"}),
    ("t = df.sort_values('a').head()\nt['c'] = 1", {"df"}),
    ("df.loc[0, 'a'] = 5", set()),
    ("df['a'] += 1", set()),
    ("df.sort_values('a', inplace=True)", set()),
    ("df = df.drop(columns='a')", set()),
    ("x = df['a']\nx.iloc[0] = 5", {"df"}),
    ("x, y = df.a, df[['a', 'b']]\nx += 1\ny['a'] = 0", {"df"}),
    ("for c in df.columns:\n    t = df[[c]]\n    t.loc[5:, c] = None", {"df"}),
    ("t = df[df.a > 3]\nt.loc[t.a > 5, 'b'] = 'w'", {"df"}),
    ("df += df", set()),
    ("f()\ndf.head()", set()),
    ("globals()['df'].pop('a')\ndf.head()", set()),
    ("xs.append(1)\ndf.head()", set()),
    ("both = df\nboth['c'] = 1", set()),
    ("other['c'] = df['a'].sum()", set()),
    ("other['a'].sum()", {"other"}),
]


@copies_on_write
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("cell", "unchanged"), LARGE)
def test_what_is_too_large_may_be_known_to_be_unchanged(cell: str, unchanged: set[str]) -> None:
    shell = Shell()
    home = shell.user_ns
    exec("import pandas as pd\nxs = [1]\ndef f(): df['a'] = 7", home)
    home["df"] = home["other"] = pd.DataFrame({"a": range(99), "b": ["x", "y", "z"] * 33})
    held = Snapshot(Texts(), home)
    snapshot = Snapshot(Texts(), home)
    snapshot.limits = (50, 50)  # so that the frame is too large
    ledger = NameFingerprints(shell, snapshot)
    ledger.start_run()
    ledger.read(ast.parse("df\nother"), "df\nother")
    ledger.finish(set(ledger.names), set())

    tree = ast.parse(cell)
    before = {name: held.fingerprint(home[name]) for name in ("df", "other")}
    ledger.start_run()
    ledger.read(tree, cell)
    exec(cell, home)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    ledger.finish(set(ledger.names), {n.id for n in names if isinstance(n.ctx, ast.Store)})
    assert unchanged == ledger.unchanged
    assert ledger.unchanged.isdisjoint(ledger.compared())
    now = {name: held.fingerprint(home[name]) for name in before}
    assert all(before[name] == now[name] for name in unchanged)


def stored(tree: ast.Module) -> set[str]:
    found = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.ctx != ast.Load()}
    return found | {a.asname or a.name for n in ast.walk(tree) for a in getattr(n, "names", ())}


def test_a_second_look_is_saved() -> None:
    """Only what a cell changes, and what it makes, is read again."""
    shell = Shell()
    read: list[int] = []
    snapshot = Snapshot(Texts(), shell.user_ns)
    ledger = NameFingerprints(shell, snapshot)
    original = snapshot.look

    def look(value: object) -> Any:
        read.append(id(value))
        return original(value)

    for cell in ("xs = list(range(200_000))", "y = 1", "n = len(xs)", "z = sum(xs)"):
        tree = ast.parse(cell)
        ledger.start_run()
        ledger.read(tree, cell)
        exec(compile(tree, "<cell>", "exec"), shell.user_ns)
        counting = {"look": staticmethod(look), "work": property(lambda _: snapshot.work)}
        ledger.snapshot = type("Counting", (), counting)()
        ledger.finish(set(ledger.names), set())
    assert read.count(id(shell.user_ns["xs"])) == 1
