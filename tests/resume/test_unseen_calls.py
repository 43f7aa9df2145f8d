"""What no word of a cell tells: hooks around cells, ends of objects, results that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import makenb
import percent
import pytest
import tiers

from resume.given_whole import report
from resume.shown_pages import assert_as_in_full, shown

pytestmark = pytest.mark.kernel

ENDING = "log = []\nclass R:\n    def __init__(self, n): self.n = n\n"
PAGES = (
    (
        f"{ENDING}    def __del__(self): log.append(self.n)",
        "a = R(1); b = R(2)",
        "a = None",
        "w = 1",
        "del b",
        "print(log)",
    ),
    (
        f"import weakref\n{ENDING}",
        "a = R(1)\nweakref.finalize(a, log.append, 1)",
        "w = 1",
        "del a",
        "print(log)",
    ),
    (
        (
            "ip = get_ipython(); ran = []\ndef after(result): ran.append(len(ran))\n"
            "ip.events.register('post_run_cell', after)"
        ),
        "w = 1",
        "print(ran)",
        "ip.events.unregister('post_run_cell', after)",
        "print(len(ran))",
    ),
    (
        (
            "from functools import partial\nran = []\n"
            "get_ipython().events.register('pre_run_cell', partial(ran.append))"
        ),
        "w = 1",
        "print(len(ran))",
    ),
    (
        (
            "import ast\nnames = []\nclass T(ast.NodeTransformer):\n"
            "    def visit_Name(self, node): names.append(node.id); return node\n"
            "get_ipython().ast_transformers.append(T())"
        ),
        "w = 1",
        "q = 2",
        "print(len(names))",
    ),
    (
        (
            "import sys\nnames = []\ndef seen(frame, event, argument):\n"
            "    if event == 'call' and frame.f_code.co_name == 'mine': names.append(1)\n"
            "def mine(): return 1\nsys.setprofile(seen)"
        ),
        "mine()",
        "w = 1",
        "sys.setprofile(None)",
        "print(names)",
    ),
    (
        (
            "import functools\nclass P:\n    def __init__(self): self.n = 0\n"
            "    @functools.lru_cache\n    def go(self, k): self.n += 1; return k\np = P()"
        ),
        "p.go(2)",
        "w = 1",
        "p.go(2); print(p.n)",
    ),
    (
        (
            "from functools import cache\nclass P:\n"
            "    @staticmethod\n    @cache\n    def rows(): return [1]"
        ),
        "d = P.rows()",
        "d.append(2)",
        "print(P.rows() is d, P.rows())",
    ),
    (
        (
            "import logging, queue\nq = queue.Queue(); log = logging.getLogger('here')\n"
            "log.propagate = False\nfrom logging.handlers import QueueHandler"
        ),
        "log.addHandler(QueueHandler(q))",
        "log.error('one')",
        "w = 1",
        "print(q.qsize())",
    ),
    (
        "import matplotlib.dates as md, datetime as dt",
        "old = md.set_epoch('2000-01-01')",
        "w = 1",
        "print(md.date2num(dt.datetime(2000, 1, 2)))",
    ),
    ("a = [1]; before = id(a)", "a += [2]", "w = 1", "print(id(a) == before)"),
    (
        "import contextlib\nlog = []; stack = contextlib.ExitStack()",
        "stack.callback(log.append, 1)",  # what it shows holds `log`, and so does `stack`
        "log.append('in')",
        "w = 1",
        "stack.close(); print(log)",
    ),
    (
        "import string",
        "for cls in (string.Template,): cls.shout = lambda self: 'S'",
        "w = 1",
        "print(string.Template('').shout())",
    ),
    (
        "import string\ndef add(cls, name, value): setattr(cls, name, value)",
        "add(string.Template, 'size', 3)",
        "w = 1",
        "print(string.Template('').size)",
    ),
    (
        "import string\nt = string.Template('')",
        "t.__class__.size = 3",
        "type(t).shape = 4",
        "w = 1",
        "print(t.size, t.shape)",
    ),
    (
        "import sys\nclass Conf: go = staticmethod(sys.setrecursionlimit)\nconf = Conf()",
        "conf.go(1500)",
        "acts = [sys.setswitchinterval]; acts[0](.5)",
        "w = 1",
        "print(sys.getrecursionlimit(), sys.getswitchinterval())",
    ),
    (
        "import builtins; builtins.store = {}",
        "def note(key, value): store[key] = value",
        "note('a', 1)",
        "w = 1",
        "print(store)",
    ),
    (
        (
            "import math\nclass Store:\n    def __init__(self): self.held = {}\n"
            "    def put(self, key, value): self.held[key] = value\nmath.store = Store()"
        ),
        "math.store.put('a', 1)",
        "from math import store; store.put('b', 2)",
        "w = 1",
        "print(math.store.held)",
    ),
    (
        (
            "import sqlite3\ncon = sqlite3.connect(':memory:')\ndef more(): return extra\n"
            "def setup(c): c.create_function('f', 1, lambda v: v + limit + more())"
        ),
        "setup(con)",
        "limit = 1",
        "extra = 2",
        "print(con.execute('select f(1)').fetchone())",
    ),
    (
        (
            "import logging, io\nheard = io.StringIO(); handler = logging.StreamHandler(heard)\n"
            "class Told(logging.Formatter):\n"
            "    def format(self, record): return sign + record.getMessage()\n"
            "handler.setFormatter(Told()); logging.getLogger().addHandler(handler)"
        ),
        "sign = '!'",
        "logging.error('one')",  # where it finds no sign, logging tells of it and goes on
        "print(heard.getvalue())",
    ),
    (
        (
            "import warnings; seen = []\ndef show(message, *_, **__):\n"
            "    try: seen.append(sign + str(message))\n"
            "    except NameError: seen.append('')\n"
            "warnings.showwarning = show"
        ),
        "sign = '!'",
        "warnings.warn('one')",
        "print(seen)",
    ),
    (
        (
            "import asyncio; heard = []\n"
            "def start(): asyncio.get_running_loop().call_later(0.01, heard.append, 1)"
        ),
        "start()",
        "await asyncio.sleep(0.1)",
        "w = 1",
        "print(heard)",
    ),
    (
        "import numpy as np; dt = np.dtype('f8'); a = np.zeros(3)",
        "b = a + 1",
        "kinds = [b.dtype, dt]",
        "print(kinds[0] is a.dtype, b.dtype is np.dtype('f8'))",
    ),
)


@pytest.mark.parametrize("page", tiers.spread(30, 3, PAGES))
def test_whichever_cell_is_edited(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, page: Sequence[str]
) -> None:
    for library in ("matplotlib", "numpy"):
        if library in page[0]:
            pytest.importorskip(library)
    assert_as_in_full(own_store, monkeypatch, page)


AS_IT_STANDS = (
    ("import random\nrandom.seed(0)", "a = random.random()", "random.seed(0)", "random.random()"),
    (
        "import random\ndef again(): random.seed(0)\nagain()",
        "a = random.random()",
        "again()",
        "random.random()",
    ),
    (
        (
            "import random, functools\nacts = [lambda: random.seed(0)]\n"
            "again = functools.partial(random.seed, 0)\nagain()"
        ),
        "a = random.random()",
        "again()",
        "a = random.random(); acts[0]()",
        "random.random()",
    ),
    (
        (
            "import random\ndef steps():\n    while True: random.seed(0); yield\n"
            "each = steps(); next(each); held = [each]"
        ),
        "a = random.random()",
        "next(held[0])",
        "random.random()",
    ),
    (
        "import numpy as np\nnp.random.seed(0); state = np.random.get_state()",
        "a = np.random.rand()",
        "np.random.set_state(state)",
        "np.random.rand()",
    ),
)


@pytest.mark.parametrize("page", tiers.every(6, AS_IT_STANDS))
def test_where_random_numbers_stand_already(own_store: Path, page: Sequence[str]) -> None:
    """Without the second cell those below set, or ask for, what is so already."""
    if "numpy" in page[0]:
        pytest.importorskip("numpy")
    path, last = own_store / "nb.ipynb", f"print({page[-1]})"
    for cells in ((*page[:-1], last), (page[0], *page[2:-1], last)):
        shown(path, *cells, resumed=True)
    for cells in ((*page[:-1], f"{last}\nedited = 1"), (*page[:-1], last)):
        assert shown(path, *cells, resumed=True) == shown(path, *cells, resumed=False)


def test_names_of_ipython_that_a_page_uses_for_its_own(own_store: Path) -> None:
    path = own_store / "nb.ipynb"
    cells = "class Out:\n    held = []\nIn = 5", "Out.held.append(In)", "Out.held"
    makenb.write(path, percent.page_of(*cells))
    for resume in ("on", "off"):
        assert [*report(path, resume=resume).findings] == []
