"""What findings say where the parts of names are known that cells read and changed."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rulecase import facts_of, lines, tried
from rulecase import run as run_notebook

from pytest_nbsafe.findings import Finding, NotebookReport, Report
from pytest_nbsafe.judge.trial import Judgement
from pytest_nbsafe.reports import transport
from pytest_nbsafe.reports.json import render
from pytest_nbsafe.rules import evaluate
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.consistency import ChangedInput, Consistency
from pytest_nbsafe.trace.results import Comparison
from pytest_nbsafe.trace.side_runs import SeenParts, TouchedParts

Keys = tuple["str | int", ...]

REPLAYED = """\
# %% [1]
d, key = {'r': 2, 's': 1}, 'r'
# %% [3]
d[key] = 3
# %% [2]
p = d[key]
# %% [4]
t = p
"""
STALE = Judgement(4, "nothing-to-compare", values={"p": "differs"})
OLD = "# %% [1]\nd, key = {'r': 2}, 'r'\n# %% [4]\nd[key] = 3\n# %% [2]\nprint(d[key])\n#> 2\n"
DIFFERS = Judgement(3, "differs", "2", "3", {"d": "differs"})


def run(*, read: Keys | None = None, changed: Keys | None = None, name: str = "d") -> TouchedParts:
    """Return a run that read or changed one part of a name, at its first line."""

    def known(path: Keys | None) -> dict[tuple[str, int], frozenset[Keys]]:
        return {} if path is None else {(name, line): frozenset({path}) for line in (0, 1)}

    symbols = {(name, p): name + "".join(f"[{k!r}]" for k in p) for p in (read, changed) if p}
    return TouchedParts(known(read), known(changed), symbols=symbols)


def seen(facts: Facts, **runs: TouchedParts) -> Facts:
    """Return facts with what was seen of cells: `c3` is cell 3."""
    known = {int(cell[1:]): (touched,) for cell, touched in runs.items()}
    return replace(facts, trial=replace(facts.trial, seen=SeenParts(known)))


def the_one(facts: Facts) -> Finding:
    (finding,) = evaluate(facts)
    return finding


def test_a_stale_read_names_the_part_that_was_made_anew() -> None:
    facts = tried(facts_of(REPLAYED), judgements=[STALE])
    finding = the_one(seen(facts, c2=run(changed=("r",)), c3=run(read=("r",))))
    assert lines([finding]) == ["NBS202 4:1 confirmed error"]
    assert finding.message == (
        "this cell read a stale value: `p` from cell 3 is older than `d['r']` of cell 2"
    )
    assert [step.cause for step in finding.steps[:2]] == [
        "made `p` from `d['r']` as [2]",
        "changed `d['r']` as [3]",
    ]
    assert finding.symbols == ("d['r']",)


@pytest.mark.parametrize(
    "runs",
    [
        {},
        {"c3": run(read=("r",))},  # what cell 2 changed was not seen, nor does its text say
        {"c2": run(changed=("r",)), "c3": run(read=())},
        {"c2": run(changed=()), "c3": run(read=("r",))},
    ],
)
def test_the_name_stands_where_a_part_is_not_known(runs: dict[str, TouchedParts]) -> None:
    facts = tried(facts_of(REPLAYED), judgements=[STALE])
    finding = the_one(seen(facts, **runs))
    assert "is older than `d` of cell 2" in finding.message
    assert finding.symbols == ()


def test_an_old_result_names_the_part_that_was_changed() -> None:
    facts = tried(facts_of(OLD), judgements=[DIFFERS])
    finding = the_one(seen(facts, c2=run(changed=("r",)), c3=run(read=("r",))))
    assert lines([finding]) == ["NBS201 3:1 confirmed error"]
    assert "cell 2 changed `d['r']` after this cell had run" in finding.message
    assert finding.symbols == ("d['r']",)


def test_the_text_tells_what_is_changed_where_it_can() -> None:
    facts = tried(facts_of(OLD.replace("d[key] = 3", "d['r'] = 3")), judgements=[DIFFERS])
    assert the_one(seen(facts, c3=run(read=("r",)))).symbols == ("d['r']",)


def test_counts_that_contradict_the_page_in_other_parts_are_nothing() -> None:
    text = OLD.replace("print(d[key])\n#> 2\n", "p = d[key]\n")
    facts = tried(facts_of(text), judgements=[Judgement(3, "nothing-to-compare")])
    assert lines([the_one(facts)]) == ["NBS103 3:1 suspected warning"]
    same = seen(facts, c2=run(changed=("r",)), c3=run(read=("r",)))
    assert "before cell 2 changed `d['r']` as [4]" in the_one(same).message
    assert evaluate(seen(facts, c2=run(changed=("s",)), c3=run(read=("r",)))) == ()


THREE = """\
# %% [1]
d, key = {'r': 2, 's': 1}, 'r'
# %% [4]
d['s'] = 3
# %% [{third}]
d[key] = 3
# %% [{fourth}]
p = d[key]
"""


@pytest.mark.parametrize(("third", "told"), [(3, [3]), (2, [2])])
def test_a_difference_has_the_reason_that_is_left(third: int, told: list[int]) -> None:
    # in the first order cell 3 changes what cell 4 has read; in the other only cell 2 runs later
    text = THREE.replace("{third}", str(third)).replace("{fourth}", str(5 - third))
    differs = Judgement(4, "nothing-to-compare", made={"p": "differs"})
    facts = tried(facts_of(text), judgements=[differs])
    runs = {"c2": run(changed=("s",)), "c3": run(changed=("r",)), "c4": run(read=("r",))}
    found = [f for f in evaluate(seen(facts, **runs)) if f.location.cell == 4]
    assert told == [f.steps[1].cell for f in found]


def inconsistent(output: Comparison = "differs") -> Facts:
    text = OLD.replace("print(d[key])\n#> 2\n", "p = d[key]\n")
    facts = tried(facts_of(text), judgements=[replace(DIFFERS, output=output)])
    change = ChangedInput("d", 1, maker=2, maker_line=1, maker_at=(4, 1))
    state = Consistency(2, 3, "inconsistent", {"d": "inconsistent"}, (change,))
    trial = replace(facts.trial, consistency={3: state})
    facts = replace(facts, trial=trial)
    return replace(facts, config=replace(facts.config, select=("NBS205",)))


def test_an_inconsistent_cell_names_the_part_that_changed() -> None:
    finding = the_one(seen(inconsistent(), c2=run(changed=("r",)), c3=run(read=("r",))))
    assert finding.message.startswith(
        "this cell no longer fits what it read: `d['r']` changed after it ran"
    )
    assert finding.symbols == ("d['r']",)


def test_a_cell_is_consistent_where_other_parts_have_changed() -> None:
    unknown = inconsistent("nothing-to-compare")
    assert lines(evaluate(unknown)) == ["NBS205 3:1 observed note"]
    assert evaluate(seen(unknown, c2=run(changed=("s",)), c3=run(read=("r",)))) == ()


def test_a_cell_that_differs_is_told_whatever_was_seen_to_change() -> None:
    facts = seen(inconsistent(), c2=run(changed=("s",)), c3=run(read=("r",)))
    assert the_one(facts).symbols == ()
    assert "`d` changed after it ran" in the_one(facts).message


def test_reports_carry_the_parts() -> None:
    facts = tried(facts_of(OLD), judgements=[DIFFERS])
    finding = the_one(seen(facts, c2=run(changed=("r",)), c3=run(read=("r",))))
    report = Report((finding,), (NotebookReport(finding.path, 3, (), "failed", 0.0),))
    assert json.loads(render(report))["findings"][0]["symbols"] == ["d['r']"]
    assert transport.unpack(transport.pack(report)) == report
    without = Report((replace(finding, symbols=()),), report.notebooks)
    assert "symbols" not in json.loads(render(without))["findings"][0]


SETTINGS = """\
# %% [1]
settings = {'rate': 0.5, 'title': 'x', 'unit': 1}
def rate(): return settings['rate']
def set_to(key, value): settings[key] = value
# %% [5]
set_to('title', 'y')
# %% [6]
set_to('rate', 0.25)
# %% [2]
price = 100 * (1 + rate())
# %% [3]
unit = settings['un' + 'it']
# %% [4]
label = f'{unit} {price}'
# %% [7]
total = 3 * price
"""


@pytest.mark.kernel
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
def test_a_run_finds_out_which_part_it_was(tmp_path: Path) -> None:
    findings = run_notebook(SETTINGS, tmp_path)
    assert [(f.code, f.location.cell, f.symbols) for f in findings] == [
        ("NBS202", 7, ("settings['rate']",))
    ]
    assert "older than `settings['rate']` of cell 3" in findings[0].message
