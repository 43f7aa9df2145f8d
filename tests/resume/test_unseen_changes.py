"""A cell changes what a name holds without a word of that name: those below it run again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import makenb
import percent
import pytest
import tiers

from pytest_nbsafe.app import session
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.resume import session_kernel
from resume.shown_pages import shown

pytestmark = pytest.mark.kernel

HOLDERS = """
import collections, contextvars, copy, functools, math, operator, threading, types, weakref
rows = [1]
class Holder:
    shared = rows
    def __init__(self): self.rows = rows
    @property
    def grown(self): rows.append(self.by)
    def __iadd__(self, other):
        rows.append(other)
        return self
    def __getitem__(self, item): rows.append(item)
    def __del__(self): rows.append("gone")
def receive():
    while True: rows.append((yield))
def inner(value): exec("rows.append(value)", globals(), {"value": value})
def named(value): globals()["rows"].append(value)
@functools.lru_cache
def cached(): return rows
holder = Holder()
append, part = rows.append, functools.partial(list.append, rows)
referred, proxy = weakref.ref(holder), weakref.proxy(holder)
context, local = contextvars.ContextVar("context"), threading.local()
token = context.set(rows)
local.rows = rows
receiver = receive()
next(receiver)
module = types.ModuleType("module")
module.rows = math.rows = rows
chain, iterator = collections.ChainMap({"rows": rows}), iter([rows])
mapped, numbered = map(rows.append, iter(range(9))), enumerate([rows])
default = collections.defaultdict(lambda: rows)
rows
"""
CHANGES = [
    "exec('rows.append({})')",
    "append({})",
    "_.append({})",
    "globals()['rows'].append({})",
    "inner({})",
    "eval('rows.append({})')",
    "vars()['rows'].append({})",
    "import __main__\n__main__.rows.append({})",
    "import sys\nsys.modules['__main__'].rows.append({})",
    "[v for v in list(globals().values()) if type(v) is list and v and v[0] == 1][0].append({})",
    "import gc\n[v for v in gc.get_objects() if type(v) is list and v == [1]][0].append({})",
    "get_ipython().user_ns['rows'].append({})",
    "get_ipython().ex('rows.append({})')",
    "get_ipython().run_cell('rows.append({})');",
    "get_ipython().run_line_magic('timeit', '-n1 -r1 rows.append({})')",
    "code = compile('rows.append({})', 'x', 'exec')\nexec(code)",
    "import inspect\ninspect.currentframe().f_globals['rows'].append({})",
    "(lambda: 0).__globals__['rows'].append({})",
    "Out[1].append({})",
    "_1.append({})",
    "mine = _\nmine.append({})",
    "%timeit -n1 -r1 rows.append({})",
    "%prun -q rows.append({})",
    "%%capture\nrows.append({})",
    "%run -i grown{}.py",
    "named({})",
    "part({})",
    "list(map(append, [{}]))",
    "from concurrent.futures import *\nwith ThreadPoolExecutor(1) as p: p.submit(append, {})",
    "referred().rows.append({})",
    "proxy.rows.append({})",
    "context.get().append({})",
    "local.rows.append({})",
    "receiver.send({})",
    "cached().append({})",
    "module.rows.append({})",
    "math.rows.append({})",
    "Holder.shared.append({})",
    "holder.by = {}\nholder.grown",
    "holder += {}",
    "holder[{}]",
    "number = {}\ndel holder",
    "vars(holder)['rows'].append({})",
    "copy.copy(holder).rows.append({})",
    "operator.itemgetter('rows')(holder.__dict__).append({})",
    "chain['rows'].append({})",
    "next(iterator).append({})",
    "[next(mapped) for _ in range({})]",
    "next(numbered)[1].append({})",
    "default[0].append({})",
    "async def later(): rows.append({})\nawait later()",
    "import builtins\ngetattr(builtins, 'ex' + 'ec')('rows.append({})')",
    "import builtins\nvars(builtins)['ev' + 'al']('rows.append({})')",
]
LET_GO = [
    "rows.append({})\nrows = 3",
    "rows += [{}]\nrows = []",
    "holder['rows'].append({})\ndel holder, rows",
    "late({})",
    "rows.append({})\ndel rows",
    "rows = rows.append({})",
    "for rows in [rows.append({})]: pass",
    "def rows(x=rows.append({})): pass",
    "class rows: x = rows.append({})",
    "alias.append({})\nalias, rows = 1, 2",
    "holder['rows'].append({})\nholder = {{}}",
    "rows.append({})\nfrom math import pi as rows",
    "rows.append({})\nwith open('x.txt', 'w') as rows: pass",
    "(rows := [rows.append({})])",
    "try:\n    rows.append({})\n    1 / 0\nexcept Exception as rows: pass",
    "match rows.append({}):\n    case rows: pass",
    "%%time\nrows.append({})\nrows = 3",
    "exec('rows.append({})\\nrows = 3')",
    "globals()['rows'].append({})\nrows = 3",
]
SHARED = """
rows = [1]
alias, holder = rows, {"rows": rows}
def late(value):
    global rows
    rows.append(value)
    rows = 4
"""


def last_shown(
    path: Path, change: str, *, resumed: bool, above: str = HOLDERS, last: str = "print(rows)"
) -> str:
    return shown(path, above.strip(), change, last, resumed=resumed)[-1]


@pytest.mark.parametrize("change", tiers.spread(100, 20, CHANGES))
def test_what_changes_unseen(own_store: Path, change: str) -> None:
    for number in (1, 2):
        (own_store / f"grown{number}.py").write_text(f"rows.append({number})\n", encoding="utf-8")
    path = own_store / "nb.ipynb"
    last_shown(path, change.format(1), resumed=True)
    expected = last_shown(path, change.format(2), resumed=False)
    assert last_shown(path, change.format(2), resumed=True) == expected


@pytest.mark.parametrize("change", tiers.by_hand(9, LET_GO))
def test_what_is_changed_and_let_go(own_store: Path, change: str) -> None:
    path = own_store / "nb.ipynb"
    for name in ("alias", "holder"):
        last = f"if '{name}' in globals(): print({name})"
        for number in (1, 2):
            pages = [
                last_shown(path, change.format(number), resumed=resumed, above=SHARED, last=last)
                for resumed in (True, False)
            ]
            assert pages[0] == pages[1]


@pytest.mark.corpus
def test_what_waits_in_a_pipe(own_store: Path) -> None:
    path, above, last = (
        own_store / "nb.ipynb",
        "import os\nr, w = os.pipe()",
        "print(os.read(r, 1))",
    )
    last_shown(path, "os.write(w, b'1')", resumed=True, above=above, last=last)
    change = "os.write(w, b'2')"
    assert last_shown(path, change, resumed=True, above=above, last=last) == "b'2'\n"
    assert last_shown(path, change, resumed=True, above=above, last=f"{last}  # edited") == "b'2'\n"


PUT_INTO_BUILTINS = (
    "builtins.given = {}",
    "vars(builtins).update(given={})",
    "builtins.__dict__.setdefault('given', {})",
)


@pytest.mark.parametrize("change", tiers.every(2, PUT_INTO_BUILTINS))
def test_what_is_put_among_the_names_of_python(own_store: Path, change: str) -> None:
    path = own_store / "nb.ipynb"
    for number in (1, 2):
        top, last = "import builtins", "print(given)"
        put = change.format(number)
        assert last_shown(path, put, resumed=True, above=top, last=last) == f"{number}\n"


def test_nothing_is_reused_where_nothing_is_followed(own_store: Path) -> None:
    path = own_store / "nb.ipynb"
    for number in (1, 2):
        cells = (f"number = {number}", "print(number)")
        makenb.write(path, percent.page_of(*cells))
        config = configuration(path, {"resume": "on", "trace": False})
        with closing(session.NotebookSession(path, config)) as each:
            assert each.outcome(2).output == f"{number}\n"
            each.outcome(0)
            assert "nothing is reused: `trace` is off" in each.report().remarks


def test_nothing_is_reused_where_python_is_too_old(
    own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_kernel, "minor_version", lambda _: (3, 9))
    path = own_store / "nb.ipynb"
    makenb.write(path, "# %% [1]\nprint(1)\n")
    with closing(session.NotebookSession(path, configuration(path, {"resume": "on"}))) as each:
        assert each.outcome(1).output == "1\n"
        each.outcome(0)
        (said,) = [said for said in each.report().remarks if "reused" in said]
        assert said.startswith("nothing is reused: Python 3.")
        assert said.endswith("does not tell what cells use, 3.10 or newer does")


REGISTERED = """
# %% [1]
from plugs import register, registry
# %% [2]
register("a")
# %% [3]
print(registry)
# %% [4]
other = 1
"""


@pytest.mark.corpus
def test_what_a_module_of_the_project_changes_unseen_is_not_told_as_changed_now(
    tmp_path: Path,
) -> None:
    text = "registry = []\ndef register(name):\n    registry.append(name)\n"
    (tmp_path / "plugs.py").write_text(text, encoding="utf-8")
    remarks: tuple[str, ...] = ()
    for page in (REGISTERED, REGISTERED.replace("= 1", "= 2")):
        path = makenb.write(tmp_path / "nb.ipynb", page)
        remarks = session.examine(path, configuration(path, {"resume": "on"})).notebooks[0].remarks
    assert "cell 3 since what changed `registry` was not seen" in " ".join(remarks)
