"""What cells show beyond names, as compact text: `callee=target(arguments)@function`."""

from __future__ import annotations

import pytest
from analysiscase import graph

from pytest_nbsafe.analysis import syntax
from pytest_nbsafe.analysis.invocations import Argument


def imported(*cells: str) -> list[str]:
    """One line an import of the last cell: `name=target`, `?` when guarded, `@function`."""
    g = graph(*cells)
    return [
        f"{i.name}={i.target}{'?' if i.guarded else ''}{'@' + i.function if i.function else ''}"
        for i in syntax.imports(g, len(cells))
    ]


def called(*cells: str) -> list[str]:
    """One line a call of the last cell."""
    return [
        f"{i.callee}={i.target}({', '.join(map(written, i.arguments))})"
        f"{'@' + i.function if i.function else ''}"
        for i in syntax.of(graph(*cells), len(cells)).invocations
    ]


def written(argument: Argument) -> str:
    """`k=text`, `!` for what is no literal, and the names where there is no text."""
    key = f"{argument.keyword}=" if argument.keyword else ""
    shown = argument.text or f"<{' '.join(argument.names)}>"
    return f"{key}{shown}{'' if argument.literal else '!'}"


def texts(*cells: str) -> list[str]:
    """One line a text of the last cell: value, the calls around it, what it is bound to."""
    found = syntax.of(graph(*cells), len(cells))
    return [
        f"{t.value} in {'>'.join(found.invocations[i].callee for i in t.calls)}"
        f"{' = ' + t.bound if t.bound else ''}{'@' + t.function if t.function else ''}"
        for t in found.texts
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import numpy as np", ["np=numpy"]),
        ("import os.path, sys", ["os=os", "sys=sys"]),
        ("import a.b as a", ["a=a.b"]),
        ("from sklearn.model_selection import KFold as K", ["K=sklearn.model_selection.KFold"]),
        ("from numpy.random import *", ["*="]),
        ("from . import a\nfrom .b import c", ["a=.a", "c=.b.c"]),
        (
            "try:\n    import a\nexcept ImportError:\n    import b\nelse:\n    import c",
            ["a=a?", "b=b?", "c=c?"],
        ),
        ("try:\n    import a\nexcept ValueError:\n    pass", ["a=a"]),
        ("try:\n    import a\nexcept (OSError, ModuleNotFoundError):\n    pass", ["a=a?"]),
        ("try:\n    import a\nexcept:\n    pass", ["a=a?"]),
        ("if TYPE_CHECKING:\n    import a", ["a=a?"]),
        ("if typing.TYPE_CHECKING:\n    import a", ["a=a?"]),
        ("if fast:\n    import a", ["a=a"]),
        ("with suppress(ImportError):\n    import a", ["a=a?"]),
        ("def f():\n    import a\n    def g():\n        import b", ["a=a@f", "b=b@f.g"]),
        ("class C:\n    import a\n    def m(self):\n        import b", ["a=a", "b=b@C.m"]),
        ("match x:\n    case 1:\n        import a", ["a=a"]),
        ("for i in x:\n    import a", ["a=a"]),
        ("%time import a", ["a=a"]),
        ("# import a", []),
    ],
)
def test_imports(text: str, expected: list[str]) -> None:
    assert imported(text) == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("import numpy as np", "np.random.seed(0)"), ["np.random.seed=numpy.random.seed(0)"]),
        (("from numpy import random as r\nr.rand(n=-1)",), ["r.rand=numpy.random.rand(n=-1)"]),
        (
            ("import os.path\nos.path.join(a.b, c + d)",),
            ["os.path.join=os.path.join(a.b!, <c d>!)"],
        ),
        (("f(*a, **b, k=[1, 'x'])",), ["f=(*=a!, **=b!, k=[1, 'x'])"]),
        (("f({'a': 1}, (1, x))",), ["f=({'a': 1}, <x>!)"]),
        (("f(g(2))",), ["f=(<g>!)", "g=(2)"]),
        (
            ("import pandas as pd\npd.read_csv(p).sample(3)",),
            ["pd.read_csv().sample=pandas.read_csv().sample(3)", "pd.read_csv=pandas.read_csv(p!)"],
        ),
        (("df['a'].map(f)",), ["df[].map=(f!)"]),
        (("','.join(x)",), [".join=(x!)"]),
        (("def f(x=g()):\n    h()",), ["g=()", "h=()@f"]),
        (("class C(B()):\n    def m(self):\n        h()",), ["B=()", "h=()@C.m"]),
        (("y = lambda n: h(n)",), ["h=(n!)"]),
        (("!ls {f(x)}\n%cd x\nf(1)",), ["f=(1)"]),
        (("f(" + repr(list(range(21))) + ")",), ["f=(<>!)"]),
    ],
)
def test_calls(cells: tuple[str, ...], expected: list[str]) -> None:
    assert called(*cells) == expected


def test_a_name_stands_for_what_bound_it_last_above() -> None:
    use = "np.f()"
    assert called("import numpy as np", use) == ["np.f=numpy.f()"]
    assert called("import numpy as np", "import jax.numpy as np", use) == ["np.f=jax.numpy.f()"]
    assert called("import numpy as np", "np = load()", use) == ["np.f=()"]
    assert called("import numpy as np\nnp.x = 1", use) == ["np.f=numpy.f()"]
    assert called("import numpy as np\nnp = 1", use) == ["np.f=()"]
    assert called(use, "np = 1\n", use) == ["np.f=()"]


def test_imports_below_count_where_there_are_none_above() -> None:
    g = graph("np.f()", "import numpy as np")
    assert [i.target for i in syntax.of(g, 1).invocations] == ["numpy.f"]


def test_names_of_a_function_hide_those_of_the_notebook() -> None:
    assert called("import random", "def f(random):\n    random.f()") == ["random.f=()@f"]
    assert called("import random", "def f():\n    random = 1\n    random.f()") == ["random.f=()@f"]
    assert called("import a", "def f():\n    import b as a\n    a.f()") == ["a.f=b.f()@f"]
    assert called("def f():\n    import a", "a.f()") == ["a.f=()"]
    assert called("import a", "g = lambda a: a.f()\na.g()") == ["a.f=()", "a.g=a.g()"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'''doc'''\ndef f():\n    '''doc'''\n    return 'x'", ["x in @f"]),
        ("p = 'x'", ["x in  = p"]),
        ("a.b['k'] = 'x'", ["x in  = a.b[]", "k in "]),
        ("p = join(base, 'x')", ["x in join = p"]),
        ("df = read(join('x', y))", ["x in read>join = df"]),
        ("read('x').head('y')", ["x in read", "y in read().head"]),
        ("f'/a/{b}/c'", []),
        ("g(f'/a/{b}/c')", ["/a/ in g"]),
        ("g(f'{b}/c')", []),
        ("if (p := 'x'): pass", ["x in  = p"]),
        ("for p in ['x', 'y']: g('z')", ["x in  = p", "y in  = p", "z in g"]),
        ("[g('z') for p in ['x'] if h('w')]", ["z in g", "x in  = p", "w in h"]),
        ("def f(a, p='x', *, q, r='y'): pass", ["x in  = p", "y in  = r"]),
        ("async def f(a, /, p='x', **q): pass", ["x in  = p"]),
        ("f = lambda p='x': p", ["x in  = p"]),
        ("x: 'T' = 'y'", ["y in  = x"]),
        ("g(lambda: 'x')", ["x in g"]),
        ("!cat '/home'", []),
    ],
)
def test_texts(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_places_are_those_of_the_page() -> None:
    found = syntax.of(graph("x = 'é' + f(\n  'y')\n%time g('z')"), 1)
    spans = [
        (s.line, s.column, s.end_line, s.end_column) for s in (i.span for i in found.invocations)
    ]
    assert spans == [(1, 11, 2, 7), (3, 7, 3, 13)]
    assert [(t.span.line, t.span.column) for t in found.texts] == [(1, 5), (2, 3), (3, 9)]


def test_magics_are_told_apart() -> None:
    found = syntax.of(graph("%cd /x\nf()"), 1)
    assert [(e.name, e.text) for e in found.escapes] == [("cd", "/x")]


def test_what_cannot_be_read_shows_nothing() -> None:
    assert syntax.of(graph("x ="), 1).invocations == ()
    assert syntax.imports(graph("import"), 1) == ()


def test_what_python_refuses_to_write_has_no_text() -> None:
    assert called(f"f(0x{'f' * 5000}, -0x{'f' * 5000}, [0x{'f' * 5000}])") == ["f=(<>!, <>!, <>!)"]


def test_deep_nesting_does_no_harm() -> None:
    deep = "x = f(" + "-" * 900 + "1)"
    assert len(syntax.of(graph(deep), 1).invocations) <= 1
    assert called("x = " + "a." * 200 + "f()")[0].endswith(".f=()")


def test_false_negative_a_module_under_another_name() -> None:
    assert called("import numpy as np\nr = np.random", "r.rand()") == ["r.rand=()"]
