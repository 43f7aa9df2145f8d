from __future__ import annotations

import sys

import pytest
from analysiscase import cell, dead, defined, facts, function, live

from pytest_nbsafe.analysis.scopes import is_known, known_names


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("x", "x"),
        ("print(len(x), y)", "x y"),
        ("x = 1; x", ""),
        ("x += 1", "x"),
        ("a = b; b = a", "b"),
        ("a[0] = b", "a b"),
        ("a.b.c = d", "a d"),
        ("del x", "x"),
        ("x = 1; del x; x", ""),
        # comprehensions: the first iterable belongs outside, walrus too
        ("[x for x in x]", "x"),
        ("[x + k for x in xs]", "k? xs"),
        ("[x for x in xs if x > low]; x", "xs low? x"),
        ("[(x, y) for x in xs for y in x]", "xs"),
        ("[(x, y) for x in xs for y in ys]", "xs ys?"),
        ("{k: v for k, v in d.items()}", "d"),
        ("sum(w := x for x in xs); w", "xs w?"),
        ("[y for x in xs if (y := x)]; y", "xs y?"),
        # functions: defaults, decorators, annotations at once; bodies when called
        ("def f(a=d, *b: t, **c) -> r:\n    return a + body", "d t r"),
        ("@deco(arg)\ndef f(): x", "deco arg"),
        ("from __future__ import annotations\ndef f(a: T) -> R: pass", ""),
        ("g = lambda a=d: a + body", "d"),
        ("f(lambda a: a + body)", "f"),
        ("async def f():\n    await x", ""),
        ("await x", "x"),
        ("async for a in b: pass", "b"),
        ("async with a as b: b", "a"),
        # classes: bases and bodies at once, methods when called
        ("class A(B, metaclass=M):\n    x = y\n    z = x\n    def m(self): return w", "B M y"),
        ("class A:\n    x = 1\n    y = [x for _ in range(3)]", "x?"),
        ("class A:\n    xs = [1]\n    y = [x for x in xs]", ""),
        ("class A:\n    x = x", "x"),
        ("class A:\n    if c:\n        x = 1\n    y = x", "c x?"),
        ("class A:\n    n: int = k\n    m: T", "k T"),
        ("class A:\n    global g\n    g = 1\ng", ""),
        ("class A:\n    print(__qualname__, __module__)", ""),
        # binding forms
        ("import a.b.c; a", ""),
        ("import a.b as c; a; c", "a"),
        ("from a import b as c; b; c", "b"),
        ("for i, (j, *k) in x: print(i, j, k)", "x"),
        ("with a as b, b.c as (d, e): d, e", "a"),
        ("try:\n    f()\nexcept E as e:\n    e\n", "f E?"),
        ("try:\n    f()\nexcept E as e:\n    pass\ne", "f E? e?"),
        ("try:\n    f()\nexcept E as e:\n    pass\nelse:\n    e = 1\ne", "f E?"),
        ("x: int = y; x", "y"),
        ("x: T", "T"),
        (
            "match a:\n    case [b, *c]: b, c\n    case {'k': d, **e}: d, e\n    case P(x=f): f",
            "a P?",
        ),
        ("match a:\n    case m.V: pass\n    case q if q > r: pass", "a m r?"),
        ("match a:\n    case 1: x = 1\n    case _: x = 2\nx", "a"),
        ("match a:\n    case 1: x = 1\nx", "a x?"),
        # f-strings, starred, slices
        ("f'{a!r:>{b}}'", "a b"),
        ("g(*a, **b)", "g a b"),
        ("x[a:b, c]", "x a b c"),
        # names that are always there
        ("In, Out, _, __, ___, _1, _i2, _ih, _oh, _dh, exit, quit, get_ipython, display", ""),
        ("__name__, __builtin__, __builtins__, __doc__, __IPYTHON__", ""),
        ("__file__", "__file__"),
        ("xrange(3)", "xrange"),
        ("globals()['x']", "x"),
        ("globals()['x'] = 1; x", ""),
        ("exec('x = y')\nx", "y?"),
        ("eval('x + 1')", "x?"),
    ],
)
def test_live(text: str, answer: str) -> None:
    assert live(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a and b", "a b?"),
        ("a or b or c", "a b? c?"),
        ("a if c else b", "a? c b?"),
        ("a < b < c", "a b c?"),
        ("if c:\n    a\nelse:\n    a", "c a"),
        ("if c:\n    a", "c a?"),
        ("if c:\n    a = 1\na", "c a?"),
        ("if c:\n    a = 1\nelse:\n    raise E\na", "c E?"),
        ("while c:\n    a", "c a?"),
        ("while True:\n    a\n    break", "a"),
        ("while True:\n    a = f()\n    if a: break\na", "f"),
        ("for i in x:\n    a", "x a?"),
        ("for i in x:\n    i = 1\nelse:\n    b\ni", "x b i?"),
        ("for i in x:\n    break\nelse:\n    b", "x b?"),
        ("if False:\n    a", ""),
        ("if 1:\n    a", "a"),
        ("assert a, b", "a b?"),
        ("if (m := f()) and (n := g(m)) and n:\n    m, n", "f g?"),
        ("(y := f()) and y", "f"),
        ("c and (y := 1)\ny", "c y?"),
        ("x = 1 if (y := f()) else y", "f"),
        ("if not (c and (y := 1)):\n    raise E\ny", "c E?"),
        ("while (line := f()):\n    line", "f"),
        ("with open(p) as f:\n    a = f\na", "p"),
        ("import sys\nif c:\n    a = 1\nelse:\n    sys.exit()\na", "c"),
    ],
)
def test_certain(text: str, answer: str) -> None:
    assert live(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("try:\n    x\nexcept NameError:\n    x = 1\nx", "x?!"),
        ("try:\n    x\nexcept NameError:\n    pass\nx", "x"),
        ("try:\n    x\nexcept (ValueError, Exception):\n    pass", "x?!"),
        ("try:\n    x\nexcept:\n    pass", "x?!"),
        ("try:\n    x.a\nexcept AttributeError:\n    pass", "x"),
        ("try:\n    a(); b\nexcept ValueError:\n    pass", "a b?"),
        ("try:\n    x = f()\nexcept ValueError:\n    x", "f x?"),
        ("try:\n    x = f()\nfinally:\n    g()\nx", "f g"),
        ("try:\n    import a\nexcept ImportError:\n    a = None\na", ""),
        ("try:\n    import a\nexcept ImportError:\n    pass\na", "a?"),
        ("if 'x' in globals():\n    x", "x?!"),
        ("if 'x' not in globals():\n    x = 1\nx", "x?!"),
        ("x = x if 'x' in dir() else 0", "x?!"),
        ("if 'x' in locals() and x > 1:\n    x", "x?!"),
        ("if 'x' in globals():\n    y\nx", "y? x"),
        ("from contextlib import suppress\nwith suppress(NameError):\n    x\ny", "x?! y"),
        ("from contextlib import suppress\nwith suppress(OSError):\n    a = f()\na", "f a?"),
    ],
)
def test_guarded(text: str, answer: str) -> None:
    assert live(text) == answer


def test_finally_is_walked_on_every_way_out() -> None:
    text = """
        for i in r:
            try:
                if i: break
                x = 1
            finally:
                y = 1
        else:
            y, x
        y
    """
    assert live(text) == "r y? x?"


def test_finally_within_finally_is_bounded() -> None:
    text = "".join(
        " " * n + "try:\n" + " " * n + " a()\n" + " " * n + "finally:\n" for n in range(18)
    )
    assert live(text + " " * 18 + "b") == "a b"


def test_python_2_names() -> None:
    assert live("xrange(3); unicode('x'); y", python_major=2) == "y"
    assert "reduce" in known_names(2)
    assert not is_known("reduce")


def test_dead() -> None:
    assert dead("x = 1; y = x") == "x y"
    assert dead("x = x + 1") == ""
    assert dead("x = 1; x = x + 1") == "x"
    assert dead("x += 1") == ""
    assert dead("for x in y: z = 1") == ""
    assert dead("def f(): pass\nimport a\nclass C: pass") == "C a f"
    assert dead("print(x); x = 1") == "x"


def test_definitions() -> None:
    assert defined("import a\ndef f(): pass\nclass C: pass\nx = 1\nx += 1\ndel x") == (
        "import:a function:f class:C assign:x augmented:x delete:x"
    )
    assert defined("for i in r: j = i") == "loop:i? assign:j?"
    assert defined("with a as b: pass") == "with:b"
    assert defined("if c:\n    x = 1\nelse:\n    x = 2") == "assign:x assign:x"
    assert defined("if c:\n    x = 1") == "assign:x?"
    assert defined("(y := 1)") == "walrus:y"
    assert defined("x: int = 1") == "annotation:x"
    assert defined("x: int") == ""
    assert defined("match a:\n    case b: pass") == "match:b"
    assert defined("try:\n    f()\nexcept E as e:\n    pass") == "except:e?"
    assert defined("x.append(1)\nx[0] = 1\nx.a += 1\ndel x[0]\nx.sort()") == " ".join(
        ["mutation:x"] * 5
    )
    assert defined("x = !ls") == "magic:x"
    assert defined("%%capture out\ny = 1") == "magic:out assign:y"
    assert defined("from a import *") == ""
    assert defined("def f():\n    global g\n    g = 1") == "function:f"


def test_what_is_left_at_the_end() -> None:
    analysis = cell(
        "x = 1\ny = 2\ndel y\nif c:\n    z = 1\ntry:\n    f()\nexcept E as e:\n    pass"
    )
    assert sorted(analysis.sure) == ["x"]
    assert sorted(analysis.leaves) == ["x", "z"]
    assert sorted(analysis.removed) == ["y"]
    assert sorted(analysis.defines) == ["e", "x", "y", "z"]


def test_lineage_facts_of_table_1() -> None:
    assert facts("a = b + c") == ["a<-b,c"]
    assert facts("a, b = b, a + c") == ["a<-b b<-a,c"]
    assert facts("a, b = c") == ["a<-c b<-c"]
    assert facts("a = b = c") == ["a<-c b<-c"]
    assert facts("a += b") == ["a<-a,b"]
    assert facts("a = f(b)") == ["a<-b,f"]
    assert facts("for a in b: c = a") == ["a<-b", "c<-a"]
    assert facts("with open(p) as f: pass") == ["f<-p"]
    assert facts("def f(a=e): return x") == ["f<-e"]
    assert facts("@d\ndef f(a: t): return x") == ["f<-d,t"]
    assert facts("class c(e):\n    a = b\n    def m(self): return x") == ["c<-b,e"]
    assert facts("import a, b.c") == ["a<- b<-"]
    assert facts("if (n := f(x)): pass") == ["n<-f,x"]
    assert facts("del a") == ["del a"]
    assert facts("x.append(y)") == ["x*=y"]
    assert facts("x[i] = y") == ["x*=i,y"]
    assert facts("x.a.b = y") == ["x*=y"]
    assert facts("x[0], z = y, w") == ["z<-w x*=y"]
    assert facts("df.head()") == ["reads df"]
    assert facts("df.dropna(inplace=True)") == ["df*="]
    assert facts("print(x)") == ["reads x"]
    assert facts("while a: b") == ["reads a", "reads b"]
    # section 3.2's own example
    assert facts("gen = map(lambda x: f(x), foo + [bar])") == ["gen<-bar,f,foo"]


def test_functions() -> None:
    assert function("def f(a):\n    b = a + g\n    return b * h", "f") == ("reads g h; returns g,h")
    assert function("def f():\n    if c: return x\n    return h(y)", "f") == (
        "reads c x? h? y?; returns h,x,y; calls h,y"
    )
    assert function("def f():\n    global n\n    n += 1", "f") == "reads n; writes n"
    assert function("def f():\n    def g(): return x\n    return g()", "f") == ("reads x?")
    assert function("f = lambda a: a + b", "f") == "reads b; returns b"
    assert function(
        "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = y", "f"
    ) == ("reads y?")
    assert function("def f():\n    x: T = 1\n    return x", "f") == ""
    assert function("def f():\n    y: int\n    return y", "f") == ""
    assert function("def f():\n    return x\n    x = 1", "f") == ""
    assert function("def f():\n    yield a", "f") == "reads a; returns a"
    assert function("class C:\n    def __init__(self): a\n    def m(self): return b", "C") == (
        "reads a b?; returns b"
    )
    assert function("class C(B): pass", "C") == "calls B"
    assert function(
        "def f():\n    x = 1\n    def g():\n        global x\n        return x", "f"
    ) == ("reads x?")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters() -> None:
    assert live("def f[T](a: T = d) -> list[T]: return T") == "d"
    assert live("class A[T](B[T]):\n    x: T") == "B"
    assert live("type X = list[y]\nX") == ""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="syntax of Python 3.11")
def test_except_star() -> None:
    assert live("try:\n    f()\nexcept* E as e:\n    e\ne") == "f E? e?"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("from a import *", "`from a import *` may bind any name"),
        ("exec(code)", "`exec(...)` may bind any name"),
        ("globals()[n] = 1", "`globals()[...] = ...` may bind any name"),
        ("globals().update(d)", "`globals().update(...)` may bind any name"),
        ("locals().update(d)", "`locals().update(...)` may bind any name"),
        ("vars()[n] = 1", "`vars()[...] = ...` may bind any name"),
        ("f(globals())", "`f(globals())` may bind any name"),
        ("import builtins\nbuiltins.x = 1", "`builtins.x = ...` binds a builtin name"),
        ("%run a.py", "`%run` runs another file, which may define names here"),
        ("%pylab inline", "`%pylab` imports the names of numpy and matplotlib"),
        (
            "get_ipython().magic('run a.py')",
            "`%run` runs another file, which may define names here",
        ),
        ("get_ipython().push(d)", "`get_ipython().push(...)` may bind any name"),
        ("get_ipython().run_cell(s)", "`get_ipython().run_cell(...)` may bind any name"),
        ("%%nosuch\nx", "`%%nosuch` is not known and may define names"),
        ("def f():\n    globals().update(d)", "`globals().update(...)` may bind any name"),
    ],
)
def test_opaque(text: str, cause: str) -> None:
    assert [o.cause for o in cell(text).opaque] == [cause]


@pytest.mark.parametrize(
    "text",
    [
        "%matplotlib inline",
        "%time x = 1",
        "%load_ext autoreload\n%autoreload 2",
        "%config InlineBackend.figure_format = 'retina'",
        "%timeit f()",
        "!pip install x",
        "%%bash\nls",
        "globals()['x'] = 1",
        "'x' in globals()",
        "globals().get('x')",
        "print(locals())",
        "def f():\n    exec(code)\n    return locals()",
    ],
)
def test_not_opaque(text: str) -> None:
    assert cell(text).opaque == ()


def test_columns_count_characters() -> None:
    use = cell("é = 'ö' + ж + ü").uses[1]
    assert (use.name, use.span.column, use.span.end_column) == ("ü", 15, 16)
