"""Cells that look outside: clock, machine and files."""

from __future__ import annotations

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.judge import outside_influences


def lookers(*sources: str) -> frozenset[int]:
    return outside_influences.lookers(
        build(percent.parse("".join(f"# %%\n{s}\n" for s in sources)))
    )


@pytest.mark.parametrize(
    "source",
    [
        "print(datetime.now())",
        "t = time.time()",
        "here = os.getcwd()",
        "print(np.__version__)",
        "print(sys.version)",
        "files = glob('*.csv')",
        "if os.path.exists('a'): pass",
        "df = pd.read_csv('https://example.org/a.csv')",
        "page = requests.get(url)",
        "day = pd.Timestamp('today')",
        "!ls",
        "names = !ls",
        "print(platform.node())",
        "threading.Thread(target=work).start()",
        "took = %timeit -o f()",
        "best = timeit.timeit(f)",
        "for done in as_completed(jobs): print(done)",
        "gc.collect()",
        "print(tracemalloc.get_traced_memory())",
        "subprocess.run(['git', 'log'], capture_output=True)",
        "os.environ.get('HOME')",
        "print(os.environ['HOME'])",
        "os.environ['HOME'] == home",
        "id(xs)",
        "%pip install numpy",
        "%%bash\nls",
        "home = %env HOME",
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'",
        "sys.version_info[:2]",
        "sys.argv",
        "sys.getsizeof(xs)",
        "df.memory_usage(deep=True).sum()",
        "metadata.version('numpy'), version('numpy')",
        "os.name, os.sep",
        "print(time.tzname)",
        "sqlite3.sqlite_version",
        "get_ipython().run_line_magic('pip', 'list')",
        "get_ipython().system('ls')",
        "plt.get_backend()",
        "socket.gethostname()",
    ],
)
def test_a_cell_that_looks_outside(source: str) -> None:
    assert lookers(source) == {1}


@pytest.mark.parametrize(
    "source",
    [
        "df = pd.read_csv('a.csv')  # from https://example.org",
        "import datetime",
        "from datetime import datetime",
        "x = time.sleep(1)",
        "now = 3",
        "plt.show()",
        "a != b",
        "if x:\n    y = a != b",
        "os.environ['THREADS'] = '1'",
        "%matplotlib inline\nx = 10 %ls",
        "key['id'], df.identity(x), version(x)",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "person.name, os.path.join('a', 'b')",
    ],
)
def test_a_cell_that_does_not(source: str) -> None:
    assert lookers(source) == frozenset()


def test_what_is_made_from_the_clock_is_of_the_clock() -> None:
    cells = ("start = time.time()", "took = time() - start", "print(took)", "x = 1")
    assert lookers(*cells) == {1, 2, 3}


def test_which_files_there_are_shows_only_where_it_is_asked() -> None:
    assert lookers("there = os.path.exists('a')", "print(there)") == {1}


@pytest.mark.parametrize(
    ("cells", "looking"),
    [
        (("import numpy as np\nprint(np.__version__)", "x = np.ones(3)", "print(x)"), {1}),
        (("!pip install numpy\nimport numpy as np", "x = np.ones(3)"), {1}),
        (("import os\nhere = os.getcwd()\nn = 3", "print(n)", "print(here)"), {1, 3}),
        (("here = os.getcwd()", "df = read(here)", "print(df)"), {1, 2}),
        (("gpu = torch.cuda.is_available()", "net = fit(gpu)", "print(net)"), {1, 2}),
        (("data = os.getenv('DATA')", "df = read(data)", "print(df)"), {1, 2}),
        (("start = time()\nx = 3\nt = time.time() - start", "print(x)", "print(t)"), {1, 3}),
        (("def took():\n    return time.time()", "t = took()", "print(t)", "print(1)"), {1, 2, 3}),
        (("n = 1\nstamp = datetime.now()\nrow = [n, stamp]", "print(row)", "print(n)"), {1, 2}),
    ],
)
def test_only_what_was_made_by_looking_is_of_the_outside(
    cells: tuple[str, ...], looking: set[int]
) -> None:
    assert lookers(*cells) == looking
