"""What a cell prints beside what it asks the clock or the machine is compared."""

from __future__ import annotations

import percent
import pytest
from page_runs import ran, why

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.judge.changed_outputs import changed
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.outputs.expectations import Expectations
from pytest_nbsafe.values import replace


def _results(text: str, new: str) -> dict[int, str]:
    """Return why cells differ where the last one has this result, and prints what was saved."""
    notebook = percent.parse(text)
    result = ran(notebook, {})
    last = result.results[-1]
    kept = tuple(o for o in last.outputs if o.kind != "execute_result")
    last = replace(last, outputs=(*kept, Output("execute_result", text=new)))
    result = replace(result, results=(*result.results[:-1], last))
    differing = changed(build(notebook), Trial(result, second=result), Expectations())
    return {cell: each.why for cell, each in differing.items()}


CLOCK = """\
# %% [1]
from datetime import datetime
accuracy = 0.71
# %% [2]
now = datetime.now()
print("run at", now)
print("accuracy", accuracy)
#> run at 1999-01-01
#> accuracy 0.99
"""


def test_what_is_printed_beside_the_clock_is_compared() -> None:
    assert why(CLOCK, {2: "run at 2026-11-23\naccuracy 0.71"}) == {2: ""}
    assert why(CLOCK, {2: "run at 2026-11-23\naccuracy 0.99"}) == {}
    unsaved = CLOCK.replace("#> run at 1999-01-01\n#> accuracy 0.99\n", "# %% [3]\n1\n#> 1\n")
    assert why(unsaved, {2: "run at 2026-11-23\naccuracy 0.71"}) == {2: ""}


def test_what_is_printed_beside_a_call_that_binds_nothing_is_compared() -> None:
    text = CLOCK.replace("now = datetime.now()\n", "now = 3\ngc.collect()\n")
    assert why(text, {2: "run at 1999-01-01\naccuracy 0.71"}) == {2: ""}
    assert why("# %% [1]\nimport gc\ngc.collect()\n#> 12\n", {1: "34"}) == {}


def test_the_recorded_order_may_explain_what_is_printed_beside_the_clock() -> None:
    clean, replayed = "run at 2026-11-23\naccuracy 0.71", "run at 2026-11-24\naccuracy 0.99"
    assert why(CLOCK, {2: clean}, replay={2: replayed}) == {2: "order"}


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ('print("accuracy", accuracy)', 'print("accuracy", now.day)'),
        ('print("accuracy", accuracy)', 'days = now.day\nprint("accuracy", days)'),
        ("now = datetime.now()", "now = datetime.now()\nsend(now)"),
        ("now = datetime.now()", "now = datetime.now()\nif now.day > 3:\n    accuracy = 0.9"),
        ("now = datetime.now()", "now = datetime.now()\naccuracy = score(now)"),
        ("now = datetime.now()", "now = datetime.now()\nThread(target=work).start()"),
        ('print("accuracy", accuracy)', "print(accuracy)"),
    ],
)
def test_what_the_clock_may_have_a_part_in_is_not(line: str, instead: str) -> None:
    text = CLOCK.replace(line, instead)
    assert why(text, {2: "run at 2026-11-23\naccuracy 0.71"}) == {}
    twice = CLOCK.replace("now)\n", 'now)\nprint("accuracy since", now)\n')
    assert why(twice, {2: "run at 2026-11-23\naccuracy since 2026-11-23\naccuracy 0.71"}) == {}


def test_a_result_beside_the_clock_is_compared() -> None:
    text = "# %% [1]\nimport time\nt = time.ctime()\nprint(t)\n12 + 1\n#= 14\n"
    assert _results(text, "13") == {1: ""}
    assert _results(text.replace("12 + 1", "len(t)"), "13") == {}


def test_a_text_that_was_removed_beside_the_clock() -> None:
    text = CLOCK.replace("#> run at 1999-01-01\n#> accuracy 0.99\n", "# %% [3]\n1\n#> 1\n")
    text = text.replace('print("accuracy", accuracy)\n', "")
    assert why(text, {2: "run at 2026-11-23"}, {2: "run at 2026-11-24"}) == {2: ""}
    unnamed = text.replace('"run at", ', "")
    assert why(unnamed, {2: "2026-11-23"}, {2: "2026-11-24"}) == {2: ""}
    assert why(text.replace('print("run at", now)', "f(now)"), {2: "run at 2026-11-23"}) == {}


SOLVED = """\
# %% [1]
from scipy.optimize import minimize
n = 5
# %% [2]
best = minimize(f, 0)
area = sum([1.5] * n)
print("best:", best.x)
print("area:", area)
#> best: 0.25133
#> area: 9.5
"""


def test_what_is_printed_beside_what_is_solved_is_compared() -> None:
    other, same = "best: 0.71133\narea: 7.5", "best: 0.71133\narea: 9.5"
    assert why(SOLVED, {2: other}) == {2: ""}
    assert why(SOLVED, {2: same}) == {2: "libraries"}
    assert why(SOLVED.replace("9.5", "7.500001"), {2: "best: 0.71133\narea: 7.500002"}) == {
        2: "libraries"
    }


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("area = sum([1.5] * n)", "area = sum([1.5] * len(best))"),
        ("best = minimize(f, 0)", "for k in range(n):\n    best = minimize(f, k)\n    n += best.x"),
        ('print("area:", area)', "print(area)"),
    ],
)
def test_what_may_be_of_the_solution_is_not(line: str, instead: str) -> None:
    text = SOLVED.replace(line, instead)
    assert why(text, {2: "best: 0.71133\narea: 7.5"}) == {2: "libraries"}


def test_a_result_beside_what_is_learned_is_compared() -> None:
    text = SOLVED.split('print("best', maxsplit=1)[0] + "n * 2\n#= 11\n"
    assert _results(text, "10") == {2: ""}
    assert _results(text.replace("n * 2", "best.x * 2"), "10") == {2: "libraries"}


def test_functions_that_give_the_same_from_version_to_version() -> None:
    text = SOLVED.replace("scipy.optimize import minimize", "scipy.integrate import quad")
    text = text.replace("minimize(f, 0)", "quad(f, 0, 1)")
    assert why(text, {2: "best: 0.71133\narea: 9.5"}) == {2: ""}
    assert why(text, {2: "best: 0.25134\narea: 9.5"}) == {2: "libraries"}
    both = text.replace("import quad", "import quad, odeint")
    assert why(both, {2: "best: 0.71133\narea: 9.5"}) == {2: "libraries"}


def test_data_that_come_with_a_library_are_told_of_in_other_words() -> None:
    text = """\
# %% [1]
from sklearn.datasets import load_breast_cancer
data = load_breast_cancer()
# %% [2]
print(data.keys(), len(data.data))
#> data target 572
"""
    assert why(text, {2: "data target 569"}) == {2: ""}
    assert why(text, {2: "data frame target 569"}) == {2: "libraries"}


def test_an_object_that_is_no_picture_was_removed() -> None:
    text = "# %% [1]\nkept = f()\n# %% [2]\nkept\n# %% [3]\n1\n#= 1\n"
    notebook = percent.parse(text)
    for kind, reasons in (("utils.capture.CapturedIO", {2: ""}), ("core.display.Image", {})):
        result = ran(notebook, {})
        shows = (Output("execute_result", text=f"<IPython.{kind} at 0x7f00>"),)
        first, second, third = result.results
        result = replace(result, results=(first, replace(second, outputs=shows), third))
        differing = changed(build(notebook), Trial(result, second=result), Expectations())
        assert {cell: each.why for cell, each in differing.items()} == reasons
