"""Values that are easily kept or restored wrongly, in a real kernel."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from keeping import KeepingKernel, columns_are_copied_late

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork"),
]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeepingKernel]:
    folder = tmp_path_factory.mktemp("nb")
    (folder / "beside.py").write_text("CACHE = {}\nLIMIT = 3\nNAMES = ('a',)\n")
    keeping = KeepingKernel(folder)
    with keeping.session:
        keeping.run("import logging, threading\nimport numpy as np, pandas as pd")
        yield keeping


def test_arrays_and_tables(kernel: KeepingKernel) -> None:
    kernel.run(
        "shaped = np.arange(6)\nturned = np.asfortranarray(np.arange(6.0).reshape(2, 3))\n"
        "inner = [1]\ncolumns = pd.DataFrame({'o': [inner, 'x'], 'n': [1, 2]}, dtype=object)\n"
        "columns.attrs['unit'] = inner\n"
        "records = np.array([(1, 'a')], dtype=[('i', 'i4'), ('s', 'U5')])\n"
        "names, days = pd.Series(['a', None]), pd.date_range('2020', periods=2, tz='UTC')\n"
        "tall = pd.MultiIndex.from_product([[1, 2], ['a', 'b']])\n"
        "kinds = [np.dtype(kind) for kind in ('f8', 'i4', 'q', 'O', '>f8', 'U3', 'M8[ns]')]\n"
    )
    (before,) = kernel.keep("shaped")
    kernel.run("shaped.shape = 2, 3")
    (after,) = kernel.keep("shaped")
    assert before["fingerprints"]["shaped"]["hash"] != after["fingerprints"]["shaped"]["hash"]
    kernel.through_files("shaped", "turned", "columns", "records", "names", "days", "tall")
    kernel.through_files("kinds")
    alone = "all(kind is np.dtype(kind.char) for kind in [*kinds[:4], shaped.dtype])"
    assert kernel.run(alone) == "True"
    assert kernel.run("shaped.shape, turned.flags.f_contiguous, records.dtype.names") == (
        "((2, 3), True, (i, s))"
    )
    assert kernel.run("columns.at[0, 'o'] is inner, columns.attrs['unit'] is inner") == (
        "(True, True)"
    )


@columns_are_copied_late
def test_a_restored_table_is_copied_before_it_is_written_to(kernel: KeepingKernel) -> None:
    kernel.run(
        "table = pd.DataFrame({'a': [1.0, 2.0], 'b': [3.0, 4.0]})\n"
        "column, fewer, other = table['a'], table[['b']], table\n"
    )
    kernel.through_files("table", "column", "fewer")
    kernel.run("table.loc[0, 'a'] = 9.0\ntable.loc[0, 'b'] = 9.0")
    assert kernel.run("column[0], fewer.loc[0, 'b'], other is table") == (
        "(np.float64(1.0), np.float64(3.0), True)"
    )


def test_classes_that_are_not_what_they_say(kernel: KeepingKernel) -> None:
    kernel.run(
        "class Nowhere:\n    __module__ = None\n    def __init__(self):\n        self.x = [1]\n"
        "nowhere = Nowhere()\n"
        "class Twice:\n    kept = 1\nfirst = Twice()\n"
        "class Twice:\n    kept = 2\nsecond = Twice()\nboth = [first, second]\n"
        "def local():\n    class Inside:\n        pass\n    return Inside()\n"
        "inside = local()\n"
    )
    causes = kernel.causes("nowhere", "first", "inside")
    assert "not the same object as __main__.Twice" in causes["both first second"]
    assert causes["inside"].startswith("`inside` cannot be pickled: ")
    kernel.run("del first, both")
    assert kernel.causes("second", "first") == {"second": ""}
    if not causes["nowhere"]:
        kernel.through_files("nowhere")
        assert kernel.run("type(nowhere) is Nowhere, nowhere.x") == "(True, [1])"


def test_one_member_that_cannot_be_pickled_is_named(kernel: KeepingKernel) -> None:
    kernel.run(
        "class Model:\n    pass\nmodel = Model()\nmodel.weights = np.zeros(1000)\n"
        "model.parts = {'names': ['a'], 'locks': [1, threading.Lock()]}\n"
        "weights, alone = model.weights, np.zeros(1000)\n"
    )
    causes = kernel.causes("weights", "alone")
    assert causes["alone"] == ""
    assert causes["model weights"].startswith(
        "`model.parts[locks][1]` cannot be pickled: TypeError".replace("locks", "'locks'")
    )


def test_names_that_come_and_go_without_a_statement(kernel: KeepingKernel) -> None:
    kernel.run("shared = []\nglobals().update(came=[shared], went=[shared])\ndel globals()['went']")
    assert kernel.causes("came", "went") == {"came shared": ""}
    kernel.run("def make():\n    global made\n    made = {'at': shared}\nmake()")
    assert kernel.causes("made") == {"came made shared": ""}
    kernel.through_files("made")
    assert kernel.run("made['at'] is shared is came[0]") == "True"


def test_what_others_hold_too_is_not_kept(kernel: KeepingKernel) -> None:
    kernel.run(
        "import beside\nfrom beside import CACHE, LIMIT, NAMES\nuses = {'cache': CACHE}\n"
        "log = logging.getLogger('of the notebook')\nlog.setLevel(10)\nwith_log = {'log': log}\n"
        "state = np.random.mtrand._rand\nfunction = pd.concat\n"
    )
    causes = kernel.causes("uses", "LIMIT", "NAMES", "with_log", "state", "function")
    held = "beside.CACHE, which a module of the project holds too"
    assert causes["CACHE uses"] == f"`CACHE` holds {held}"
    assert (causes["LIMIT"], causes["NAMES"]) == ("", "")
    assert causes["log with_log"] == "a part of it is pickled by its name alone, whatever it holds"
    assert causes["state"].startswith("`state` is numpy.random.")
    assert causes["function"].startswith("`function` is pandas.")


def test_restoring_is_seen_by_what_follows_names(kernel: KeepingKernel) -> None:
    kernel.run("followed = [*range(5000)]")
    covariables = kernel.keep("followed")
    kernel.run("followed = [*range(5000)]\nfollowed.append(1)")
    kernel.restore(covariables)
    result = kernel.live.execute("length = len(followed)", 60, None)
    assert result.event is not None
    hashes = covariables[0]["fingerprints"]["followed"]["hash"]
    assert result.event["before"]["followed"]["hash"] == hashes


def test_a_set_that_would_come_in_another_order_is_not_kept(kernel: KeepingKernel) -> None:
    kernel.run(
        "squares = {number * number * 7 % 4096 for number in range(81)}\n"
        "held = {'names': frozenset(squares)}\nfew = {1, 2, 3}\nhold = [few, {'alone'}]\n"
        "few.add(4)\nmany = [squares] * 3\n"
    )
    causes = kernel.causes("squares", "held", "few")
    order = "a set in it comes in another order once it is loaded"
    assert causes == {"held": order, "many squares": order, "few hold": ""}
    kernel.through_files("few")
    assert kernel.run("hold[0] is few, hold") == "(True, [{1, 2, 3, 4}, {alone}])"


def test_a_set_that_would_go_on_in_another_order_is_not_kept(kernel: KeepingKernel) -> None:
    kernel.run(
        "class Own(set): pass\nfew, own, waiting = set(), Own(), {3, 4, 5}\n"
        "for each in (few, own): each.add(30); each.add(54)\n"
        "del each\nagain, kept = {*[*few]}, {0, 1, 2}\nwaiting.pop()"
    )
    order = "a set in it comes in another order once it is loaded"
    causes = kernel.causes("few", "own", "waiting", "kept")
    assert causes == {"few": order, "own": order, "waiting": order, "kept": ""}
    assert kernel.run("[*few] == [*again]") == "True"
    kernel.run("few.add(46); again.add(46)")
    assert kernel.run("[*few] == [*again]") == "False"


def test_a_nan_is_the_very_object_that_it_was(kernel: KeepingKernel) -> None:
    kernel.run(
        "gap = float('nan')\nown, numpys, alone = [gap, gap], [np.nan], {float('nan'): 1}\n"
        "inside = [[float('nan')] * 2]"
    )
    causes = kernel.causes("gap", "own", "numpys", "alone", "inside")
    elsewhere = "a NaN in it is held elsewhere too"
    assert causes == {"gap": elsewhere, "own": elsewhere, "numpys": "", "alone": "", "inside": ""}
    kernel.through_files("numpys", "alone", "inside")
    assert kernel.run("numpys[0] is np.nan, len({*inside[0]}), len({*own})") == "(True, 1, 1)"
