"""Values kept in files and restored, in a real kernel."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from keeping import KeepingKernel, columns_are_copied_late
from kept_here import question

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork"),
]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeepingKernel]:
    keeping = KeepingKernel(tmp_path_factory.mktemp("nb"))
    with keeping.session:
        keeping.run("import random, threading, warnings\nimport numpy as np, pandas as pd")
        yield keeping


@pytest.fixture
def space(kernel: KeepingKernel) -> Iterator[KeepingKernel]:
    """The kernel, without the names of the test before."""
    yield kernel
    kernel.run(
        "for _name in [*globals()]:\n"
        "    if not _name.startswith('_') and _name not in {'In', 'Out', 'get_ipython', 'exit',"
        " 'quit', 'open', 'random', 'threading', 'warnings', 'np', 'pd'}:\n"
        "        del globals()[_name]"
    )


# ------------------------------------------------------------------ which names belong together


def test_names_that_share_objects_are_kept_together(space: KeepingKernel) -> None:
    space.run(
        "class Node:\n    pass\n"
        "class Slot:\n    __slots__ = ('held',)\n"
        "inner = [1]\nouter = {'a': inner}\nlonely = [1]\n"
        "first, second = Node(), Slot()\nfirst.held = second.held = [2]\n"
        "base = np.arange(100.0)\nview, other = base[::2], np.arange(3)\n"
        "def counter():\n    count = [0]\n    return lambda: count, count\n"
        "up, count = counter()\n"
        "left, right = pd.DataFrame({'n': [1]}), pd.DataFrame({'n': [2]})\n"
        "one, two, moment, later = 1, 1, pd.Timestamp('2020'), pd.Timestamp('2020')\n"
    )
    asked = ("outer", "lonely", "first", "view", "other", "count", "left", "one")
    assert set(space.causes(*asked)) == {
        "inner outer", "lonely", "first second", "base view", "other", "count up", "left", "one",
        "count",  # without the function, which its cell defines
    }  # fmt: skip


@columns_are_copied_late
def test_a_table_and_its_columns_are_apart_but_an_array_of_its_memory_is_not(
    space: KeepingKernel,
) -> None:
    space.run("table = pd.DataFrame({'a': [1.0, 2.0], 'b': [3.0, 4.0]})\ncolumn = table['a']")
    assert space.causes("table") == {"table": ""}
    space.run("array = table.to_numpy()")
    assert set(space.causes("table")) == {"array column table", "table"}


# ------------------------------------------------------------------ loaded as they were


@columns_are_copied_late
def test_what_is_shared_is_shared_again(space: KeepingKernel) -> None:
    space.run(
        "inner = [1]\nouter = {'a': inner}\n"
        "base = np.arange(12.0).reshape(3, 4)\nview, part = base[::2, 1:], base.T[0]\n"
        "part.flags.writeable = False\n"
        "table = pd.DataFrame({'a': [1.0, 2.0], 'b': [3.0, 4.0]})\narray = table.to_numpy()\n"
        "held = bytearray(b'abcd')\nbytes_of = np.frombuffer(held, 'u1')\n"
        "things = np.array([[1], 'x', None], dtype=object)\nsome = things[::2]\n"
    )
    space.through_files("inner", "base", "table", "held", "things")
    space.run(
        "outer['a'].append(2)\nbase[0, 1] = 7\ntable.iloc[0, 1] = 9\nheld[0] = 0\nsome[1] = 5"
    )
    assert space.run("inner, view[0, 0], float(array[0, 1]), int(bytes_of[0]), things[2]") == (
        "([1, 2], np.float64(7.0), 9.0, 0, 5)"
    )
    assert space.run("view.base is not None, part.flags.writeable, base.flags.writeable") == (
        "(True, False, True)"
    )


def test_objects_of_classes_of_the_notebook_need_their_class(space: KeepingKernel) -> None:
    source = "class Point:\n    def __init__(self, x):\n        self.x = x"
    space.run(f"{source}\npoint = Point([1])")
    covariables = space.keep("point")
    assert (covariables[0]["needs"], covariables[0]["cause"]) == (["Point"], "")
    space.run("del point, Point")
    (restored,) = space.restore(covariables)
    assert "Point" in restored["cause"]
    assert space.run("'point' in globals()") == "False"
    space.run(source)
    assert space.restore(covariables)[0]["cause"] == ""
    assert space.run("type(point) is Point, point.x") == "(True, [1])"


def test_equal_values_are_stored_once_and_no_part_is_left(space: KeepingKernel) -> None:
    space.run("first, second = np.arange(50_000.0), np.arange(50_000.0)")
    one, two = space.keep("first", "second")
    assert one["files"][1] == two["files"][1]
    assert one["files"][1]["whole"] == 400_000
    assert one["files"][0] != two["files"][0]  # another name
    names = {path.name for path in space.folder.iterdir()}
    assert not any(name.endswith(".part") for name in names)
    assert {file["name"] for file in (*one["files"], *two["files"])} <= names


def test_files_that_are_cut_bind_nothing(space: KeepingKernel) -> None:
    space.run("first = np.arange(50_000.0)\nsecond = [first]")
    covariables = space.keep("first")
    file = space.folder / covariables[0]["files"][1]["name"]
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    space.run("first = second = 0")
    (restored,) = space.restore(covariables)
    assert "another size" in restored["cause"]
    file.unlink()
    assert "No such file" in space.restore(covariables)[0]["cause"]
    assert space.run("first, second") == "(0, 0)"
    file.write_bytes(whole)
    assert space.restore(covariables)[0]["cause"] == ""
    assert space.run("second[0] is first") == "True"


# ------------------------------------------------------------------ made again by their cells


def test_what_cannot_be_kept_says_why(space: KeepingKernel) -> None:
    space.run(
        "import math\nfrom math import sqrt\ndef f():\n    pass\nclass C:\n    pass\n"
        "lock = {'deep': [1, {'lock': threading.Lock()}]}\nshared = lock['deep']\n"
        "call = {'key': lambda: 1}\nstream = (i for i in [1])\nnext(stream)\n"
        "class Odd:\n    pass\nodd = Odd()\nclass Odd:\n    pass\n"
    )
    causes = space.causes("math", "sqrt", "f", "C", "lock", "call", "stream", "odd")
    assert causes["math"] == "`math` is a module, which is imported again"
    assert causes["sqrt"] == "`sqrt` is math.sqrt"
    assert causes["f"] == "`f` is defined by its cell"
    assert causes["C"] == "`C` is defined by its cell"
    assert causes["lock shared"].startswith(
        "`lock['deep'][1]['lock']` cannot be pickled: TypeError: cannot"
    )
    assert causes["call"].startswith("`call['key']` cannot be pickled: ")
    assert "a generator that has begun" in causes["stream"]
    assert "not the same object as __main__.Odd" in causes["odd"]


def test_what_is_not_equal_after_loading_is_not_kept(space: KeepingKernel) -> None:
    space.run(
        "class Forgets:\n    def __init__(self):\n        self.x, self.y = 1, 2\n"
        "    def __getstate__(self):\n        return {'x': self.x}\n"
        "class Splits(list):\n"
        "    def __reduce__(self):\n        return Splits, (), None, iter([[*self[0]]])\n"
        "forgets = Forgets()\nshared = [1]\nsplits = Splits([shared])\n"
    )
    assert space.causes("forgets", "splits") == {
        "forgets": "`forgets` is not the same after it is loaded",
        "shared splits": "its names no longer share what they share once they are loaded",
        "splits": "",
    }


def test_a_value_may_do_nothing_to_the_outside(space: KeepingKernel) -> None:
    space.run(
        "class Writes:\n    def __reduce__(self):\n        open('made', 'w').close()\n"
        "        return Writes, ()\n"
        "calls = []\nclass Counts:\n    def __reduce__(self):\n        calls.append(1)\n"
        "        random.random()\n        return Counts, ()\n"
        "writes, counts = Writes(), Counts()\nrandom.seed(1)\n"
    )
    before = space.run("random.getstate()[1][-1], warnings.filters[0]")
    causes = space.causes("writes", "counts")
    assert "it would write 'made'" in causes["writes"]
    assert causes["counts"] == ""
    assert not (space.folder.parent / "made").exists()
    assert space.run("random.getstate()[1][-1], warnings.filters[0]") == before
    assert space.run("calls") == "[]"


# ------------------------------------------------------------------ when and where


def test_what_is_surely_too_large_costs_no_child(space: KeepingKernel) -> None:
    space.run("large = np.zeros(100_000_000)")
    begun = space.live.keep(question(str(space.folder), "large", limit_s=0.1))
    assert begun == {"ticket": 0, "cause": "there is no time for it"}


def test_a_child_ends_soon_after_its_time_whatever_a_value_does(space: KeepingKernel) -> None:
    space.run(
        "import time\n"
        "class Slow:\n"
        "    def __getstate__(self):\n"
        "        while time.process_time() < 600:\n"
        "            pass\n"
        "slow = Slow()"
    )
    kept = space.collect(space.begin("slow", limit_s=0.1))
    assert (kept["done"], kept["covariables"]) == (True, [])
    assert kept["cause"] == "it was not done after 0.1 s"
    assert kept["cost_s"] < 1  # seconds of computing, as the system counts them


def test_it_keeps_what_was_there_when_it_was_asked(space: KeepingKernel) -> None:
    space.run("x = list(range(1000))")
    ticket = space.begin("x")
    space.run("x.clear()")
    covariables = space.collect(ticket)["covariables"]
    assert space.restore(covariables)[0]["cause"] == ""
    assert space.run("len(x)") == "1000"


@pytest.mark.corpus
def test_what_takes_too_long_is_told_with_what_is_done(space: KeepingKernel) -> None:
    space.run(
        "class Slow:\n    def __reduce__(self):\n        while True:\n            pass\n"
        "quick, slow = [1], Slow()"
    )
    kept = space.collect(space.begin("quick", "slow", limit_s=1))
    assert kept["done"]
    assert [c["names"] for c in kept["covariables"]] == [["quick"]]
    assert kept["cause"].startswith("it was not done after 1 s")
    running = space.begin("slow", limit_s=30)
    assert not space.live.collect({"ticket": running, "wait_s": 0.1, "stop": False})["done"]
    assert space.live.collect({"ticket": running, "wait_s": 0.1, "stop": True})["done"]


def test_what_a_busy_machine_lets_wait_is_not_done_either(space: KeepingKernel) -> None:
    space.run(
        "import signal\nclass Slow:\n    def __reduce__(self):\n"
        "        signal.setitimer(signal.ITIMER_REAL, 0.01)\n"
        "        while True:\n            pass\nslow = Slow()"
    )
    assert space.collect(space.begin("slow", limit_s=30))["cause"] == "it was not done after 30 s"


def test_a_kernel_that_cannot_be_forked_keeps_nothing(space: KeepingKernel) -> None:
    space.run(
        "stop = threading.Event()\nthread = threading.Thread(target=stop.wait)\nthread.start()\n"
        "x = [np.arange(3)]"
    )
    try:
        begun = space.live.keep(question(str(space.folder), "x"))
        assert begun["ticket"] == 0
        assert begun["cause"].startswith("the thread ")
    finally:
        space.run("stop.set(); thread.join()")


def test_what_is_unbound_is_not_shown_by_the_notebook(space: KeepingKernel) -> None:
    space.run(
        "told = []\n"
        "class Loud:\n    def __repr__(self): told.append('shown'); return 'Loud()'\n"
        "loud = Loud()"
    )
    space.live.unbind(["loud"])
    assert space.run("print(told, 'loud' in globals())") == "[] False"
