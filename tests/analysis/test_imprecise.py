"""What the analysis is known to get wrong, so that it can be found and one day removed."""

from __future__ import annotations

from analysiscase import cell, dead, function, graph, live, written

from pytest_nbsafe.analysis.dependencies import edges, needs, unbound


def test_false_positive_branches_that_hang_together() -> None:
    """Paths are not told apart by the values of their conditions."""
    assert live("if c:\n    x = 1\nif c:\n    x") == "c x?"


def test_false_positive_loop_that_surely_runs() -> None:
    assert live("for i in [1, 2]:\n    x = i\nx") == "x?"


def test_false_positive_inner_function_that_is_never_called() -> None:
    assert function("def f():\n    def g(): return x\n    return 1", "f") == "reads x?"


def test_false_positive_method_that_only_looks() -> None:
    """A method that no list knows is taken for one that changes its object."""
    assert graph("x = 1", "x.look()").changers["x"] == (2,)


def test_false_positive_break_and_exception_share_a_finally() -> None:
    text = """
        for i in r:
            try:
                x = f()
                break
            finally:
                g()
        else:
            x = 1
        x
    """
    assert live(text) == "r f? g? x?"


def test_false_positive_dead_though_a_called_function_reads_it() -> None:
    assert dead("def f(): return x\nx = f()") == "f x"


def test_false_negative_read_after_del() -> None:
    """It surely fails, but reads nothing from outside; only the deletion does."""
    g = graph("x = 1", "del x\nx")
    assert [written(use) for use in needs(g, 2)] == ["x"]
    assert unbound(g, (1, 2)) == ()


def test_false_negative_except_name_is_not_surely_missing() -> None:
    """Where the handler ran the name is deleted, so that the read fails on every path."""
    assert live("try:\n    f()\nexcept E as e:\n    pass\ne") == "f E? e?"


def test_false_negative_change_through_another_name() -> None:
    g = graph("x = []", "y = x\ny.append(1)", "x")
    assert [(e.definer, e.name) for e in edges(g, (1, 2, 3))][-1] == (1, "x")
    assert g.changers.get("x", ()) == ()


def test_false_negative_methods_of_an_object_from_elsewhere() -> None:
    """An object that a function returned is not known to be of a class of the notebook."""
    g = graph("class C:\n    def m(self): return x\ndef make(): return C()", "c = make()", "c.m()")
    assert [written(use) for use in needs(g, 3)] == ["c"]


def test_opaque_cell_keeps_what_is_known() -> None:
    assert cell("exec(s)\nx = 1").sure == {"x"}
