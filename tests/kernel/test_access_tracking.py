"""What a child tells of the parts of names that its cells read and change."""

from __future__ import annotations

import pytest
from following import Page, Said, check

DATA = "d = {'a': {'b': 1, 'c': 2}, 'l': [{'k': 1}, {'k': 2}], 'n': 3}\nkey = 'b'\n"
OBJECT = (
    "class Model:\n"
    "    def __init__(self): self.rate, self.inner = 1, {'x': 1}\n"
    "    @property\n"
    "    def twice(self): return self.rate * 2\n"
    "    def fit(self, data): self.rate = data['n']\n"
    "m = Model()\n"
)
FRAME = "import pandas\ndf = pandas.DataFrame({'a': [1.0], 'b': [2.0], 'c': [3.0]})\nkey = 'b'\n"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("x = d['a']['b']", "['a']['b']"),
        ("x = d['a'][key]", "['a']['b']"),
        ("x = d['l'][-1]['k']", "['l'][1]['k']"),
        ("x = d['l'][0]['k'] + d['n']", "['l'][0]['k'] ['n']"),
        ("x = d['none'] if 'none' in dir() else d['n']", "['n']"),
        ("try: d['none']\nexcept KeyError: pass", "['none']"),
        ("for k in ['a', 'n']:\n    d[k]", "['a'] ['n']"),
        ("len(d['a'])", "['a']"),
        ("x = d", "*"),
        ("print(d)", "*"),
        ("x = d.get('a')", "*"),
        ("x = f'{d[\"n\"]}'", "['n']"),
        ("x = [e['k'] for e in d['l']]", "['l'] ['l'][0]['k'] ['l'][1]['k']"),
        ("x = d['l'][0:1]", "['l']"),
        ("x = {**d['a']}", "['a']"),
        ("(y := d['n'])", "['n']"),
        ("def f(): return d['a']['b']\nf()", "['a']['b']"),
        ("def f(): return d['a']['b']", ""),
        ("def f(x): return x['n']\nf(d)", "['n']"),
        ("def f(x):\n    y = x['a']\n    return y[key]\nf(d)", "['a']['b']"),
        ("class C:\n    def __init__(self, x): self.n = x['n']\nC(d)", "['n']"),
        ("x = (lambda: d['a'])()", "*"),
        ("x = list(map(lambda k: d[k], 'n'))", "*"),
        ("x = next(v for v in [d['n']])", "['n']"),
        ("x = sum(d[k] for k in 'n')", "['n']"),
        ("x = (d[k] for k in 'n')", "*"),
        ("match d['a']:\n    case {'b': 1}: pass", "['a']"),
        ("async def f(): return d['n']\ntry: f().send(None)\nexcept StopIteration: pass", "['n']"),
    ],
)
def test_reads_of_a_dict(text: str, read: str) -> None:
    check(DATA, text, reads={"d": read})


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("d['a']['b'] = 5", "['a']['b']"),
        ("d['a'][key] += 5", "['a']['b']"),
        ("del d['a']", "['a']"),
        ("d['new'] = 1", "['new']"),
        ("d['l'].append(1)", "['l']"),
        ("d.update(n=1)", "*"),
        ("for e in d['l']:\n    e['k'] = 0", "['l'][0]['k'] ['l'][1]['k']"),
        ("for d['n'] in range(2): pass", "['n']"),
        ("(d['n'], x) = 1, 2", "['n']"),
        ("x = sorted(d['l'], key=str)", ""),
        ("def f(x): x['n'] = 1\nf(d)", "['n']"),
        ("import random\nrandom.shuffle(d['l'])", "['l']"),
        ("d['l'] += [1]", "['l']"),
        ("x = d['a']\nx['z'] = 1", "['a']['z']"),
    ],
)
def test_changes_of_a_dict(text: str, changed: str) -> None:
    check(DATA, text, changes={"d": changed})


def test_an_access_counts_for_each_symbol_of_the_object() -> None:
    before = DATA + "other = d\ninner = d['a']\n"
    check(before, "other['n'] = 1", changes={"d": "['n']", "other": "['n']", "inner": ""})
    check(before, "inner['b']", reads={"d": "['a']['b']", "other": "['a']['b']", "inner": "['b']"})
    check(before, "d['a'] = 0\ninner['b']", reads={"d": "", "inner": "['b']"})


def test_what_is_stored_is_known_by_its_new_symbol() -> None:
    text = "box = {}\nd['new'] = box\nbox['x'] = 1"
    check(DATA, text, changes={"d": "['new'] ['new']['x']", "box": "* ['x']"})


@pytest.mark.parametrize(
    ("text", "read", "changed"),
    [
        ("m.rate", "['rate']", ""),
        ("m.inner['x'] = 2", "", "['inner']['x']"),
        ("m.rate += 1", "['rate']", "['rate']"),
        ("m.twice", "['rate']", ""),
        ("m.fit(d)", "", "['rate']"),
        ("m.other = 1", "", "['other']"),
        ("del m.rate", "", "['rate']"),
        ("getattr(m, 'rate')", "*", "*"),
        ("m", "*", ""),
    ],
)
def test_attributes_of_an_object(text: str, read: str, changed: str) -> None:
    check(DATA + OBJECT, text, reads={"m": read}, changes={"m": changed})


@pytest.mark.parametrize(
    ("text", "read", "changed"),
    [
        ("df['a']", "['a']", ""),
        ("df.a.sum()", "['a']", ""),
        ("df[key]", "['b']", ""),
        ("df[['a', 'c']].mean()", "['a'] ['c']", ""),
        ("df['new'] = df['a'] * 2", "['a']", "['new']"),
        ("for c in ['a', 'b']:\n    df[c] = 0", "", "['a'] ['b']"),
        ("df.loc[0, 'a'] = 3", "", "['a']"),
        ("df.loc[:, key]", "['b']", ""),
        ("df.iloc[0, 1]", "['b']", ""),
        ("df.at[0, 'c']", "['c']", ""),
        ("df.loc[0]", "*", ""),
        ("df[df['a'] > 0]", "* ['a']", ""),
        ("df.shape", "*", ""),
        ("df.columns = list('xyz')", "", "*"),
        ("df.drop(columns='a', inplace=True)", "*", "*"),
        ("df.insert(0, 'z', 1)", "*", "*"),
        ("df.groupby('a')['b'].mean()", "*", ""),
        ("df['a'].fillna(0, inplace=True)", "['a']", "['a']"),
        ("df.loc[0, 'a':'b']", "*", ""),
        ("del df['a']", "", "['a']"),
        ("def f(frame, c): return frame[c].sum()\nf(df, 'b')", "['b']", ""),
        ("x = df['a']", "['a']", "['a']"),  # it may be a view: what takes it may change it
    ],
)
def test_columns_of_a_frame(text: str, read: str, changed: str) -> None:
    pytest.importorskip("pandas")
    check(FRAME, text, reads={"df": read}, changes={"df": changed})


def test_lines_are_those_of_the_statements_that_were_executing() -> None:
    page = Page()
    page.run(DATA + "def f(x):\n    return x['n']\n")
    page.run("a = d['a']\nif a:\n    b = f(\n        d)\nd['l'] = 1")
    assert page.said(line=1) == {"d": "['a']"}
    assert page.said(line=3)["d"] == "['n']"
    assert page.said(changed=True, line=5) == {"d": "['l']"}


def test_values_are_taken_of_parts_as_the_run_found_them() -> None:
    page = Page()
    page.run(DATA)
    page.run("d['n']\nd['a']['b'] = 7\nd['a']['b']\ne = {'x': 1}\ne['x']\ne = {'x': 2}\ne['x']")
    values = {(a["name"], *a["path"]): a["hash"] for a in page.accesses.list_all()}
    assert values["d", "n"] == "3"
    assert values["d", "a", "b"] == ""
    assert values["e", "x"] == ""


@pytest.mark.parametrize("text", ["eval('d')", "globals()['d']", "exec('x = d')", "locals()"])
def test_nothing_is_said_where_names_are_looked_at_by_themselves(text: str) -> None:
    page = Page()
    page.run(DATA)
    page.run(text)
    assert page.accesses.fault != ""


def test_of_too_many_parts_the_whole_is_told() -> None:
    check("d = {}", "for i in range(100):\n    d[i] = i", changes={"d": "*"})


def test_false_negative_a_part_changed_through_memory_that_is_shared() -> None:
    before = "import array\na = array.array('i', [1])\nview = memoryview(a)"
    check(before, "view[0] = 2", changes={"a": "", "view": "*"})


LOOP = "for i in range(40):\n    for j in range(40):\n        a[j] = a[j] - b[j] * rate\n"
INNER = "def f():\n    t = 0\n    for i in range(200):\n        t = t + a[0] * rate\n    return t\n"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (LOOP, {1: "", 3: "a b j rate"}),
        (LOOP + "b = a\n" + LOOP, {1: "", 3: "a b j rate", 4: "a", 7: "a b j rate"}),
        (INNER + "f()\nx = f()", {6: "a f rate", 7: "a f rate"}),
        (
            INNER + "for k in range(3):\n    f()\n    a = b\n    f()",
            {7: "a b f rate", 9: "a b f rate"},
        ),
    ],
)
def test_what_is_left_alone_in_loops_was_told(text: str, read: dict[int, str]) -> None:
    page = Page()
    page.home["numpy"] = pytest.importorskip("numpy")
    page.run("rate = 2\na, b = numpy.ones(40), numpy.zeros(40)")
    page.run(text)
    assert read == {line: " ".join(sorted(page.said(line=line))) for line in read}


def test_a_run_with_too_much_to_follow_says_nothing() -> None:
    page = Page()
    page.run("d = {n: n for n in range(40)}")
    page.run("for i in range(2000):\n    for k in range(40):\n        d[k] = d[k] + 1")
    assert page.accesses.fault == "Lost: there is too much to follow"
    assert page.home["d"][0] == 2000


RETURNS = """\
class A:
    def __init__(self): self.c = 1
    def b(self): return held
a, held = A(), A()
"""


@pytest.mark.parametrize(
    ("before", "text", "reads", "changes"),
    [
        # Definition 1: parts of a list, the column of a frame
        ("lst = list(range(10))", "lst, lst[0], lst[8]", {"lst": "* [0] [8]"}, {}),
        # section 3.2: the parent is `c` of what `b` returns
        (
            RETURNS,
            "s = a.b().c",
            {"a": "", "held": "* ['c']"},  # `return` hands it over as a whole
            {"held": ""},
        ),
        # bounding: nbsafety keeps the first turn of a loop alone, here each of them counts
        (
            "lst = list(range(100))",
            "x = 0\nfor i in [7, 3] + [42]:\n    x += lst[i]",
            {"lst": "[3] [42] [7]"},
            {},
        ),
        # aliases: both names of a list that is appended to
        ("x = [1]\ny = x", "x.append(2)", {}, {"x": "*", "y": "*"}),
        # Table 1: Assign, AugAssign, For, FunctionDef, ClassDef
        ("e, a = {'k': 1}, 1", "a = e['k']", {"e": "['k']", "a": ""}, {}),
        ("e, a = {'k': 1}, 1", "a += e['k']", {"e": "['k']", "a": "*"}, {"a": "*"}),
        ("e = {'k': [1]}", "for a in e['k']: pass", {"e": "['k']"}, {}),
        ("e = {'k': 1}", "def f(a=e['k']): return e", {"e": "['k']"}, {}),
        ("e = {'k': dict}", "class c(e['k']): pass", {"e": "['k']"}, {}),
    ],
)
def test_examples_of_the_paper(before: str, text: str, reads: Said, changes: Said) -> None:
    check(before, text, reads=reads, changes=changes)


def test_what_lies_where_the_first_value_lay_is_not_what_the_run_found() -> None:
    page = Page()
    page.run("import numpy\nu = numpy.zeros(4)\nun = u.copy()")
    page.run("for n in range(4):\n    un = u.copy()\n    u[1] = un[0]")
    found = {access["name"] for access in page.accesses.list_all() if not access["own"]}
    assert found == {"u"}
