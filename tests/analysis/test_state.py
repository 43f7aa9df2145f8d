"""State that no name holds: files, random sources, settings of modules."""

from __future__ import annotations

import percent
import pytest

from pytest_nbsafe.analysis import dependencies, files
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order.orderings import plan as order
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace import staleness
from pytest_nbsafe.trace.lineage import static_records
from pytest_nbsafe.trace.suspicions import StaleRead


def graph_of(*sources: str) -> Graph:
    return build(percent.parse("".join(f"# %%\n{source}\n" for source in sources)))


def edges(*sources: str) -> list[str]:
    """Return "reader definer symbol" for each edge through a state, in page order."""
    graph = graph_of(*sources)
    found = dependencies.edges(graph, sorted(graph.cells))
    return [f"{e.reader} {e.definer} {e.name}" for e in found if not e.name.isidentifier()]


# -- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ("df.to_csv('a.csv')", "set a.csv"),
        ("df.to_csv(path_or_buf='a.csv')", "set a.csv"),
        ("df.to_csv('a.csv', mode='a')", "change a.csv"),
        ("df = pd.read_csv('./a.csv')", "read a.csv"),
        ("df = pd.read_csv(PATH)", "read data/a.csv"),
        ("df = pd.read_csv(OTHER)", ""),
        ("df = pd.read_csv(f'{x}.csv')", ""),
        ("np.save('a.npy', x)", "set a.npy"),
        ("joblib.dump(model, 'm.pkl')", "set m.pkl"),
        ("pickle.dump(model, open('m.pkl', 'wb'))", "set m.pkl"),
        ("model = pickle.load(open('m.pkl', 'rb'))", "read m.pkl"),
        ("Path('notes.txt').write_text(text)", "set notes.txt"),
        ("text = Path('notes.txt').read_text()", "read notes.txt"),
        ("with open('a.txt') as f: pass", "read a.txt"),
        ("with open('a.txt', mode='w') as f: pass", "set a.txt"),
        ("with open('a.txt', 'a') as f: pass", "change a.txt"),
        ("def save(): df.to_csv('a.csv')", "set a.csv in save"),
        ("save = lambda: df.to_csv('a.csv')", ""),
        ("print('a.csv')", ""),
        ("webbrowser.open(url)", ""),
    ],
)
def test_the_files_of_a_statement(source: str, uses: str) -> None:
    others = "PATH = 'data/a.csv'\nOTHER = 'b'", "OTHER = 'c'", "w.to_csv('w')"
    found = {
        f"{a.what} {a.symbol[1:-1]}" + (f" in {a.function}" if a.function else "")
        for cell, a in files.accesses(graph_of(source, *others))
        if cell == 1
    }
    assert found == ({uses} if uses else set())


def test_a_cell_reads_the_file_that_another_wrote() -> None:
    reads = "x = read_csv('a.csv')"
    assert edges("df.to_csv('a.csv')", reads) == ["2 1 'a.csv'"]
    assert edges("df.to_csv('b.csv')", reads) == []
    assert edges("df.to_csv('a.csv')", "more.to_csv('a.csv')", reads) == ["3 2 'a.csv'"]
    assert edges("df.to_csv('a.csv')", "more.to_csv('a.csv', mode='a')", reads) == [
        "2 1 'a.csv'",
        "3 1 'a.csv'",
        "3 2 'a.csv'",
    ]


def test_a_function_writes_where_it_is_called() -> None:
    cells = ("def save(): df.to_csv('a.csv')", "save()", "x = read_csv('a.csv')")
    assert edges(*cells) == ["3 2 'a.csv'"]
    assert edges("def load(): return read_csv('a.csv')", "df.to_csv('a.csv')", "load()") == [
        "3 2 'a.csv'"
    ]


WRITES_MODULE = "%%writefile {options}tools/area.py\ndef area(x): return x"


@pytest.mark.parametrize(
    "reads",
    [
        "from tools.area import area",
        "from tools import area",
        "import tools.area as t",
        "%run tools/area.py",
        "def get():\n    from tools.area import area\n    return area\nget()",
    ],
)
def test_a_module_is_read_that_a_magic_wrote(reads: str) -> None:
    written = WRITES_MODULE.format(options="")
    assert edges(written, reads) == ["2 1 'tools/area.py'"]
    assert edges(written.replace("writefile", "file"), reads) == ["2 1 'tools/area.py'"]
    appended = WRITES_MODULE.format(options="-a ")
    assert edges(written, appended, reads) == [
        "2 1 'tools/area.py'",
        "3 1 'tools/area.py'",
        "3 2 'tools/area.py'",
    ]


@pytest.mark.parametrize("reads", ["import area", "from other import area", "%run area.py"])
def test_another_module_is_not_the_one_that_was_written(reads: str) -> None:
    assert edges(WRITES_MODULE.format(options=""), reads) == []
    assert edges("%%writefile {name}.py\nx = 1", reads) == []


def stale(runs: str, *sources: str) -> tuple[StaleRead, ...]:
    graph = graph_of(*sources)
    steps = (Run(i, int(n), None, recorded=True, reason="") for i, n in enumerate(runs.split(), 1))
    plan = Plan("recorded", tuple(steps))
    return staleness.stale_reads(graph, static_records(graph, plan))


WRITES = "df.to_csv('a.csv')"
OPENS = "with open('a.csv', 'w') as f:\n    f.write(df)"


@pytest.mark.parametrize("writes", [WRITES, OPENS, "f = open('a.csv', 'w')\nf.write(df)"])
def test_what_was_read_from_a_file_is_as_old_as_the_file(writes: str) -> None:
    cells = ("df = make()", writes, "x = read_csv('a.csv')", "print(x)")
    (read,) = stale("1 2 3 1 4", *cells)
    assert [cause.symbol for cause in read.chain] == ["x", "'a.csv'"]
    (read,) = stale("1 2 3 2 4", *cells)
    assert (read.name, read.chain[0].parent, read.chain[0].parent_cell) == ("x", "'a.csv'", 2)
    assert stale("1 2 3 4", *cells) == ()
    assert stale("1 2 3 1 2 3 4", *cells) == ()


def test_another_file_is_another_symbol() -> None:
    cells = ("df = make()", "df.to_csv('b.csv')", "x = read_csv('a.csv')", "print(x)")
    assert stale("1 2 3 2 4", *cells) == ()


def test_no_run_is_made_up_for_a_file_which_may_be_there_from_before() -> None:
    text = "# %% [1]\nprint(open('a.txt').read())\n"
    writes = "# %% [2]\nopen('a.txt', 'w').write('x')\n"
    assert order(build(percent.parse(writes + text)), "inferred").cells == (2, 1)
    setting = "# %% [2]\nimport m\nm.rate = 3\n# %% [1]\nprint(m.rate)\n"
    assert order(build(percent.parse(setting)), "inferred").cells == (1, 2, 1)


# -- random sources --------------------------------------------------------------------------------

IMPORTS = "import random, numpy as np"


def test_a_draw_depends_on_the_seed_and_on_the_draws_before_it() -> None:
    found = edges(IMPORTS, "np.random.seed(0)", "a = np.random.rand()", "b = np.random.rand()")
    state = "numpy's random state"
    assert found == [f"3 2 {state}", f"4 2 {state}", f"4 3 {state}"]


def test_each_source_has_a_state_of_its_own() -> None:
    seeds = f"{IMPORTS}\nrandom.seed(0)"
    assert edges(seeds, "a = np.random.rand()", "b = random.random()") == [
        "3 1 Python's random state"
    ]


def test_the_order_of_draws_that_nobody_seeds_means_nothing() -> None:
    assert edges(IMPORTS, "a = np.random.rand()", "b = np.random.rand()") == []


def test_a_function_draws_where_it_is_called() -> None:
    cells = (IMPORTS, "random.seed(0)", "def throw(): return random.random()", "a = throw()")
    assert edges(*cells) == ["4 2 Python's random state"]


def test_a_function_that_is_never_called_seeds_nothing() -> None:
    seeds = "def seed_all(): random.seed(0)"
    assert edges(IMPORTS, seeds, "a = random.random()", "random.seed(1)") == []
    assert edges(IMPORTS, f"{seeds}\nseed_all()", "a = random.random()") == [
        "3 2 Python's random state"
    ]


def test_drawing_makes_nothing_stale_that_was_drawn_before() -> None:
    cells = (f"{IMPORTS}\nrandom.seed(0)", "a = random.random()", "print(a)")
    assert stale("1 2 2 3", *cells) == ()
    assert [read.name for read in stale("1 2 1 3", *cells)] == ["a"]


# -- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sets", "reads", "symbol"),
    [
        ("import config as c\nc.RATE = 3", "x = c.RATE * 2", "config.RATE"),
        ("import config as c\nc.RATE += 3", "x = c.RATE.real", "config.RATE"),
        ("from app import config\nconfig.RATE = 3", "x = config.RATE", "app.config.RATE"),
        ("import os\nos.environ['HOME'] = '/'", "x = os.environ['HOME']", "os.environ['HOME']"),
        ("import os\nos.environ['HOME'] = '/'", "x = os.getenv('HOME')", "os.environ['HOME']"),
        ("import os\nos.environ['HOME'] = '/'", "x = f(os.environ.get('HOME', 1))",
         "os.environ['HOME']"),
        ("import config\ndef use():\n    config.RATE = 3", "use()\nx = config.RATE", ""),
        ("import config\ndef use():\n    config.RATE = 3\nuse()", "x = config.RATE",
         "config.RATE"),
        ("import config\nconfig.RATE = 3", "def get(): return config.RATE\nget()", "config.RATE"),
        ("import config\nconfig.RATE = 3", "def get(): return config.RATE", ""),
        ("import config\nconfig.RATE = 3", "x = config.OTHER", ""),
        ("import os\nos.environ['HOME'] = '/'", "x = os.environ['USER']", ""),
        ("config = Config()\nconfig.RATE = 3", "x = config.RATE", ""),
    ],
)  # fmt: skip
def test_what_a_cell_sets_in_a_module_is_read_by_another(
    sets: str, reads: str, symbol: str
) -> None:
    assert edges(sets, reads) == ([f"2 1 {symbol}"] if symbol else [])


def test_a_setting_that_is_missing_is_no_undefined_name() -> None:
    graph = graph_of("import config\nx = config.RATE", "config.RATE = 3", "x = config.RATE")
    assert dependencies.unbound(graph, (1, 2, 3)) == ()
