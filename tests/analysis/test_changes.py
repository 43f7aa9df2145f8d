"""What calls of the notebook's own functions change: the last cell's names, "-" for none."""

from __future__ import annotations

import pytest
from analysiscase import cell, graph, names

from pytest_nbsafe.analysis.dependencies import edges, unbound

ADD = "xs = []; ys = []\ndef add(l, n=1): l.append(n)"
CLASS = """
xs = []
class C:
    def __init__(self): self.items = []
    def push(self, x): self.items.append(x)
    def twice(self, x): self.push(x)
    def fill(self, l): l.append(1)
    def look(self): return self.items
c = C()
"""


def changed(*cells: str) -> str:
    """Return the names that the last cell changes."""
    g = graph(*cells)
    return " ".join(sorted(n for n in g.changers if len(cells) in g.changers[n])) or "-"


@pytest.mark.parametrize(
    ("cells", "answer"),
    [
        ((ADD, "add(xs)"), "xs"),
        ((ADD, "add(xs, ys)"), "xs"),
        ((ADD, "add(n=ys, l=xs)"), "xs"),
        ((ADD, "y = add(xs.items)"), "xs"),
        ((ADD, "for i in r: add(xs, i)"), "xs"),
        ((ADD, "print(add(xs))"), "xs"),
        ((ADD, "add(*xs)"), "-"),
        ((ADD, "add([])"), "-"),
        ((ADD, "[add(v) for v in vs]"), "-"),
        ((ADD, "xs.frobnicate(); add"), "xs"),
        # what the function does with what it gets
        (("xs = []\ndef f(l): return l + [1]", "f(xs)"), "-"),
        (("xs = []\ndef f(l):\n    l = l[:]\n    l.append(1)", "f(xs)"), "-"),
        (("xs = []\ndef f(l):\n    l.append(1)\n    l = 2", "f(xs)"), "xs"),
        (("xs = []\ndef f(l):\n    if c: l = l[:]\n    l.append(1)", "f(xs)"), "xs"),
        (("df = g()\ndef f(d): d['a'] = 1", "f(df)"), "df"),
        (("df = g()\ndef f(d): d.drop('a', inplace=True)", "f(df)"), "df"),
        (("df = g()\ndef f(d): d.frobnicate()", "f(df)"), "-"),
        (("xs = []\ndef f(): xs.append(1)", "f()"), "xs"),
        (("xs = []\ndef f():\n    xs = []\n    xs.append(1)", "f()"), "-"),
        (("xs = []\nf = lambda l: l.append(1)", "f(xs)"), "xs"),
        # through other functions, and round in a circle
        ((ADD + "\ndef f(a): add(a)", "f(xs)"), "xs"),
        ((ADD + "\ndef f(a):\n    a = list(a)\n    add(a)", "f(xs)"), "-"),
        ((ADD + "\ndef f(a):\n    b = []\n    add(b)", "f(xs)"), "-"),
        ((ADD + "\ndef f(): add(xs)", "f()"), "xs"),
        (("xs = []\ndef f(l): g(l)\ndef g(l): h(l)\ndef h(l):\n    f(l)\n    l.pop()", "f(xs)"),
         "xs"),
        # other names for a function
        ((ADD + "\ng = add", "g(xs)"), "xs"),
        ((ADD + "\nh = {'a': add}", "h['a'](xs)"), "xs"),
        ((ADD + "\nh = [print, add]", "h[1](xs)"), "xs"),
        ((ADD + "\nh = {'a': lambda l: l.append(1)}", "h['a'](xs)"), "xs"),
        ((ADD + "\nfrom functools import partial\np = partial(add, ys)", "p(xs)"), "-"),
        ((ADD + "\nimport functools\np = functools.partial(add, ys)", "p(xs)"), "-"),
        (("def deco(f): return f\nxs = []\n@deco\ndef add(l): l.append(1)", "add(xs)"), "xs"),
        # methods
        ((CLASS, "y = c.push(1)"), "c"),
        ((CLASS, "y = c.twice(1)"), "c"),
        ((CLASS, "y = c.fill(xs)"), "xs"),
        ((CLASS, "y = c.look()"), "-"),
        ((CLASS, "d = C()\ny = d.push(1)"), "d"),
        (("xs = []\nclass C:\n    def __init__(self, l): l.append(1)", "c = C(xs)"), "xs"),
        (("class C:\n    def __call__(self): self.n += 1\nc = C()", "y = c()"), "c"),
    ],
)  # fmt: skip
def test_changed_by_a_call(cells: tuple[str, ...], answer: str) -> None:
    assert changed(*cells) == answer


def test_a_function_says_what_it_changes_itself() -> None:
    found = cell("def f(a, b):\n    a[0] = 1\n    b = 2\n    b.append(1)\n    k.sort()").functions
    assert names(found["f"].changes) == "a,k"
    assert names(found["f"].rebinds) == "b"
    methods = cell(CLASS).functions["C"].methods
    assert {name: names(m.changes) for name, m in methods.items()} == {
        "__init__": "self", "push": "self", "twice": "", "fill": "l", "look": "",
    }  # fmt: skip


def test_later_readers_depend_on_the_call() -> None:
    g = graph(ADD, "add(xs)", "xs")
    assert [(e.definer, e.name) for e in edges(g, (1, 2, 3)) if e.reader == 3] == [
        (1, "xs"), (2, "xs"),
    ]  # fmt: skip
    assert edges(g, (1, 2, 3))[-1].cause == "reads `xs`, which cell 2 (line 1) changes in place"


def test_a_change_binds_nothing() -> None:
    g = graph("def add(l): l.append(1)", "add(xs)", "xs")
    assert g.binders.get("xs", ()) == ()
    assert [use.name for _, use in unbound(g, (1, 2, 3))] == ["xs", "xs"]


def test_modules_do_not_count() -> None:
    assert changed("import m\ndef f(): m.options.clear()", "f()") == "-"


def test_false_negative_what_another_function_made() -> None:
    text = "xs = []\ndef make():\n    def g(l): l.append(1)\n    return g\nf = make()"
    assert changed(text, "f(xs)") == "-"


def test_false_negative_callbacks() -> None:
    assert changed("xs = [[]]\ndef f(l): l.append(1)", "list(map(f, xs))") == "-"


def test_false_negative_a_parameter_under_another_name() -> None:
    assert changed("xs = []\ndef f(l):\n    m = l\n    m.append(1)", "f(xs)") == "-"


@pytest.mark.parametrize("step", [1, -1])
def test_a_long_chain_in_any_order(step: int) -> None:
    chain = ["def f0(l): l.append(1)", *(f"def f{n}(l): f{n - 1}(l)" for n in range(1, 200))]
    assert changed("xs = []\n" + "\n".join(chain[::step]), "f199(xs)") == "xs"
