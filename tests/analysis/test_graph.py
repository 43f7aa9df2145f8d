from __future__ import annotations

import pytest
from analysiscase import graph, written

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.dependencies import edges, needs, unbound
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.values import replace


def needed(g: Graph, cell: int) -> str:
    return " ".join(written(u) + ("*" if u.via else "") for u in needs(g, cell))


def edge_text(g: Graph, *order: int) -> str:
    return " ".join(f"{e.definer}-{e.name}>{e.reader}" for e in edges(g, order))


def missing(g: Graph, *order: int) -> str:
    return " ".join(f"{i}:{written(u)}" for i, u in unbound(g, order))


def test_definers_and_mutators() -> None:
    g = graph("x = []\nimport m", "x.append(1)\nm.seed(0)", "x = [2]; y = 1; del y", "del x")
    assert g.binders.get("x", ()) == (1, 3)
    assert g.binders.get("y", ()) == ()
    assert g.changers.get("x", ()) == (2,)
    assert g.changers.get("m", ()) == ()


def test_edges_in_page_order() -> None:
    g = graph("x = 1", "y = x", "x = 2", "print(x, y)")
    assert edge_text(g, 1, 2, 3, 4) == "1-x>2 3-x>4 2-y>4"
    assert edge_text(g, 3, 1, 2, 4) == "1-x>2 1-x>4 2-y>4"


def test_edges_to_cells_that_may_bind_or_change() -> None:
    g = graph("x = []", "if c: x = [1]", "x.append(1)", "x[0]")
    assert edge_text(g, 1, 2, 3, 4) == "1-x>3 2-x>3 1-x>4 2-x>4 3-x>4"


def test_causes() -> None:
    g = graph("df = 1", "\n\ndf = df.dropna()", "df.fit(1)\ndef plot(a): return a + df", "plot(df)")
    assert [e.cause for e in edges(g, (1, 2, 3, 4))] == [
        "reads `df`, which cell 1 (line 1) defines",
        "reads `df`, which cell 2 (line 1) defines",
        "reads `plot`, which cell 3 (line 2) defines",
        "reads `df`, which cell 2 (line 1) defines",
        "reads `df`, which cell 3 (line 1) changes in place",
    ]
    g = graph("df = 1", "def plot(): return df", "plot()")
    assert [e.cause for e in edges(g, (1, 2, 3))] == [
        "reads `plot`, which cell 2 (line 1) defines",
        "calls `plot` (cell 2), which reads `df`, which cell 1 (line 1) defines",
    ]
    assert needs(g, 3)[1].via == "through plot(), defined in cell 2 (line 1)"


@pytest.mark.parametrize(
    ("cells", "answer"),
    [
        (["def f(): return x", "f()"], "f x*"),
        (["def f(): return x", "x = 1; f()"], "f"),
        (["def f(): return x", "f(); x = 1"], "f x*"),
        (["def f(): return x", "if c: f()"], "c f? x?*"),
        (["def f():\n    if c: return x", "f()"], "f c* x?*"),
        (["def g(): return x\ndef f(): return g()", "f()"], "f g* x*"),
        (["def f(): return f() + x", "f()"], "f x*"),
        (["def f(r): return r + x", "df.apply(f)"], "df f x?*"),
        (["", "df.apply(lambda r: r + x)"], "df x?*"),
        (["", "f = lambda: x\nf()"], "x*"),
        (["", "def f(): return x"], ""),
        (["", "def f(): return x\nx = 1\nf()"], ""),
        (["def f(): return x", "g = f\ng()"], "f x?*"),
        (["class C:\n    def m(self): return x", "c = C()\nc.m()"], "C x?*"),
        (["class C:\n    def __init__(self): x", "c = C()"], "C x*"),
        (["class B:\n    def m(self): x\nclass C(B): pass", "C()"], "C x?*"),
        (["from functools import partial\ndef f(a): return x", "p = partial(f, 1)\np()"],
         "partial f x?*"),
        (["def f(): return x", "@f\ndef g(): pass"], "f x*"),
        (["def f(): return x", "print(f)"], "f"),
        (["h = {'a': lambda: x}", "h['a']()"], "h x?*"),
        (["def f(): return x\nh = {'a': f}", "h['a']()"], "h x?*"),
        (["def f(r): return r + x", "list(map(f, xs))"], "f xs x?*"),
        (["def f(r): return r + x", "map(f, xs)"], "f xs x?*"),
        (["class C:\n    def m(self): return x\n    def n(self): return self.m()",
          "c = C()\nc.n()"], "C x?*"),
        (["def f(): return x\n@f\ndef g(): return y", "g()"], "g y* x?*"),
        (["h = get()", "h.m()"], "h"),
        # what a function returned to be called
        (["def make():\n    def g(): return x\n    return g\nf = make()", "f()"], "f x?*"),
        (["def make(k):\n    y\n    return lambda: x + k\nf = make(1)", "f()"], "f x?*"),
        (["def make():\n    x = 1\n    return lambda: x\nf = make()", "f()"], "f"),
        (["def make(): return x\nf = make()", "f()"], "f"),
    ],
)  # fmt: skip
def test_needs(cells: list[str], answer: str) -> None:
    assert needed(graph(*cells), 2) == answer


def test_nearest_definer_above_is_called() -> None:
    g = graph("def f(): return x", "def f(): return y", "f()", "def f(): return z")
    assert needed(g, 3) == "f y*"
    assert needed(graph("f()", "def f(): return z"), 1) == "f z*"


def test_global_write_through_a_call() -> None:
    g = graph("def f():\n    global n\n    n = 1", "f()", "n")
    assert g.binders.get("n", ()) == (2,)
    assert edge_text(g, 1, 2, 3) == "1-f>2 2-n>3"
    assert missing(g, 1, 2, 3) == ""
    assert missing(g, 1, 3) == "1:n"


def test_unbound() -> None:
    assert missing(graph("x = 1", "x + y"), 1, 2) == "1:y"
    assert missing(graph("x = 1", "x + y"), 2, 1) == "0:x 0:y"
    assert missing(graph("x = 1", "del x", "x"), 1, 2, 3) == "2:x"
    assert missing(graph("x = 1", "if c: del x", "x"), 1, 2, 3) == "1:c"
    assert missing(graph("from a import *", "x"), 1, 2) == ""
    assert missing(graph("x\nfrom a import *\ny", "z"), 1, 2) == "0:x"
    assert missing(graph("try:\n    f()\nexcept E as e:\n    pass", "e"), 1, 2) == "0:f 0:E? 1:e"


def test_unbound_leaves_the_words_of_a_cell_that_does_not_parse() -> None:
    assert missing(graph("x = = 1", "x", "y"), 1, 2, 3) == "2:y"


def test_builtins_count_when_the_notebook_binds_them() -> None:
    g = graph("sum = 0", "sum + max(1)", "max(2)")
    assert edge_text(g, 1, 2, 3) == "1-sum>2"
    assert missing(g, 2, 3) == ""


def test_annotations_that_no_cell_evaluates() -> None:
    """IPython keeps what a cell imports of the future; a Python of today asks for none."""
    own = "class C:\n    n: N\n    def f(self, a: T) -> C: pass"
    assert [use.name for use in needs(graph("", own), 2)] == ["N", "T", "C"]
    assert needs(graph("from __future__ import division, annotations", own), 2) == ()
    page = replace(graph(own).notebook, metadata={"language_info": {"version": "3.14.1"}})
    assert needs(build(page), 1) == ()


def test_a_cell_run_twice_may_read_itself() -> None:
    assert edge_text(graph("x = 1", "x = x + 1"), 1, 2, 2) == "1-x>2 2-x>2"


def test_edges_stay_linear() -> None:
    g = graph("xs = []", *["xs.append(1)"] * 200, "xs")
    assert len(edges(g, range(1, 203))) < 200 * 18


# -- worked examples of the papers ---------------------------------------------------------------


def test_section_4_4_call_through_a_list() -> None:
    """f is in the list, so x may be live; `lst[1]` is the lambda, which only a run can know."""
    g = graph("x = 0\ndef f(y):\n    return x + y\nlst = [f, lambda t: t + 1]", "print(lst[1](2))")
    assert needed(g, 2) == "lst x?*"


def test_false_positive_function_in_a_container_that_is_not_the_one_called() -> None:
    g = graph("def f(y): return x\nlst = [f, len]", "lst[1]('a')")
    assert needed(g, 2) == "lst x?*"


def test_archaeology_figure_2_a_ambiguous() -> None:
    g = graph(
        "import pandas as pd",
        "df = pd.read_csv('penguins_size.csv')",
        "df = pd.read_csv('penguins_lter.csv')",
        "df['Island']",
    )
    assert g.binders.get("df", ()) == (2, 3)
    assert edge_text(g, 1, 2, 3, 4) == "1-pd>2 1-pd>3 3-df>4"
    assert edge_text(g, 1, 3, 2, 4) == "1-pd>3 1-pd>2 2-df>4"


def test_archaeology_figure_2_b_out_of_order() -> None:
    g = graph(
        "df.groupby('island')['body_mass_g'].median().plot(kind='bar')",
        "import pandas as pd",
        "df = pd.read_csv('penguins_size.csv')",
        "df.groupby('island')['body_mass_g'].median()",
    )
    assert missing(g, 1, 2, 3, 4) == "0:df"
    assert missing(g, 2, 3, 4, 1) == ""


def test_wiener_process() -> None:
    g = graph(
        "import numpy as np, pandas as pd, altair as alt",
        """
        def wiener(tmax, n):
            times = np.linspace(0, tmax, n)
            difference = np.diff(times)
            process = np.random.normal(0, difference**.5)
            process = np.cumsum(process)
            return times, process
        """,
        "t, W = wiener(1.0, 1000)",
        """
        data = pd.DataFrame({'time': t, 'W': w})
        alt.Chart(data).mark_line().encode(
            x = 'time',
            y = 'W:Q'
        )
        """,
    )
    assert missing(g, 1, 2, 3, 4) == "3:w"
    assert g.binders.get("w", ()) == ()
    assert needed(g, 3) == "wiener np*"
