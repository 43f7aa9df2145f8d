"""The budget of work: where it ends, what is said of that, and that nothing is guessed then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from makenb import write

from pytest_nbsafe.analysis import budget, cfg
from pytest_nbsafe.app.check import check
from pytest_nbsafe.app.facts import static_facts
from pytest_nbsafe.app.order import order
from pytest_nbsafe.app.run import run
from pytest_nbsafe.app.whatif import whatif
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.notebook import load
from pytest_nbsafe.reports import order_report
from pytest_nbsafe.rules import RULES, evaluate
from pytest_nbsafe.values import replace

FIXTURES = Path(__file__).parents[2] / "fixtures"
NOTEBOOKS = sorted((FIXTURES / "papers").glob("*.ipynb")) + sorted(
    path for path in (FIXTURES / "rules").rglob("*.ipynb") if "nbs9" not in path.parent.name
)
NOTES = {"notes": True, "cache": False}
STEPS_OF_THE_PLAN = 1_500
"""Enough to order the cells of `entwined`, not to follow what all of their runs make."""


def lines(count: int, text: str) -> str:
    """Return a cell of so many lines, in which each speaks of a name and of the next one."""
    return "\n".join(
        text.replace("N", str(n)).replace("M", str((n + 1) % count)) for n in range(count)
    )


MUCH = {
    "shared names": [lines(40, "nN = nM + 1")] * 40,
    "changed names": [lines(40, "nN = []"), *[lines(40, "nN.append(nM)")] * 40],
    "unknown calls": [lines(60, "nN = f(nM)")] * 60,
    "a circle of calls": [lines(200, "def fN(x): return fM(x) + gN"), *[lines(200, "fN(1)")] * 2],
    "globals": [lines(60, "def fN():\n    global g\n    g = fM()"), *[lines(60, "fN()")] * 9],
    "one name": ["a = a + 1"] * 300,
    "files": [lines(30, "open('fN', 'w').write(open('fM').read())")] * 30,
}
"""Cells that are short, and much work: each has to do with many others."""


def notebook(folder: Path, cells: list[str], *, downwards: bool = True) -> Path:
    """Write a notebook of such cells, a broken one and a failed one, and return its path."""
    cells = [*cells, "import math as\n", "x = {'a': 1}\nassert x == {'a': 1}"]
    counts = range(1, len(cells) + 1) if downwards else range(len(cells), 0, -1)
    pairs = zip(counts, cells, strict=True)
    return write(folder / "x.ipynb", "".join(f"# %% [{n}]\n{cell}\n" for n, cell in pairs))


def found(path: Path) -> list[tuple[str, int]]:
    """Return the codes that a check gives, and their cells."""
    return [(f.code, f.location.cell) for f in check([path], NOTES).findings]


@pytest.mark.parametrize("way", ["downwards", "upwards"])
@pytest.mark.parametrize("kind", MUCH)
def test_a_notebook_that_is_too_much_says_so_and_what_needs_little_still_speaks(
    kind: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MOST_STEPS", 6_000)
    path = notebook(tmp_path, MUCH[kind], downwards=way == "downwards")
    first = check([path], NOTES)
    assert ("NBS902", len(MUCH[kind]) + 1) in found(path)
    (cut,) = (f for f in first.findings if f.code == "NBS908")
    assert (cut.location.cell, cut.severity) == (0, "warning")
    assert first.findings == check([path], NOTES).findings


def test_the_finding_lists_what_was_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = notebook(tmp_path, MUCH["shared names"])
    assert "NBS908" not in dict(found(path))
    monkeypatch.setattr(budget, "MOST_STEPS", 2_000)
    (cut,) = (f for f in check([path], NOTES).findings if f.code == "NBS908")
    assert cut.message == (
        "this notebook is too much to be analysed whole; cut short: what the cells read and define"
    )


def test_a_cell_with_too_many_names_is_not_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cfg, "_MOST_BITS", 1_000)
    path = notebook(tmp_path, [lines(200, "nN = nM"), "print(n1, never_bound)"])
    assert found(path) == [("NBS908", 0), ("NBS902", 3)]


def test_the_commands_that_ask_one_question_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MOST_STEPS", 200)
    path = notebook(tmp_path, MUCH["shared names"])
    with pytest.raises(NbsafeError, match="too much to be analysed"):
        order(path, {})
    with pytest.raises(NbsafeError, match="too much to be analysed"):
        whatif(path, {}, run=3)


def entwined(folder: Path) -> Path:
    """Write a notebook of cells that need one another and all ran as [7]; return its path."""
    cells = (f"n{i % 7} = n{(i * 5 + 3) % 7} + n{(i * 3 + 1) % 7}" for i in range(40))
    return write(folder / "x.ipynb", "".join(f"# %% [7]\n{cell}\n" for cell in cells))


def test_a_plan_is_shown_though_what_follows_from_it_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = entwined(tmp_path)
    whole = order(path, {})
    assert whole.cut_short == ""
    assert whole.cells["stale"]
    monkeypatch.setattr(budget, "MOST_STEPS", STEPS_OF_THE_PLAN)
    part = order(path, {})
    assert (part.plan, part.orders, part.readings) == (whole.plan, whole.orders, whole.readings)
    assert part.cells == {}
    assert part.cut_short.startswith("this notebook is too much to be analysed whole; cut short: ")
    assert ", which cells are stale or fresh after the plan," in part.cut_short
    assert f"\n\nNot all is said: {part.cut_short} (NBS908)\n\n" in order_report.as_text(part)
    told = json.loads(order_report.as_json(part))
    assert told["cut_short"] == part.cut_short
    assert "stale_cells" not in told["stats"]
    assert "Not all is said" not in order_report.as_text(whole)


def test_what_is_too_much_to_judge_is_run_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MOST_STEPS", 6_000)
    cells = ["b = 1", "assert b == 1", lines(40, "nN = 0"), *MUCH["shared names"]]
    report = run([notebook(tmp_path, cells, downwards=False)], {"cache": False})
    assert [(f.code, f.location.cell) for f in report.findings] == [("NBS908", 0), ("NBS902", 44)]
    assert report.notebooks[0].orders == ("top-down",)


@pytest.mark.corpus
@settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.sampled_from(NOTEBOOKS), st.integers(0, 1_200))
def test_what_is_said_though_much_was_cut_is_said_without_a_limit_too(
    monkeypatch: pytest.MonkeyPatch, path: Path, steps: int
) -> None:
    page = load.read(path)
    config = replace(Config(), notes=True)
    whole, _ = static_facts(page, config)
    claims = {
        (c.finding.code, c.finding.location, c.finding.message)
        for rule in RULES
        if rule.needs != "run"
        for c in rule.check(whole)
    }
    claims |= {(f.code, f.location, f.message) for f in evaluate(whole)}
    with monkeypatch.context() as patch:
        patch.setattr(budget, "MOST_STEPS", steps)
        part, _ = static_facts(page, config)
        findings = evaluate(part)
    is_cut = any(f.code == "NBS908" for f in findings)
    assert is_cut == bool(part.graph.budget.cut)
    said = {(f.code, f.location, f.message) for f in findings if f.code != "NBS908"}
    assert said <= claims
