"""Which saved outputs a run does not give, on runs made up by hand: no kernel starts here."""

from __future__ import annotations

from datetime import datetime, timezone

import percent
import pytest
from page_runs import ran, why

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.judge.changed_outputs import changed, is_as_saved, to_repeat
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.outputs.expectations import Expectations
from pytest_nbsafe.trace.updated_displays import Displays
from pytest_nbsafe.values import replace

PURE = """\
# %% [1]
a = 2
# %% [2]
print(a)
#> 1
# %% [3]
print(a + 1)
#> 3
"""


def test_what_two_runs_agree_on_and_the_page_does_not_show() -> None:
    assert why(PURE, {2: "2"}) == {2: ""}
    assert why(PURE, {}) == {}


def test_what_two_runs_do_not_agree_on_is_not_compared() -> None:
    assert why(PURE, {2: "2"}, {2: "7"}) == {}


def test_a_clock_that_moves_by_less_than_numbers_are_compared_by() -> None:
    text = "# %% [1]\nimport time\n# %% [2]\nprint(time.time())\n#> 1795463100.25\n"
    first, second = {2: "1795474221.52632"}, {2: "1795474222.61"}
    assert why(text, first, second) == {}
    now = datetime.fromtimestamp(1795474223, tz=timezone.utc)
    assert why(text, first, second, expected=Expectations(now=now)) == {}
    sure = text.replace("time.time()", "2.0e9 - len(time.__name__)")
    assert why(sure, {2: "1795474221.52632"}, {2: "1795474222.61"}) == {2: ""}


def test_a_part_that_varies_leaves_the_rest_to_be_compared() -> None:
    text = PURE.replace("#> 1", "#> took 17.2 s\n#> accuracy: 0.9")
    assert why(text, {2: "took 8 s\naccuracy: 0.7"}, {2: "took 9 s\naccuracy: 0.7"}) == {2: ""}
    assert why(text, {2: "took 8 s\naccuracy: 0.9"}, {2: "took 9 s\naccuracy: 0.9"}) == {}


def test_what_the_recorded_order_gives_is_told_elsewhere() -> None:
    assert why(PURE, {2: "2"}, replay={2: "1"}) == {2: "order"}
    assert why(PURE, {2: "2"}, replay={2: "5"}) == {2: ""}


def test_without_a_second_run_nothing_is_sure() -> None:
    notebook = percent.parse(PURE)
    graph, trial = build(notebook), Trial(ran(notebook, {2: "2"}))
    assert {c: each.why for c, each in changed(graph, trial, Expectations()).items()} == {
        2: "unrepeated"
    }
    assert to_repeat(graph, trial, Expectations()) == {2}
    assert not is_as_saved(graph, trial, Expectations(), 2)
    assert is_as_saved(graph, trial, Expectations(), 3)


def test_what_a_later_cell_changed_is_run_as_far_as_that_cell() -> None:
    notebook = percent.parse(PURE)
    clean = ran(notebook, {2: "2"})
    first, shows, updates = clean.results
    shows = replace(shows, displays=Displays({"d": (0,)}))
    updates = replace(updates, displays=Displays(updates={"d": Output("display_data", text="2")}))
    trial = Trial(replace(clean, results=(first, shows, updates)))
    assert to_repeat(build(notebook), trial, Expectations()) == {2, 3}


@pytest.mark.parametrize(
    ("expected", "cells"),
    [
        (Expectations("off"), set()),
        (Expectations(own={2: "off"}), set()),
        (Expectations("off", own={2: "lenient"}), {2}),
    ],
)
def test_what_is_switched_off_is_not_compared(expected: Expectations, cells: set[int]) -> None:
    assert why(PURE, {2: "2"}, expected=expected).keys() == cells


def test_exact_cells_have_no_tolerance() -> None:
    text = PURE.replace("#> 1", "#> 0.30000000000000004")
    assert why(text, {2: "0.3"}) == {}
    assert why(text, {2: "0.3"}, expected=Expectations(own={2: "exact"})) == {2: ""}


def test_what_looks_like_another_version_but_took_time_runs_again() -> None:
    text = "# %% [1]\nimport numpy as np\nt = np.f()\n# %% [2]\nprint(t.best)\n#> 1.79807e-06\n"
    for source, cells in ((text, set()), (text.replace("np.f()", "np.f(time.time())"), {2})):
        notebook = percent.parse(source)
        trial = Trial(ran(notebook, {2: "4.47972e-06"}))
        assert to_repeat(build(notebook), trial, Expectations()) == cells


# -- outputs that are not there --------------------------------------------------------------------


def test_an_output_that_was_removed() -> None:
    assert why(PURE.replace("#> 1\n", ""), {2: "2"}) == {2: ""}


def test_a_page_that_was_cleared_has_nothing_to_compare() -> None:
    assert why(PURE.replace("#> 1\n", "").replace("#> 3\n", ""), {2: "2", 3: "3"}) == {}
    most = "# %% [1]\n1\n#= 1\n" + "".join(f"# %% [{n}]\nprint({n})\n" for n in (2, 3, 4))
    assert why(most, {2: "2", 3: "3", 4: "4"}) == {}


def test_a_cell_that_did_not_run_counts_above_one_that_did() -> None:
    never = PURE.replace("# %% [2]", "# %%").replace("#> 1\n", "")
    assert why(never, {2: "2"}) == {2: ""}
    last = PURE.replace("# %% [3]", "# %%").replace("#> 3\n", "")
    assert why(last, {2: "1", 3: "3"}) == {}


def test_a_saved_error_and_a_run_that_fails_are_told_elsewhere() -> None:
    assert why(PURE.replace("#> 1", "#x KeyError: 'b'"), {2: "2"}) == {}
    assert why(PURE, {2: "2"}, raises={2: "ValueError"}) == {}


def test_what_is_made_from_a_cell_that_fails_is_explained_by_that() -> None:
    text = PURE.replace("print(a + 1)", "a = 3\nprint(a)") + "# %% [4]\nprint(a)\n#> 3\n"
    assert why(text, {3: "", 4: "2"}, raises={3: "NameError"}) == {}
    assert why(text, {4: "2"}) == {4: ""}


# -- what else may have changed it -----------------------------------------------------------------

TABLES = """\
# %% [1]
import pandas as pd
table = pd.DataFrame({"a": [1]})
# %% [2]
print(table["a"].sum())
#> 1
# %% [3]
print(table["a"].max())
#> 7
# %% [4]
print(table["a"].min())
#> 8
"""


def test_numbers_of_a_library_that_gives_all_others_as_saved() -> None:
    assert why(TABLES, {2: "2"}) == {2: ""}


@pytest.mark.parametrize(
    ("saved", "new"),
    [
        ("0.123456", "0.123457"),
        ("a 2\nb 1", "b 1\na 2"),
        ("dtype: int64", "dtype: int32"),
    ],
)
def test_what_other_versions_of_libraries_print(saved: str, new: str) -> None:
    text = TABLES.replace("#> 1", "\n".join(f"#> {line}" for line in saved.split("\n")))
    assert set(why(text, {2: new}).values()) <= {"libraries"}


def test_an_exception_of_a_library_that_the_page_does_not_show() -> None:
    raised = why(TABLES, {2: "2"}, raises={4: "AttributeError"})
    assert raised == {2: "libraries"}
    assert why(TABLES, {2: "2"}, raises={4: "KeyError"}) == {2: ""}
    assert why(PURE, {2: "2"}, raises={3: "AttributeError"}) == {2: ""}, "there is no library"


def test_a_text_that_was_removed_is_no_drift() -> None:
    text = TABLES.replace("#> 1\n", "")
    assert why(text, {2: "2"}, raises={4: "AttributeError"}) == {2: ""}
    fitted = text.replace('print(table["a"].sum())', "b = table.fit()")
    assert why(fitted, {2: "1/1 done"}, raises={4: "AttributeError"}) == {2: "libraries"}
    shown = TABLES.replace('print(table["a"].sum())\n#> 1', "table.values")
    for new, reason in (("array([[1]])", ""), ("Model(a=1)", "libraries")):
        notebook = percent.parse(shown)
        result = ran(notebook, {}, raises={4: "AttributeError"})
        shows = replace(result.results[1], outputs=(Output("execute_result", text=new),))
        result = replace(result, results=(result.results[0], shows, *result.results[2:]))
        differing = changed(build(notebook), Trial(result, second=result), Expectations())
        assert {cell: each.why for cell, each in differing.items()} == {2: reason}
    drawn = "# %% [1]\nimport random\nx = random.random()\n# %% [2]\nprint(x)\n# %% [3]\n1\n#= 1\n"
    assert why(drawn, {2: "0.5"}, {2: "0.7"}) == {2: ""}


def test_dicts_of_an_older_python_where_no_library_has_a_part() -> None:
    text = "# %% [1]\nd = {'b': 1, 'a': 2}\n# %% [2]\nprint(*d)\n#> a b\n"
    assert why(text, {2: "b a"}, saved_by="3.5.2") == {2: "libraries"}
    assert why(text, {2: "b a"}, saved_by="3.8.1") == {2: ""}


def test_nothing_as_it_was() -> None:
    everything = {2: "2", 3: "9", 4: "5"}
    assert set(why(TABLES, everything).values()) == {"libraries"}
    assert set(why(TABLES, everything, saved_by="3.8.1").values()) == {"libraries"}
    assert set(why(TABLES, everything, saved_by="3.11.2").values()) == {""}, "a file has changed"


def test_what_is_chosen_by_what_stands_in_another_order() -> None:
    text = """\
# %% [1]
import pandas as pd
ties = pd.Series([2, 2], ["a", "b"]).sort_values()
# %% [2]
print(ties.to_string())
#> a 2
#> b 2
# %% [3]
print("first:", ties.index[0])
#> first: a
# %% [4]
print(3)
#> 4
"""
    reasons = why(text, {2: "b 2\na 2", 3: "first: b", 4: "3"})
    assert reasons == {2: "libraries", 3: "libraries", 4: ""}


LEARNED = """\
# %% [1]
from sklearn.linear_model import LogisticRegression
model = LogisticRegression().fit([[1], [2]], [0, 1])
# %% [2]
print("score", model.score([[1]], [0]))
#> score 0.91333
# %% [3]
print(model.coef_[0][0])
#> 0.5
"""


def test_what_a_model_learned_needs_something_else_learned_that_is_as_saved() -> None:
    assert why(LEARNED, {2: "score 0.7"}) == {2: ""}
    assert why(LEARNED, {2: "score 0.7", 3: "0.8"}) == {2: "libraries", 3: "libraries"}
    both = why(LEARNED, {2: "score 0.7", 3: "0.8"}, saved_by="3.11.0")
    assert both == {2: "", 3: ""}


MORE_LEARNED = """\
# %% [4]
print(model.coef_, model.intercept_)
#> [17.79064226 31.01065329] 10.825941
# %% [5]
import numpy as np
print(np.sum([1]))
#> 1
"""
SOME, MOST = "[17.79064226 28.3711] 10.8", "[17.79064226 31.01065329] 10.8"


def test_most_numbers_of_one_cell_tell_that_learning_gives_the_same() -> None:
    text = LEARNED + MORE_LEARNED
    assert why(text, {2: "score 0.71333", 3: "0.8", 4: SOME})[2] == "libraries"
    assert why(text, {2: "score 0.71333", 3: "0.8", 4: MOST})[2] == ""


def test_a_model_may_be_as_it_was_though_its_library_is_another() -> None:
    other = """\
# %% [6]
from sklearn.svm import SVC
print(SVC().fit([[1], [2]], [0, 1]).score([[1]], [0]))
#> 0.25333
# %% [7]
SVC()
#= SVC(C=1.0, coef0=0.0, degree=3, gamma='auto', kernel='rbf', tol=0.001)
"""
    text = LEARNED + MORE_LEARNED + other
    clean = {2: "score 0.71333", 6: "0.51333", 7: "SVC()"}
    assert why(text, {**clean, 4: SOME})[2] == "libraries"
    reasons = why(text, {**clean, 4: MOST})
    assert (reasons[2], reasons[6]) == ("", "libraries"), "nothing is known of the other model"
    assert why(text, {**clean, 2: "score 1.0", 4: MOST})[2] == "libraries", "another score"


def test_an_object_that_was_printed_and_is_html_today() -> None:
    notebook = percent.parse(
        LEARNED + "# %% [4]\nmodel\n#= LogisticRegression(C=1.0, dual=False, tol=0.1, verbose=0)\n"
    )
    html = {"text/html": "<table><tr><td>C</td><td>1.0</td></tr></table>"}
    clean = ran(notebook, {})
    shown = Output("execute_result", text="LogisticRegression()", data=html)
    results = (*clean.results[:-1], replace(clean.results[-1], outputs=(shown,)))
    runs = replace(clean, results=results)
    differing = changed(build(notebook), Trial(runs, second=runs), Expectations())
    assert {cell: each.why for cell, each in differing.items()} == {4: "libraries"}


def test_a_draw_without_a_second_run_is_left_to_its_own_rule() -> None:
    text = "# %% [1]\nimport random\nx = random.random()\n# %% [2]\nprint(x)\n#> 0.1\n"
    notebook = percent.parse(text)
    trial = Trial(ran(notebook, {2: "0.234567"}))
    assert changed(build(notebook), trial, Expectations()) == {}
    assert why(text, {2: "0.234567"}) == {2: ""}, (
        "two runs drew the same: there is a seed somewhere"
    )


DRAWN = """\
# %% [1]
import random
draws = [random.randint(1, 100) for _ in range(30)]
# %% [2]
print(max(draws), draws.index(max(draws)))
#> 90 24
# %% [3]
print(sum(draws) / 30)
#> 48.933333
"""


@pytest.mark.parametrize(
    ("clean", "second", "cells"),
    [
        ({2: "99 3"}, {2: "99 3"}, set()),  # the largest of thirty is often the same
        ({2: "99 3"}, {2: "99 17"}, set()),
        ({3: "51.733333"}, {3: "51.733333"}, {3}),  # so many digits are not
        ({3: "51.733333"}, {3: "47.166667"}, set()),
    ],
)
def test_two_draws_may_show_the_same_few_digits(
    clean: dict[int, str], second: dict[int, str], cells: set[int]
) -> None:
    assert set(why(DRAWN, clean, second)) == cells


@pytest.mark.parametrize(
    ("draw", "cells"),
    [
        ("a = random.randint(5, 50)\na = 10", {1}),
        ("b = random.randint(5, 50)\na = 10", {1}),
        ("a = random.randint(5, 50)", set()),
        ("a = random.randint(5, 50)\nif a > 10:\n    a = 10", set()),
        ("b = random.randint(5, 50)\ndef f(): return b\na = f()", set()),
        ("a = min(10, random.randint(5, 50))", set()),
    ],
)
def test_a_draw_that_is_bound_anew_before_anything_reads_it(draw: str, cells: set[int]) -> None:
    text = f"# %% [1]\nimport random\n{draw}\nprint(a)\n#> 11\n"
    assert set(why(text, {1: "10"})) == cells


@pytest.mark.parametrize(
    "source",
    ["import numpy as np\nprint(np.empty(3))", "import platform\nprint(platform.node())"],
)
def test_what_lies_in_memory_or_outside_is_not_judged(source: str) -> None:
    assert why(f"# %% [1]\n{source}\n#> 1\n", {1: "2"}) == {}


def test_a_timer_is_settled_by_two_runs() -> None:
    text = "# %% [1]\nimport time\nt = time.time()\nprint('accuracy', 0.7)\n#> accuracy 0.9\n"
    assert why(text, {1: "accuracy 0.7"}) == {1: ""}


@pytest.mark.parametrize(("saved", "new"), [("0.3", "0.0"), ("0.0086", "0.0051")])
def test_few_digits_of_a_timer_are_the_same_in_two_runs_by_chance(saved: str, new: str) -> None:
    text = (
        "# %% [1]\nimport time\nt = time.perf_counter()\n"
        "# %% [2]\nprint(time.perf_counter() - t)\n#> {}\n# %% [3]\nprint(7)\n#> 7\n"
    )
    shown = {2: new, 3: "7"}
    assert why(text.format(saved), shown, shown) == {}
    beside = text.replace("- t)", "- t)\nprint('accuracy', 0.7)").format(
        f"{saved}\n#> accuracy 0.9"
    )
    assert why(
        beside, {**shown, 2: f"{new}\naccuracy 0.7"}, {**shown, 2: f"{new}\naccuracy 0.7"}
    ) == {2: ""}


@pytest.mark.parametrize("module", ["IPython.display", "pandas"])
def test_what_a_library_is_given_to_show_it_does_not_make(module: str) -> None:
    cells = "".join(f"# %% [{i}]\nf({i})\n#= {i}\n" for i in range(2, 6))
    text = f"# %% [1]\nfrom {module} import display as f\n{cells}"
    other = dict.fromkeys(range(2, 6), "7")
    reason = "libraries" if module == "pandas" else ""
    assert why(text, other, saved_by="3.9.1") == dict.fromkeys(other, reason)


def test_threads_print_in_any_order() -> None:
    page = """\
# %% [1]
from concurrent.futures import ThreadPoolExecutor
# %% [2]
print(list({pool}(2).map(work, [1, 2])))
#> did 1
#> did 2
#> [1, 2]
"""
    threads, other = (page.format(pool=name) for name in ("ThreadPoolExecutor", "Workers"))
    assert why(threads, {2: "did 2\ndid 1\n[1, 2]\n"}) == {}
    assert why(threads, {2: "did 2\ndid 1\n[1, 3]\n"}) == {2: ""}
    assert why(other, {2: "did 2\ndid 1\n[1, 2]\n"}) == {2: ""}
