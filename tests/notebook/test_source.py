"""IPython's syntax to Python: text in, text out; and the same as IPython where it is installed."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.notebook import magics
from pytest_nbsafe.notebook.load import read
from pytest_nbsafe.notebook.source import Escape, to_python

CORPUS = Path(__file__).parents[2].parent / "shared/notebooks"

GUARDED = "{0} if '{0}' in globals() else None".format

CASES = {
    # what is Python stays
    "a = 5\nb": "a = 5\nb",
    "a = (5\n % 3)": "a = (5\n % 3)",
    "a = 5 \\\n % 3": "a = 5 \\\n % 3",
    "s = '''\n%ls\n!x\nwhy?\n'''": "s = '''\n%ls\n!x\nwhy?\n'''",
    's = "\\\n%ls"': 's = "\\\n%ls"',
    "f('=!x') == '%d' % 3  # why?": "f('=!x') == '%d' % 3  # why?",
    "x = y; await z;": "x = y; await z;",
    "print 'Python 2'": "print 'Python 2'",
    # line magics
    "%matplotlib inline\nx": "get_ipython().run_line_magic('matplotlib', 'inline')\nx",
    "if a:\n    %who": "if a:\n    get_ipython().run_line_magic('who', '')",
    "%cd \\\n  d\nx": "get_ipython().run_line_magic('cd', '   d')\n\nx",
    "%cd {a}/$b": f"get_ipython().run_line_magic('cd', '{{a}}/$b', {GUARDED('a')}, {GUARDED('b')})",
    "%R -i X,Y -o Z": "Z = get_ipython().run_line_magic('R', '-i X,Y -o Z', X, Y)",
    "%R -d frame": "frame = get_ipython().run_line_magic('R', '-d frame')",
    "%xdel a": "get_ipython().run_line_magic('xdel', 'a'); del a",
    # line magics that run Python; it keeps its columns where it can
    "%time f(x)": "0;    f(x)",
    "%time x = 1  # c": "0;    x = 1  # c",
    "if a:\n  %prun -s cum x = f()": "if a:\n  0;           x = f()",
    "%time for i in x: f(i)": "for i in x: f(i)",
    "%time !ls": "get_ipython().system('ls')",
    "%time print x": "get_ipython().run_line_magic('time', 'print x')",
    "%timeit -n1 -r 3 y = f(x); g(y)": (
        "get_ipython().run_line_magic('timeit', '-n1 -r 3 y = f(x); g(y)', f, x, g)"
    ),
    "t = %timeit -o f(1)": "t = get_ipython().run_line_magic('timeit', '-o f(1)', f)",
    # cell magics
    "\n%%time\nx = 1": "\nget_ipython().run_cell_magic('time', '', '')\nx = 1",
    "%%capture out\n%%time\n!ls": (
        "out = get_ipython().run_cell_magic('capture', 'out', '')\n"
        "get_ipython().run_cell_magic('time', '', '')\n"
        "get_ipython().system('ls')"
    ),
    "%%timeit -n 1 s = 3\ny = f(x)\ng(y, s,\n  z)": (
        "get_ipython().run_cell_magic('timeit', '-n 1 s = 3', '', \n    f,x,\ng,\n  z,)"
    ),
    "%%timeit\nprint x": "get_ipython().run_cell_magic('timeit', '', '')\nprint x",
    "%%prun x = 1\ny": "get_ipython().run_cell_magic('prun', 'x = 1', ''); x = 1\ny",
    "%%bash --out o\nls\nx?": "o = get_ipython().run_cell_magic('bash', '--out o', '')\n\n",
    "x\n%%time": "x\nget_ipython().run_line_magic('%time', '')",
    # the shell
    "!ls": "get_ipython().system('ls')",
    "!!ls": "get_ipython().getoutput('ls')",
    "x = !ls  # no comment": "x = get_ipython().getoutput('ls  # no comment')",
    "x, y = !ls $a": f"x, y = get_ipython().getoutput('ls $a', {GUARDED('a')})",
    "!echo {d['k'] + 1} {len(e)}": (
        f"get_ipython().system(\"echo {{d['k'] + 1}} {{len(e)}}\", {GUARDED('d')}, {GUARDED('e')})"
    ),
    "!echo '$a' $$b $1 {{c}} {1 +}": ("get_ipython().system(\"echo '$a' $$b $1 {{c}} {1 +}\")"),
    "!echo \\\n  hi\ny": "get_ipython().system('echo    hi')\n\ny",
    "!echo 'why?": 'get_ipython().system("echo \'why?")',
    # help and auto-call
    "?": "get_ipython().show_usage()",
    "?x": "get_ipython().run_line_magic('pinfo', 'x')",
    "x.y[0]??": "get_ipython().run_line_magic('pinfo2', 'x.y[0]')",
    "np.*load*?": "get_ipython().run_line_magic('psearch', 'np.*load*')",
    "%time?": "get_ipython().run_line_magic('pinfo', '%time')",
    ",f a b": 'f("a", "b")',
    ";f a b": 'f("a b")',
    "/f a b": "f(a, b)",
    # pasted code
    "  a = 1\n  b": "a = 1\nb",
    ">>> if a:\n...     b\n>>> c": "if a:\n    b\nc",
    "In [12]: a = 1\n   ...: b": "a = 1\nb",
    "'''\n>>> a\n'''": "'''\n>>> a\n'''",
    "a\r\n!ls\r\n": "a\nget_ipython().system('ls')\n",
}

AUTOMAGIC = {
    "pip install x": "get_ipython().run_line_magic('pip', 'install x')",
    "\n ls -l\n": "\nget_ipython().run_line_magic('ls', '-l')\n",
    "ls": "ls if 'ls' in globals() else get_ipython().run_line_magic('ls', '')",
    "time = 3": "time = 3",
    "run (x)": "run (x)",
    "pip install x\ny": "pip install x\ny",
}


@pytest.mark.parametrize("source", [*CASES, *AUTOMAGIC])
def test_text_in_text_out(source: str) -> None:
    assert (CASES | AUTOMAGIC)[source] == to_python(source).text


@pytest.mark.parametrize(
    ("source", "escapes"),
    [
        ("x", ()),
        ("\nx = !ls", (Escape(2, "assign-shell", "getoutput", "ls", ("x",)),)),
        ("a, *b = %alias", (Escape(1, "assign-magic", "alias", "", ("a", "b")),)),
        (
            "%%capture o\n\n%%bash --out p\nls",
            (
                Escape(1, "cell-magic", "capture", "o", ("o",)),
                Escape(3, "opaque-cell", "bash", "--out p", ("p",)),
            ),
        ),
        ("!ls", (Escape(1, "shell", "system", "ls"),)),
        ("a \\\n = !ls", (Escape(2, "assign-shell", "getoutput", "ls", ("a",)),)),
        ("x\n%Rpull a b", (Escape(2, "line-magic", "Rpull", "a b", ("a", "b")),)),
        ("%sql r << SELECT", (Escape(1, "line-magic", "sql", "r << SELECT", ("r",)),)),
        ("x\ny?", (Escape(2, "help", "pinfo", "y"),)),
        ("/f x", (Escape(1, "autocall", "f", "x"),)),
        (
            "%run a.py",
            (Escape(1, "line-magic", "run", "a.py", (), magics.line_cause("run", "a.py")),),
        ),
    ],
)
def test_escapes(source: str, escapes: tuple[Escape, ...]) -> None:
    assert escapes == to_python(source).escapes


@pytest.mark.parametrize(
    ("cell", "loud"),
    [
        ("%matplotlib inline", False),
        ("%nosuchmagic", True),
        ("%pylab", True),
        ("%store -r", True),
        ("%store -r x", False),
        ("%%html\n", False),
        ("%%cython\n", True),
    ],
)
def test_what_may_define_names_says_why(cell: str, loud: bool) -> None:  # noqa: FBT001
    assert loud == bool(to_python(cell).escapes[0].opaque)


def test_false_negative_what_timeit_changes_in_place_is_not_seen() -> None:
    assert "append" not in to_python("%timeit a.append(1)").text.split("', ")[-1]


@given(
    st.lists(
        st.sampled_from(
            [
                *"%!?,;/=()[]{}'\"\\\n\r\f\v\0 $#:.>ax1",
                "%%time",
                "%%timeit ",
                "%%capture o",
                "%%bash",
                "%time ",
                "%timeit -n 1 ",
                "= !",
                "'''",
                '"""',
                ">>> ",
                "... ",
                "In [1]: ",
                "\\\n",
                "\ud800",
                "é",
                "\n    ",
            ]
        ),
        max_size=25,
    ).map("".join)
    | st.text(max_size=30)
)
def test_no_text_breaks_it_and_lines_are_kept(source: str) -> None:
    assert source.count("\n") == to_python(source).text.count("\n")


@pytest.mark.parametrize("source", ["%%timeit\na\rb\rc", "%%timeit\nf'''\n\n{a}{\nb}'''"])
def test_names_past_the_last_line(source: str) -> None:
    text = to_python(source).text
    assert parsed(text)
    assert source.count("\n") == text.count("\n")


@pytest.mark.parametrize("source", ["%%time\n" * 3000, "%time " * 3000 + "x", "!" + "{" * 9000])
def test_deep_nesting_ends(source: str) -> None:
    assert source.count("\n") == to_python(source).text.count("\n")


# Held against IPython


def theirs(source: str) -> str:
    transformer = pytest.importorskip("IPython.core.inputtransformer2")
    if transformer.leading_indent([" a\n", "b\n"]) != [" a\n", "b\n"]:
        pytest.skip("this older IPython takes off indentation and prompts in another way")
    try:
        return str(transformer.TransformerManager().transform_cell(source))
    except SyntaxError:  # a bad indentation stops its tokenizer
        return "("


def parsed(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return None


KEPT = {"run_line_magic": 2, "run_cell_magic": 2, "system": 1, "getoutput": 1, "show_usage": 0}


class Plain(ast.NodeTransformer):
    """Takes away what our calls have more than IPython's, and unfolds what IPython hides."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Drop the reads that we hand over."""
        self.generic_visit(node)
        if ast.unparse(node.func).startswith("get_ipython()."):
            assert isinstance(node.func, ast.Attribute)
            node.args = node.args[: KEPT.get(node.func.attr)]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Drop the names that a magic binds by itself."""
        self.generic_visit(node)
        magic = ast.unparse(node.value).startswith("get_ipython().run_")
        return ast.Expr(node.value) if magic else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """Drop the `0;` that keeps columns; show the Python that IPython's `%time` runs."""
        if isinstance(node.value, ast.Constant) and node.value.value == 0:
            return []
        match node.value:
            case ast.Call(
                func=ast.Attribute(attr="run_line_magic"),
                args=[ast.Constant(value=str(name)), ast.Constant(value=str(arguments)), *_],
            ) if name in magics.PYTHON_LINES and name != "timeit":
                code = arguments[magics.PYTHON_LINES[name].options_end(arguments) :]
                if code and (tree := parsed(theirs(code))):
                    return [s for s in self.visit(tree).body if isinstance(s, ast.stmt)]
        self.generic_visit(node)
        return node

    def visit_Delete(self, node: ast.Delete) -> ast.AST | list[ast.stmt]:
        """Drop every `del`: we write one for `%xdel`."""
        return node if not isinstance(node.targets[0], ast.Name) else []


def dump(tree: ast.Module) -> str:
    return ast.dump(Plain().visit(tree))


def body_of(source: str) -> tuple[int, str] | None:
    """Return how many lines stand before the body of a cell magic that runs Python, and it."""
    lines = source.split("\n")
    top = next((i for i, line in enumerate(lines) if line.strip()), 0)
    name = lines[top].strip()[2:].partition(" ")[0]
    if not lines[top].startswith("%%") or name not in magics.PYTHON_CELLS or name == "timeit":
        return None
    return top + 1, "\n".join(lines[top + 1 :])


def check_like_ipython(source: str) -> None:
    text = to_python(source).text
    assert source.count("\n") == text.count("\n")
    while body := body_of(source):
        source = body[1]
        text = "\n".join(text.split("\n")[body[0] :])
    wanted, got = parsed(theirs(source)), parsed(text)
    assert (wanted is not None) == (got is not None)
    if wanted and got:
        assert dump(wanted) == dump(got)


# What IPython does with an open quote before `?` depends on its Python's tokenizer; the body of
# a `%%timeit` that is not Python is left for the analysis, IPython only says so when it runs.
UNLIKE = {"!echo 'why?", "%%timeit\nprint x"}


@pytest.mark.parametrize("source", sorted(CASES.keys() - UNLIKE))
def test_like_ipython(source: str) -> None:
    check_like_ipython(source)


PIECES = [
    *(
        "x",
        "y = 1",
        "",
        "   ",
        "  x",
        "\tx",
        "    y",
        "if x:",
        "def f():",
        "    return 5 % 3",
        "x;",
    ),
    *("%ls", "%time x = 1", "%timeit f(x)", "%prun -s cum f(x)", "% time x", "%who?", "%", "%%"),
    *("%%time", "%%capture out", "%%bash", "%% time", "%run a.py", "%cd \\", "    %ls"),
    *("!ls {x}", "!!ls", "!", "!ls \\", "!echo \"a\" 'b'", "    !ls", "x == !y", "x != 1"),
    *("x = !ls $y", "x=%ls", "a, b = !ls", "x: int = !ls", "x += !ls", "    z = !ls", "x = y = !l"),
    *("x?", "?x", "x.y??", "?", "??", "x = ?", "x ? y", "# c?", "s = 'it?'", "f'{x!r:>{w}}?'"),
    *(",f a", "/f a b", ";f x", "/", "for i in x: y = !ls", "a = b if c else %d", r"r'\' % x"),
    *("'''", '"""d\n%ls\n"""', "(\n%x\n)", "]", "a = [\n 1 % 2,\n !x]", "f(a,\n  b)"),
    *(">>> x", "... y", "In [1]: x", "   ...: y", "await z", "x = {'a':1,\n'b':2} # =!"),
]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("\n".join))
def test_like_ipython_on_lines_put_together(source: str) -> None:
    check_like_ipython(source)


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the shared notebooks")
def test_like_ipython_on_the_corpus() -> None:
    notebooks = [read(path) for path in sorted(CORPUS.rglob("*.ipynb"))]
    cells = [(n.path, c) for n in notebooks if n.python_major == 3 for c in n.code_cells]
    unlike = []
    for path, cell in cells:
        try:
            check_like_ipython(cell.source)
        except AssertionError:
            unlike.append(f"{path} cell {cell.number}: {to_python(cell.source).text}")
    assert unlike == []
    assert len(cells) > 3000
