"""The judge, on runs made up by hand: what confirms, what refutes, and what proves nothing."""

from dataclasses import replace

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.judge import verdicts
from pytest_nbsafe.judge.outside_influences import NO_INFLUENCES, Influences
from pytest_nbsafe.judge.trial import Judgement
from pytest_nbsafe.judge.verdicts import standing
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook, Output
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace.results import CellResult, PlanResult, Value
from pytest_nbsafe.trace.suspicions import Cause, StaleRead, Suspicions


def page(*saved: str) -> Notebook:
    """A notebook whose cells saved these texts; an empty one saved nothing."""
    return Notebook(
        "nb.ipynb",
        tuple(
            Cell(CellId(f"c{i}"), i, "code", "pass", i, _text(text))
            for i, text in enumerate(saved, start=1)
        ),
    )


def _text(text: str) -> tuple[Output, ...]:
    if text.startswith("png "):
        return (Output("display_data", text="<Figure size 9x9>", data={"image/png": text}),)
    return (Output("stream", name="stdout", text=text),) if text else ()


def ran(*printed: str, reads: dict[int, dict[str, str]] | None = None) -> PlanResult:
    """A top-down run whose cells printed these texts and read these hashes."""
    runs = tuple(Run(i, i, i, recorded=True, reason="") for i in range(1, len(printed) + 1))
    results = tuple(
        CellResult(
            i,
            i,
            "ok",
            outputs=_text(text),
            reads={n: Value(h) for n, h in (reads or {}).get(i, {}).items()},
        )
        for i, text in enumerate(printed, start=1)
    )
    return PlanResult(Plan("top-down", runs), results)


def judge(
    notebook: Notebook,
    suspected: set[int],
    clean: PlanResult,
    replay: PlanResult | None,
    second: PlanResult | None,
    influences: Influences = NO_INFLUENCES,
) -> dict[int, Judgement]:
    return verdicts.judge(build(notebook), suspected, clean, replay, second, influences)


def output_of(judgements: dict[int, Judgement], cell: int) -> str:
    return judgements[cell].output


def test_the_same_text_refutes() -> None:
    assert output_of(judge(page("1", "2"), {2}, ran("1", "2"), None, None), 2) == "same"


NAMED = "<IPython.core.display.Thing object>"


@pytest.mark.parametrize(
    ("kind", "shown", "now", "answer"),
    [
        ("text/markdown", "**12**", "**31**", "differs"),
        ("text/markdown", "**12**", "**12**", "same"),
        ("text/latex", "$x = 12$", "$x = 31$", "differs"),
        ("text/html", "<b>Total</b> 12", "<b>Total</b> 31", "differs"),
        ("text/html", "<b>Total</b> 12", "<i>Total</i> 12", "same"),
        ("text/html", "<script>a = 12</script>", "<script>a = 31</script>", "nothing-to-compare"),
        ("application/json", {"a": 12}, {"a": 31}, "nothing-to-compare"),
    ],
)
@pytest.mark.parametrize("text", [NAMED, "al.Chart(...)"])
def test_what_is_named_alone_is_known_by_what_is_seen(
    text: str, kind: str, shown: object, now: object, answer: str
) -> None:
    saved, new = (Output("execute_result", text=text, data={kind: each}) for each in (shown, now))
    notebook = page("1")
    (cell,) = notebook.cells
    clean = ran("1")
    clean = replace(clean, results=(replace(clean.results[0], outputs=(new,)),))
    judged = judge(
        replace(notebook, cells=(replace(cell, outputs=(saved,)),)), {1}, clean, None, clean
    )
    assert output_of(judged, 1) == answer


def test_another_text_that_a_second_run_repeats_confirms() -> None:
    judged = judge(page("1", "2"), {2}, ran("1", "3"), None, ran("1", "3"))
    assert output_of(judged, 2) == "differs"
    assert (judged[2].saved, judged[2].clean) == ("2", "3")


def test_two_clean_runs_that_disagree_give_no_verdict() -> None:
    judged = judge(page("1", "2"), {2}, ran("1", "3"), None, ran("1", "4"))
    assert output_of(judged, 2) == "nondeterministic"


@pytest.mark.parametrize(
    ("texts", "libraries", "expected"),
    [
        (("x = 9\nprint(x)", "print(x - 6)"), set[int](), "drift"),
        (("print(9)", "print(3)"), {1, 2}, "drift"),
        (("print(9)", "print(3)"), {1}, "differs"),
        (("print(9)", "print(3)"), set[int](), "differs"),
    ],
)
def test_a_difference_above_that_nobody_suspects_counts_where_it_may_reach(
    texts: tuple[str, ...], libraries: set[int], expected: str
) -> None:
    saved = page("1", "2")
    cells = (replace(cell, source=text) for cell, text in zip(saved.cells, texts, strict=True))
    saved, clean = replace(saved, cells=tuple(cells)), ran("9", "3")
    influences = Influences(libraries=frozenset(libraries))
    assert output_of(judge(saved, {2}, clean, None, clean, influences), 2) == expected


def test_a_suspected_difference_above_does_not_make_it_drift() -> None:
    judged = judge(page("1", "2"), {1, 2}, ran("9", "3"), None, ran("9", "3"))
    assert [output_of(judged, 1), output_of(judged, 2)] == ["differs", "differs"]


def test_a_cell_that_looks_outside_proves_nothing_unless_the_order_gives_its_text() -> None:
    saved, clean = page("1", "2", "3"), ran("1", "7", "8")
    influences = Influences(outside=frozenset({2}))
    judged = judge(saved, {2, 3}, clean, None, clean, influences)
    assert (output_of(judged, 2), output_of(judged, 3)) == ("drift", "differs")
    replayed = ran("1", "2", "3")
    assert output_of(judge(saved, {2, 3}, clean, replayed, clean, influences), 2) == "differs"


@pytest.mark.parametrize(
    ("version", "saved", "clean", "expected"),
    [
        ("3.12.1", ("1", "2"), ("3", "4"), "differs"),
        ("3.12.1", ("1", "2", "5"), ("3", "4", "6"), "drift"),
        ("3.12.1", ("1", "2", "5", "0"), ("3", "4", "6", "0"), "differs"),
        ("3.6.1", ("1", "2"), ("3", "4"), "differs"),
        ("3.6.1", ("1", "0"), ("3", "0"), "differs"),
    ],
)
def test_where_nothing_is_as_it_was_saved_it_is_another_machine(
    version: str, saved: tuple[str, ...], clean: tuple[str, ...], expected: str
) -> None:
    notebook = replace(page(*saved), metadata={"language_info": {"version": version}})
    influences = Influences(versioned=frozenset({1}))
    judged = judge(notebook, {1, 2, 3}, ran(*clean), None, ran(*clean), influences)
    assert output_of(judged, 1) == expected
    replayed = judge(notebook, {1, 2, 3}, ran(*clean), ran(*saved), ran(*clean))
    assert output_of(replayed, 1) == "differs"


@pytest.mark.parametrize(
    ("version", "clean", "expected"),
    [
        ("3.5.2", "a: 1\nb: 2", "drift"),
        ("3.5.2", "a: 1\nb: 3", "differs"),
        ("3.12.1", "a: 1\nb: 2", "differs"),
        (None, "a: 1\nb: 2", "differs"),
    ],
)
def test_dicts_of_an_old_python_had_no_order(
    version: str | None, clean: str, expected: str
) -> None:
    saved = replace(page("b: 2\na: 1", "0"), metadata={"language_info": {"version": version}})
    runs = ran(clean, "0"), None, ran(clean, "0")
    assert output_of(judge(saved, {1}, *runs), 1) == expected


def test_rows_in_another_order_do_not_excuse_other_numbers() -> None:
    saved, clean = page("red 12\nblue 30", "red", "2.5"), ran("blue 30\nred 12", "blue", "3.5")
    influences = Influences(libraries=frozenset({1, 2, 3}))
    judged = judge(saved, {1, 2, 3}, clean, None, clean, influences)
    assert [output_of(judged, cell) for cell in (1, 2, 3)] == ["drift", "drift", "differs"]
    replayed = ran("red 12\nblue 30", "red", "2.5")
    assert output_of(judge(saved, {1, 2, 3}, clean, replayed, clean, influences), 1) == "differs"


def test_other_last_digits_excuse_what_differs_below() -> None:
    saved, clean = page("0.84385", "3"), ran("0.84386", "4")
    judged = judge(saved, {1, 2}, clean, None, clean, Influences(libraries=frozenset({1, 2, 3})))
    assert [output_of(judged, cell) for cell in (1, 2)] == ["drift", "drift"]
    plain = judge(saved, {1, 2}, clean, None, clean)
    assert [output_of(plain, cell) for cell in (1, 2)] == ["differs", "differs"]


def test_chance_above_does_not_make_it_drift() -> None:
    judged = judge(page("1", "2"), {2}, ran("0.5", "3"), None, ran("0.7", "3"))
    assert output_of(judged, 2) == "differs"


@pytest.mark.parametrize(
    ("number", "kind", "expected"),
    [
        ("7", "int", "nondeterministic"),
        ("0.27182", "float", "differs"),
        ("0.27182", "numpy.ndarray", "differs"),
    ],
)
def test_draws_that_agree_by_chance_prove_nothing(number: str, kind: str, expected: str) -> None:
    clean = ran(number, reads={1: {"x": "new"}})
    result = replace(clean.results[0], reads={"x": Value("new", kind)})
    clean = replace(clean, results=(result,))
    drawn = Influences(chance=frozenset({1}))
    judged = judge(page("1"), {1}, clean, ran("1", reads={1: {"x": "old"}}), clean, drawn)
    assert output_of(judged, 1) == expected
    assert judged[1].values == {"x": expected}
    settled = judge(page("1"), {1}, clean, ran("1", reads={1: {"x": "old"}}), clean)
    assert (output_of(settled, 1), settled[1].values) == ("differs", {"x": "differs"})


def test_no_saved_text_has_nothing_to_compare() -> None:
    assert output_of(judge(page("1", ""), {2}, ran("1", "2"), None, None), 2) == (
        "nothing-to-compare"
    )


@pytest.mark.parametrize(
    ("saved", "clean", "second", "expected"),
    [
        (("png a", "png b"), ("png a", "png b"), None, "same"),
        (("", "png b"), ("", "png b"), None, "same"),
        (("png a", "png b"), ("png a", "png c"), ("png a", "png c"), "differs"),
        (("png a", "png b"), ("png a", "png c"), ("png a", "png d"), "nondeterministic"),
        # Nothing tells that it is not this machine that draws otherwise.
        (("", "png b"), ("", "png c"), ("", "png c"), "nothing-to-compare"),
        (("png a", "png b"), ("png z", "png c"), ("png z", "png c"), "nothing-to-compare"),
        (("png a", "png b", "7"), ("png a", "png c", "8"), None, "nothing-to-compare"),
        (("png a", "png b", "7"), ("png a", "png b", "8"), None, "same"),
        (("png a", "png b", "png d"), ("png a", "png c", "png e"), None, "nothing-to-compare"),
    ],
)
def test_pictures_where_there_is_no_text(
    saved: tuple[str, ...], clean: tuple[str, ...], second: tuple[str, ...] | None, expected: str
) -> None:
    again = ran(*second) if second else None
    judged = judge(page(*saved), {2}, ran(*clean), None, again)
    assert output_of(judged, 2) == expected


def test_a_picture_that_the_replayed_order_draws_as_saved_is_not_the_machines() -> None:
    saved, clean = ("png a", "png b", "png d"), ("png a", "png c", "png e")
    judged = judge(page(*saved), {2}, ran(*clean), ran("png a", "png b", "png d"), None)
    assert (output_of(judged, 2), judged[2].saved) == ("differs", "a picture")


def test_values_are_compared_by_fingerprint() -> None:
    replay = ran("", "", reads={2: {"a": "h1", "b": "h2", "c": "", "d": "h4"}})
    clean = ran("", "", reads={2: {"a": "h1", "b": "h9", "c": "h3", "d": "h5"}})
    second = ran("", "", reads={2: {"a": "h1", "b": "h9", "c": "h3", "d": "h6"}})
    assert judge(page("", ""), {2}, clean, replay, second)[2].values == {
        "a": "same",
        "b": "differs",
        "c": "nothing-to-compare",
        "d": "nondeterministic",
    }


FICTITIOUS = """\
# %% [3]
data = [3, 1, 2]
# %% [2]
table = sorted(data)
table
#= [1, 2, 3]
# %% [4]
print(table)
#> (1, 2, 3)
"""


def test_a_cell_that_shows_what_it_made_clears_what_is_read_from_it() -> None:
    graph = build(percent.parse(FICTITIOUS))
    cause = Cause("table", 2, 1, (1, 1), "data", 1, 1, (2, 1))
    suspicions = Suspicions((StaleRead(3, 3, 1, "table", (cause,), (2,)),))
    same = {2: Judgement(2, "same"), 3: Judgement(3, "differs")}
    other = {2: Judgement(2, "differs"), 3: Judgement(3, "differs")}
    assert standing(suspicions, same, graph) == Suspicions()
    assert standing(suspicions, other, graph) == suspicions


def test_a_cell_that_shows_something_else_clears_nothing() -> None:
    text = FICTITIOUS.replace("\ntable\n", "\nprint('done')\n")
    graph = build(percent.parse(text))
    cause = Cause("table", 2, 1, (1, 1), "data", 1, 1, (2, 1))
    suspicions = Suspicions((StaleRead(3, 3, 1, "table", (cause,), (2,)),))
    assert standing(suspicions, {2: Judgement(2, "same")}, graph) == suspicions
