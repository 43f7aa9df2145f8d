"""What a run tells of what it used beyond names, from real kernels."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from pytest_nbsafe.kernel.contract import HostQuestion, Inputs
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.runner.kernel import Launch
from pytest_nbsafe.runner.live_kernel import LiveKernel

pytestmark = pytest.mark.kernel


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Page:
    """Cells run in one kernel; paths are told from the notebook's folder."""

    def __init__(self, kernel: LiveKernel, folder: Path) -> None:
        self.kernel, self.folder = kernel, folder
        self.last: Executed | None = None

    def run(self, source: str) -> Inputs:
        self.last = self.kernel.execute(source, None, None)
        event = self.last.event
        assert event is not None
        assert event["inputs"] is not None, event["incidents"]
        return event["inputs"]

    def files(self, source: str) -> dict[str, str]:
        """Return the files of the folder that a cell reads, with hashes."""
        return {self.short(file["path"]): file["hash"] for file in self.run(source)["files"]}

    def written(self, source: str) -> list[str]:
        return [self.short(path) for path in self.run(source)["written"]]

    def hindrances(self, source: str) -> list[tuple[str, int]]:
        return [(each["kind"], each["line"]) for each in self.run(source)["hindrances"]]

    def is_below(self, path: str) -> bool:
        return Path(path).is_relative_to(self.folder)

    def short(self, path: str) -> str:
        return os.path.relpath(path, self.folder)


@contextmanager
def page(folder: Path, **environ: str) -> Iterator[Page]:
    kernel = LiveKernel(Launch("python3", folder, inputs=True, environ=environ))
    kernel.start()
    assert kernel.fault == ""
    try:
        yield Page(kernel, folder)
    finally:
        kernel.close()


def test_nothing_is_told_unless_it_is_asked_for(tmp_path: Path) -> None:
    kernel = LiveKernel(Launch("python3", tmp_path))
    kernel.start()
    try:
        event = kernel.execute("x = 1", None, None).event
    finally:
        kernel.close()
    assert event is not None
    assert event["inputs"] is None


def test_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "b.csv").write_text("x\n2\n")
    (tmp_path / "link.csv").symlink_to("a.csv")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "c.txt").write_text("c")
    a, b = hash_of("x\n1\n"), hash_of("x\n2\n")
    with page(tmp_path) as nb:
        assert nb.files("import os, json\nfrom pathlib import Path") == {}
        assert nb.files("open('a.csv').read()") == {"a.csv": a}
        assert nb.files("x = 1") == {}
        assert nb.files("Path('b.csv').read_text()") == {"b.csv": b}
        (told,) = nb.run("open('./link.csv').read()")["files"]
        assert told["path"] == str(tmp_path / "link.csv")
        assert told["real"] == os.path.realpath(tmp_path / "a.csv")
        assert told["hash"] == a
        # what is not there is an answer too
        assert nb.files("os.path.exists('no.csv'), Path('no.txt').is_file()") == {
            "no.csv": "", "no.txt": "",
        }  # fmt: skip
        assert nb.files("try: open('gone')\nexcept OSError: pass") == {"gone": ""}
        assert nb.files("os.path.exists('a.csv'), os.path.isdir('deep')") == {
            "a.csv": a, "deep": "folder",
        }  # fmt: skip
        # what a run made itself is not what it was given
        assert nb.files("Path('new').write_text('n'); open('new').read()") == {}
        # what it had read before it wrote there is
        assert nb.files("t = open('b.csv').read()\nopen('b.csv', 'w').write('z')") == {"b.csv": b}
        assert nb.files("open('b.csv').read()") == {"b.csv": hash_of("z")}
        # one of equal size and time is another
        text = "s = os.stat('a.csv'); open('a.csv', 'w').write('x\\n9\\n')"
        nb.run(f"{text}; os.utime('a.csv', ns=(s.st_atime_ns, s.st_mtime_ns))")
        assert nb.files("open('a.csv').read()") == {"a.csv": hash_of("x\n9\n")}
        # folders
        folders = nb.run("os.listdir('deep/er'), [*Path('deep').iterdir()]")["folders"]
        assert {nb.short(path): digest for path, digest in folders.items()} == {
            "deep/er": hash_of("c.txt"), "deep": hash_of("er"),
        }  # fmt: skip
        folders = nb.run("import glob; glob.glob('deep/*/*.txt')")["folders"]
        assert {nb.short(path) for path in folders} >= {"deep", "deep/er"}
        # elsewhere
        nb.run("os.chdir('deep')")
        assert nb.files("open('er/c.txt').read()") == {"deep/er/c.txt": hash_of("c")}
        told = nb.run("open('er/../../b.csv').read()")["files"][0]
        assert told["real"] == os.path.realpath(tmp_path / "b.csv")


def test_who_may_use_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.sh").touch()
    with page(tmp_path) as nb:
        assert nb.hindrances("import os, shutil\nos.path.exists('a.sh')") == []
        assert nb.hindrances("shutil.which('a.sh', path='.')") == []
        assert nb.hindrances("os.access('a.sh', os.X_OK)") == [("native", 1)]
        assert nb.hindrances("is_one = os.stat('a.sh').st_mode > 0") == [("native", 1)]
        assert nb.hindrances("os.access('/usr/bin/env', os.X_OK)") == []


def test_what_modules_of_the_project_set(tmp_path: Path) -> None:
    (tmp_path / "at_once.py").write_text("import logging\nlogging.basicConfig(level=9)\n")
    (tmp_path / "later.py").write_text(
        "import logging\nheld = {}\nheld['own'] = 1\n"
        "def begin():\n    logging.basicConfig(level=9)\ndef other():\n    return len(held)\n"
    )
    with page(tmp_path) as nb:
        assert nb.run("import later, logging")["settings"] == []
        assert nb.run("later.other()")["settings"] == []
        assert nb.run("later.begin()")["settings"] == ["logging"]
        assert nb.run("import at_once")["settings"] == ["logging"]
        assert nb.run("import at_once\nat_once")["settings"] == [], "it was imported before"


def test_where_modules_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("y = 1")
    (tmp_path / "pkg" / "inner").mkdir(parents=True)
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "pkg" / "part.py").touch()

    def places(source: str) -> dict[str, tuple[list[str], str]]:
        found = nb.run(source)["places"].items()
        return {nb.short(k): (names, digest) for k, (names, digest) in found if nb.is_below(k)}

    with page(tmp_path) as nb:
        assert places("x = 1") == {}
        assert places("import helper") == {".": (["helper"], hash_of("helper.py"))}
        assert places("import pkg.part") == {
            ".": (["pkg"], hash_of("pkg/")), "pkg": (["part"], hash_of("part.py")),
        }  # fmt: skip
        missing = "try: import nothere\nexcept ImportError: pass"
        assert places(missing) == {".": (["nothere"], hash_of(""))}
        assert places("z = helper.y")["."] == (["helper"], hash_of("helper.py"))
        asks = "import importlib.util\nis_there = importlib.util.find_spec('later')"
        assert "later" in places(asks)["."][0]
        (tmp_path / "helper").mkdir()
        two = hash_of("helper\0helper.py")
        assert places("z = helper.y")["."] == (["helper"], two)
        (tmp_path / "helper" / "__init__.py").touch()
        assert places("z = helper.y")["."] == (["helper"], hash_of("helper.py\0helper/"))


def test_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a")
    with page(tmp_path) as nb:
        assert nb.written("import os, shutil, tempfile\nopen('a.csv').read()") == []
        assert nb.written("open('a.csv', 'a').write('b')") == ["a.csv"]
        assert nb.files("open('a.csv', 'a').write('b')") == {"a.csv": hash_of("ab")}
        assert nb.written("open('x', 'w').write('b'); os.rename('x', 'y')") == ["y"]
        assert nb.written("os.makedirs('one/two')") == ["one", "one/two"]
        assert nb.written("os.makedirs('one/two', exist_ok=True)") == []
        assert nb.written("shutil.copy('a.csv', 'one')") == ["one/a.csv"]
        assert nb.written("shutil.rmtree('one')") == ["one", "one/a.csv", "one/two"]
        assert nb.written("os.symlink('a.csv', 'l'); os.remove('y')") == ["l", "y"]
        # what is made and removed within the run leaves nothing
        assert nb.written("with tempfile.TemporaryDirectory() as d: open(d + '/t', 'w')") == []


@pytest.mark.corpus
def test_tables_read_by_compiled_code(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    csv = hash_of("x,y\n1,2\n")
    with page(tmp_path) as nb:
        nb.run("import os, sqlite3, numpy as np, pandas as pd, pyarrow.parquet as pq")
        assert nb.files("a = pd.read_csv('a.csv')") == {"a.csv": csv}
        assert nb.files("pd.read_csv('a.csv', engine='pyarrow')") == {"a.csv": csv}
        assert "a.parquet" in nb.written("a.to_parquet('a.parquet')")
        parquet = hashlib.sha256((tmp_path / "a.parquet").read_bytes()).hexdigest()[:32]
        assert nb.files("pd.read_parquet('a.parquet')")["a.parquet"] == parquet
        assert nb.files("pq.read_table('a.parquet')")["a.parquet"] == parquet
        assert nb.written("pq.write_table(pq.read_table('a.parquet'), 'b.parquet')") == [
            "b.parquet"
        ]
        (tmp_path / "l.parquet").symlink_to("a.parquet")
        files = nb.run("pq.read_table('l.parquet')")["files"]
        assert (str(tmp_path / "l.parquet"), os.path.realpath(tmp_path / "a.parquet")) in {
            (file["path"], file["real"]) for file in files
        }
        assert nb.written("np.save('a.npy', np.arange(3))") == ["a.npy"]
        assert [*nb.files("np.load('a.npy')")] == ["a.npy"]
        assert [*nb.files("m = np.memmap('a.npy', mode='r')")] == ["a.npy"]
        assert nb.written(
            "with sqlite3.connect('a.db') as db: db.execute('create table t (x)')\ndb.close()"
        ) == ["a.db"]
        assert nb.written("a.to_sql('u', sqlite3.connect('a.db'))") == ["a.db"]
        read = nb.run("pd.read_sql('select * from u', sqlite3.connect('a.db'))")
        assert [nb.short(file["path"]) for file in read["files"]] == ["a.db"]
        assert read["written"] == []
        assert read["hindrances"] == []


def test_variables(tmp_path: Path) -> None:
    with page(tmp_path, COLOUR="red") as nb:
        assert nb.run("import os")["variables"] == {}
        assert nb.run("os.environ['COLOUR']")["variables"] == {"COLOUR": hash_of("red")}
        assert nb.run("os.getenv('COLOUR')")["variables"] == {"COLOUR": hash_of("red")}
        assert nb.run("'GONE' in os.environ")["variables"] == {"GONE": ""}
        assert "*" in nb.run("dict(os.environ)")["variables"]
        assert nb.run("x = 1")["variables"] == {}
        told = nb.run("os.environ['COLOUR'] = 'blue'")
        assert (told["variables"], told["variables_set"]) == ({}, ["COLOUR"])
        assert "os" in told["settings"]
        assert nb.run("os.environ['COLOUR']")["variables"] == {}  # it is the notebook's own
        assert nb.run("del os.environ['COLOUR']")["variables_set"] == ["COLOUR"]
        nb.run("os.environ['GONE']")
        assert nb.last is not None
        assert nb.last.reply is not None
        shown = "\n".join(nb.last.reply["traceback"])
        assert "KeyError" in shown
        assert "nbsafe" not in shown


def test_modules(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("K = 1\n")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("from . import part\n")
    (tmp_path / "pack" / "part.py").write_text("P = 1\n")
    with page(tmp_path) as nb:
        told = nb.run("import mine")
        assert told["modules"] == {str(tmp_path / "mine.py"): hash_of("K = 1\n")}
        assert told["files"] == []
        assert told["written"] == []
        assert told["folders"] == {}
        told = nb.run("import pack, pandas, mine, json\npack.part.P + mine.K")
        assert {nb.short(path) for path in told["modules"]} >= {"pack/__init__.py", "pack/part.py"}
        assert "pandas" in told["packages"]
        assert "json" not in told["packages"]
        assert nb.run("import pandas, pack, mine")["packages"] == []
        (tmp_path / "mine.py").write_text("K = 22\n")
        told = nb.run("import importlib; importlib.reload(mine)\nmine.K")
        assert told["modules"][str(tmp_path / "mine.py")] == hash_of("K = 22\n")


def test_settings(tmp_path: Path) -> None:
    with page(tmp_path) as nb:
        nb.run("import os, sys, random, warnings, atexit, decimal, json")
        nb.run("import numpy as np, pandas as pd, matplotlib as mpl")
        for source, setting in {
            "pd.options.display.max_rows = 7": "pandas",
            "pd.set_option('display.precision', 2)": "pandas",
            "mpl.rcParams['lines.linewidth'] = 9": "matplotlib",
            "np.set_printoptions(precision=2)": "numpy",
            "warnings.filterwarnings('ignore')": "warnings",
            "atexit.register(print)": "atexit",
            "decimal.getcontext().prec = 5": "decimal",
            "sys.path.append('/elsewhere')": "sys.path",
            "os.mkdir('in'); os.chdir('in')": "folder",
            "json.extra = 1": "module:json",
            "import codecs\n@codecs.register\ndef look(name): return None": "codecs",
            "import csv\nold = csv.field_size_limit(9)": "csv",
            "from logging import root as log\nlog.extra = 1": "logging",
            "setattr(pd, 'extra', 1)": "module:pandas",
            "def quiet(*a): pass\njson.dumps_of = quiet": "module:json",
            "pd.DataFrame.extra = 1": f"module:{pd.DataFrame.__module__}.DataFrame",
        }.items():
            assert setting in nb.run(source)["settings"], source
            assert nb.run("x = 1; x + 1")["settings"] == [], source
        assert nb.run("class A: pass\na = A()\na.x = 1\nA.y = 2")["settings"] == []
        assert nb.run("random.seed(1); np.random.seed(1)")["drew"] == ["numpy.random", "random"]
        for source, source_of_chance in {
            "random.random()": ["random"],
            "np.random.rand(2)": ["numpy.random"],
            "rng = np.random.default_rng(1); rng.random()": [],
        }.items():
            told = nb.run(source)
            assert told["drew"] == source_of_chance
            assert told["hindrances"] == [], source


OF_LINUX = {
    "open('/proc/uptime').read()": "clock",
    "pathlib.Path('/proc/uptime').read_text()": "clock",
    "open('/dev/urandom', 'rb').read(1)": "unseeded",
}


def test_what_lambdas_change(tmp_path: Path) -> None:
    with page(tmp_path) as nb:
        nb.run(
            "import functools, json\nlog, seen, large = [], {}, [*range(9999)]\n"
            "@functools.singledispatch\ndef f(x): pass"
        )
        nb.run("f.register(int, lambda x: log.append(x) or seen.get(x) or large.append(x))")
        nb.run("json.twice = lambda x: list.append(log, x)\ndef g(run=lambda: log.clear()): run()")
        for source in ("f(1)", "json.twice(1)", "g()"):
            assert list(nb.run(source)["unexpected"]) == ["log"], source
            assert nb.run("x = 1")["unexpected"] == {}
        assert nb.run("f(1); log.clear()")["unexpected"] == {}


HINDRANCES = {
    "time.time()": "clock",
    "from time import perf_counter as pc; pc()": "clock",
    "datetime.datetime.now()": "clock",
    "from datetime import date; date.today()": "clock",
    "pd.Timestamp.now()": "clock",
    "pd.Timestamp.today()": "clock",
    "tick()": "clock",
    "[time.time() for _ in 'ab']": "clock",
    "os.path.getmtime('a')": "clock",
    "random.random()": "unseeded",
    "np.random.rand()": "unseeded",
    "np.random.default_rng().random()": "unseeded",
    "random.Random().random()": "unseeded",
    "np.random.RandomState().rand()": "unseeded",
    "uuid.uuid4()": "unseeded",
    "os.urandom(2)": "unseeded",
    "import secrets; secrets.token_hex()": "unseeded",
    "subprocess.run(['true'])": "subprocess",
    "os.system('true')": "subprocess",
    "!true": "subprocess",
    "%%bash\ntrue": "subprocess",
    "try: socket.create_connection(('127.0.0.1', 9), 1)\nexcept OSError: pass": "network",
    **(OF_LINUX if Path("/proc/uptime").exists() else {}),
    "try: input()\nexcept Exception: pass": "input",
    "import ctypes; ctypes.CDLL(None).getpid()": "native",
    "ends = os.pipe()": "native",
    "one, other = socket.socketpair()": "native",
    "one.send(b'x'), other.recv(1)": "native",
    "%%time\ntime.time()": "clock",
    "exec('time.time()')": "clock",
    "logging.makeLogRecord({}).created": "clock",
    "db.execute('select random()')": "unseeded",
    "query = 'select DateTime(\\'now\\')'; db.execute(query)": "clock",
    "t = threading.Timer(60, tick); t.start()": "threads",
    "t.cancel(); t.join(); import asyncio\nasync def wait(): await asyncio.sleep(60)\n"
    "task = asyncio.create_task(wait())": "threads",
}
HARMLESS = """
import tempfile; tempfile.NamedTemporaryFile().close()
df = pd.DataFrame({'time': [1], 'now': [2]}); df.time.sum()
df.now
pd.Timestamp('2020-01-01').strftime('%Y')
time.sleep(0)
datetime.datetime(2020, 1, 1).date()
random.seed(1); random.random()
np.random.seed(1); np.random.rand()
def late(): return time.time()
random.Random(3).random()
np.random.default_rng(3).random()
df
df.style
import matplotlib.pyplot as plt; plt.plot([1]); plt.show()
import sklearn.linear_model
np.random.RandomState(3).rand()
db.execute('create table t (random int, now text)')
def late(): return db.execute('select random()')
open('/dev/null').read()
text = __import__('io').TextIOWrapper(__import__('io').BytesIO()); text.write('x')
logging.getLogger('a').info('x')
from sklearn.ensemble import RandomForestClassifier as R
R(3, random_state=0).fit([[1], [2]], [0, 1])
"""


@pytest.mark.corpus
def test_what_hinders_reuse(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    (tmp_path / "a").touch()
    with page(tmp_path) as nb:
        imports = "import datetime, logging, os, pathlib, random, socket, sqlite3, subprocess"
        imports += ", threading, time, uuid\nimport numpy as np, pandas as pd"
        assert nb.hindrances(f"{imports}\ndb = sqlite3.connect(':memory:')") == []
        assert nb.hindrances("def tick():\n    return time.time()") == []
        for source, kind in HINDRANCES.items():
            kinds = {kind for kind, _ in nb.hindrances(source)}
            assert kinds == {kind}, source
        nb.run("task.cancel()")
        assert nb.hindrances("1") == [("threads", 0)]  # it still ran when this began
        for source in HARMLESS.strip().splitlines():
            assert nb.hindrances(source) == [], source
        assert nb.hindrances("x = 1\ny = time.time()") == [("clock", 2)]
        assert nb.hindrances("x = 1\n\nfor i in range(2):\n    os.urandom(1)") == [("unseeded", 4)]


def test_what_a_library_draws_in_compiled_code(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    draws = ("df.sample(1)", "s.sample(1)", "s.shuffle()", "df.select(pl.col('a').shuffle())")
    with page(tmp_path) as nb:
        nb.run("import polars as pl\ndf = pl.DataFrame({'a': [1, 2]})\ns = df['a']")
        for source in draws:
            assert nb.hindrances(source) == [("unseeded", 0)], source
        for source in ("df.sample(1, seed=3)", "s.shuffle(3)", "s.shuffle(seed=3)", "s.sort()"):
            assert nb.hindrances(source) == [], source
        assert nb.run("pl.set_random_seed(3)")["drew"] == ["polars"]
        for source in draws:
            told = nb.run(source)
            assert (told["drew"], told["hindrances"]) == (["polars"], []), source


MODULES = {
    "plain.py": "import helper\nLIMIT = 3\ndef double(x):\n    return helper.twice(x)\n",
    "helper.py": "def twice(x):\n    return 2 * x\n",
    "shapes.py": "class Shape:\n    def area(self):\n        return 1\n"
    "    def __add__(self, other):\n        return 2\n",
    "watch.py": "import time\nfrom datetime import datetime as d\n"
    "def started():\n    return time.time()\ndef moment():\n    return d.now()\n"
    "def still():\n    return 1\n",
    "other.py": "def unrelated():\n    pass\n",
}


def test_modules_that_take_part(tmp_path: Path) -> None:
    for name, text in MODULES.items():
        (tmp_path / name).write_text(text)
    with page(tmp_path) as nb:

        def used(source: str) -> list[str]:
            told = nb.run(source)
            assert told["hindrances"] == [], source
            return [nb.short(path)[:-3] for path in told["modules"]]

        imports = "import plain, shapes, watch, other\nfrom plain import double as d, LIMIT"
        assert used(imports) == ["helper", "other", "plain", "shapes", "watch"]
        assert used("x = 1") == []
        assert used("d(2)") == ["helper", "plain"]
        assert used("LIMIT + 1") == ["helper", "plain"]
        assert used("plain.double(2)") == ["helper", "plain"]
        assert used("s = shapes.Shape()") == ["shapes"]
        assert used("s + s") == ["shapes"]
        assert used("many = {'a': [s]}") == ["shapes"]
        assert used("[each.area() for each in many['a']]") == ["shapes"]
        assert used("len(many)") == ["shapes"]
        assert used("def mine():\n    return d(1)") == ["helper", "plain"]
        assert used("mine()") == ["helper", "plain"]
        assert used("late = lambda: d(1)") == ["helper", "plain"]
        assert used("late()") == ["helper", "plain"]
        assert used("list(map(mine.__call__, []))") == ["helper", "plain"]
        assert used("watch.still()") == ["watch"]
        assert used("class Own(shapes.Shape): pass\no = Own()") == ["shapes"]
        assert used("print(o)") == ["shapes"]
        assert nb.hindrances("watch.started()") == [("clock", 0)]
        assert nb.hindrances("watch.moment()") == [("clock", 0)]


def test_runs_on_the_side_tell_it_too(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "mine.py").write_text("K = 1\n")
    cells = ["open('a.csv').read()", "y = 1\nz = time.time()", "mine.K, os.getenv('GONE')"]
    with page(tmp_path) as nb:
        nb.run("import mine, os, time")
        for follow in (True, False):
            question: HostQuestion = {
                "cells": cells, "limit_s": 60, "stir": False, "follow": follow, "way": "fork",
                "at": 0,
            }  # fmt: skip
            answer = nb.kernel.aside(question, 60)
            assert answer["cause"] == ""
            told = [run["event"]["inputs"] for run in answer["runs"] if run["event"]]
            reads, asks, uses = (inputs for inputs in told if inputs)
            assert [nb.short(file["path"]) for file in reads["files"]] == ["a.csv"]
            assert [(each["kind"], each["line"]) for each in asks["hindrances"]] == [("clock", 2)]
            assert [*uses["modules"]] == [str(tmp_path / "mine.py")]
            assert uses["variables"] == {"GONE": ""}


def test_the_whole_machine_is_not_watched(tmp_path: Path) -> None:
    with page(tmp_path) as nb:
        told = nb.run("import os\n'a/b'.split('/'), os.listdir('/proc/self/fd'), '/', '/proc/self'")
        assert (told["files"], told["folders"]) == ([], {})
        assert nb.files("open('/proc/self/status').read()") == {}


def test_what_is_put_among_the_names_of_python(tmp_path: Path) -> None:
    with page(tmp_path) as nb:
        nb.run("import builtins")
        assert nb.run("setattr(builtins, 'given', 1)")["settings"] == ["module:builtins"]
        internals = "vars(builtins).update({'__pybind11_internals_v4_gcc__': object()})"
        assert nb.run(internals)["settings"] == []
