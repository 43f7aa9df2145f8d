"""What a run makes of a suspicion: the verdicts of each rule, on trials made by hand."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from rulecase import ended, facts_of, found, lines, raised, tried, with_incident

from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding, Step
from pytest_nbsafe.judge.trial import Judgement, RanOtherwise, Rerun
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.rules import evaluate
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.consistency import ChangedInput, Consistency
from pytest_nbsafe.trace.lineage import static_records
from pytest_nbsafe.trace.results import CellResult, Comparison
from pytest_nbsafe.trace.suspicions import Cause, StaleRead

# -- NBS101 and NBS102: missing names ------------------------------------------------------------

AGAIN = "run again in a copy of the kernel"
DELETED = "# %% [1]\nW = 1\n# %% [2]\nprint(w)\n# %% [3]\nprint(w + 1)\n"


def undefined(cell: int, name: str, line: int = 1) -> dict[int, CellResult]:
    return raised(cell, "NameError", f"name '{name}' is not defined", line)


def the_one(findings: tuple[Finding, ...]) -> Finding:
    assert len(findings) == 1
    return findings[0]


def test_a_missing_name_is_one_finding_with_its_other_reads_as_steps() -> None:
    finding = the_one(evaluate(facts_of(DELETED)))
    assert lines([finding]) == ["NBS101 2:1 proved error"]
    assert finding.steps[-1] == Step(3, 1, "also reads `w`, which no cell defines")


def test_a_name_spelled_alike_is_pointed_at() -> None:
    finding = the_one(evaluate(facts_of(DELETED)))
    assert finding.message == "`w` is read here, but no cell defines it (cell 1 defines `W`)"
    assert finding.remedy.startswith("read `W` if it was renamed")
    assert finding.steps[0].cell == 1


def test_a_name_error_is_told_once_as_what_caused_it() -> None:
    facts = tried(facts_of(DELETED), undefined(2, "w") | undefined(3, "w"))
    finding = the_one(evaluate(facts))
    assert lines([finding]) == ["NBS101 2:1 observed error"]
    assert {step.cell for step in finding.steps} == {1, 2, 3}


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("for i in range(3):\n    y = i\nprint(y)", ""),
        ("if len(str(3)) > 1:\n    y = 1\nprint(y)", ""),
        ("while print():\n    y = 1\nelse:\n    z = y", ""),
        ("if print():\n    z = y\ny = 1", "NBS101 1:2 suspected warning"),
        ("y += 1", "NBS101 1:1 proved error"),
        ("print(y)\ny = 1", "NBS101 1:1 proved error"),
        ("y.append(1)\nif print():\n    z = y", "NBS101 1:1 proved error"),
    ],
)
def test_a_name_that_the_cell_may_have_bound_itself(cell: str, told: str) -> None:
    assert lines(evaluate(facts_of(f"# %% [1]\n{cell}\n"))) == [told] * bool(told)


def test_a_run_shows_that_it_has_not() -> None:
    facts = facts_of("# %% [1]\nfor i in range(0):\n    y = i\nprint(y)\n")
    seen = evaluate(tried(facts, raised(1, "NameError", "name 'y' is not defined", 3)))
    assert lines(seen) == ["NBS101 1:3 observed error"]


def test_a_run_refutes_a_missing_name() -> None:
    assert evaluate(tried(facts_of(DELETED))) == ()


def test_a_cell_that_was_not_reached_keeps_the_static_verdict() -> None:
    facts = tried(facts_of(DELETED), ended(2, "skipped") | ended(3, "not-reached"))
    assert lines(evaluate(facts)) == ["NBS101 2:1 proved error"]


def test_a_later_failure_shows_that_the_name_was_there() -> None:
    text = "# %% [1]\nw\nboom()\n# %% [2]\ndef boom(): raise ValueError\n"
    facts = tried(facts_of(text), raised(1, "ValueError", "no", 2))
    codes = [f.code for f in evaluate(facts) if "`w`" in f.message]
    assert codes == []


@pytest.mark.parametrize(
    "cell",
    [
        "# %% [1]\nprint(w)\n#x NameError: name 'w' is not defined\n",
        "# %% [1] tags=raises-exception\nprint(w)\n",
        "# %% [1] tags=skip-execution\nprint(w)\n",
        "# %% [1] tags=nbsafe:skip\nprint(w)\n",
        "# %% [1]\ntry:\n    w\nexcept NameError:\n    w = 1\n",
        "# %% [1]\nfrom os.path import *\n# %% [2]\nprint(w)\n",
        "# %% [1]\n%run helpers.py\n# %% [2]\nprint(w)\n",
        "# %% [1]\nw = = 1\n# %% [2]\nprint(w)\n",
    ],
)
def test_a_missing_name_with_an_excuse_is_not_told(cell: str) -> None:
    assert [line for line in found(cell) if "NBS101" in line] == []


def test_an_excuse_falls_when_the_run_raises() -> None:
    text = "# %% [1]\nfrom os.path import *\n# %% [2]\nprint(w)\n"
    assert lines(evaluate(tried(facts_of(text), undefined(2, "w")))) == [
        "NBS101 2:1 observed error"
    ]


def test_a_name_error_that_a_magic_swallows_is_seen_too() -> None:
    text = "# %% [2]\n%%capture\nprint(w)\n# %% [1]\nw = 1\n"
    swallowed = with_incident(1, "captured", "NameError: name 'w' is not defined")
    facts = tried(facts_of(text), swallowed)
    assert lines(evaluate(facts)) == ["NBS102 1:2 observed error"]


def test_a_name_whose_definer_ran_after_its_reader_came_from_elsewhere() -> None:
    text = "# %% [{}]\nprint(nu)\n# %% [{}]\nnu = 1\n"
    (gone,) = evaluate(facts_of(text.format(2, 3)))
    (moved,) = evaluate(facts_of(text.format(3, 2)))
    assert gone.remedy == "bring back the code that made `nu` before this cell ran as [2]"
    assert moved.remedy == "move cell 2 above cell 1, or this cell below it"


def test_a_read_in_a_branch_is_only_suspected() -> None:
    text = "# %% [1]\nimport sys\nif len(sys.argv) > 99:\n    print(w)\n"
    assert found(text) == ["NBS101 1:3 suspected warning"]


def test_a_name_of_the_platform_is_only_suspected() -> None:
    assert found("# %% [1]\nspark.range(3)\n") == ["NBS101 1:1 suspected warning"]


def test_names_of_one_misplaced_cell_are_one_finding() -> None:
    text = "# %% [2]\nprint(a)\nprint(b)\n# %% [3]\nprint(b)\n# %% [1]\na = b = 1\n"
    finding = the_one(evaluate(facts_of(text)))
    assert lines([finding]) == ["NBS102 1:1 proved error"]
    assert "also reads `b`" in finding.steps[-1].cause
    seen = tried(facts_of(text), undefined(1, "a") | undefined(2, "b"))
    assert lines(evaluate(seen)) == ["NBS102 1:1 observed error"]


def test_a_cell_that_reads_its_own_name_too_early_lost_its_definer() -> None:
    assert found("# %% [3]\ncounter = counter + 1\n") == ["NBS101 1:1 proved error"]


# -- NBS103 and NBS201: out of order and stale ---------------------------------------------------

FIGURE = "# %% [4]\nf = 1\n# %% [2]\ng = [f]\n# %% [5]\nprint(g)\n#> [0]\n"
OUTDATED = "# %% [3]\na = 5\n# %% [2]\nprint(a)\n#> 4\n"


def test_one_cause_is_not_told_twice() -> None:
    assert found(FIGURE) == ["NBS201 3:1 suspected warning"]
    assert found(OUTDATED) == ["NBS103 2:1 suspected warning"]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("same", []),
        ("differs", ["NBS201 3:1 confirmed error"]),
        ("drift", ["NBS201 3:1 suspected warning"]),
        ("nondeterministic", ["NBS201 3:1 suspected warning"]),
        ("nothing-to-compare", ["NBS201 3:1 suspected warning"]),
    ],
)
def test_the_judge_of_a_stale_read(output: Comparison, told: list[str]) -> None:
    silent = Judgement(2, "nothing-to-compare")
    facts = tried(facts_of(FIGURE), judgements=[silent, Judgement(3, output, "[0]", "[1]")])
    assert told == lines(evaluate(facts))


@pytest.mark.parametrize("clean", [raised(3, "ValueError", "no"), ended(3, "skipped")])
def test_a_cell_that_did_not_come_through_has_no_stale_output(clean: dict[int, CellResult]) -> None:
    facts = tried(facts_of(FIGURE), clean, judgements=[Judgement(3, "differs", "[0]", "no")])
    assert "NBS201" not in {finding.code for finding in evaluate(facts)}


def test_a_confirmed_finding_says_both_outputs_and_what_to_run() -> None:
    facts = tried(facts_of(FIGURE), judgements=[Judgement(3, "differs", "[0]", "[1]")])
    finding = the_one(evaluate(facts))
    assert (
        finding.message == "the saved output is stale: `g` from cell 2 is older than `f` of cell 1"
    )
    assert finding.remedy == "run cell 2 again, then this cell"
    assert [(s.cell, s.cause) for s in finding.steps] == [
        (2, "made `g` from `f` as [2]"),
        (1, "made `f` again as [4]"),
        (3, "read `g` as [5], still made from the older `f`"),
        (3, 'shows "[0]", a clean run gives "[1]"'),
    ]


def test_long_lines_are_shown_where_they_differ() -> None:
    numbers = " ".join(f"{n}.5" for n in range(40))
    judged = Judgement(3, "differs", f"{numbers} 7", f"{numbers} 8")
    finding = the_one(evaluate(tried(facts_of(FIGURE), judgements=[judged])))
    assert finding.steps[-1].cause == (
        'shows "...36.5 37.5 38.5 39.5 7", a clean run gives "...36.5 37.5 38.5 39.5 8"'
    )


TABLES = """\
# %% [9]
one, two, three = [1], [2], [3]
# %% [2]
a = sum(one)
b = sum(two)
# %% [3]
c = a + b
# %% [4]
print(b)
#> 2
"""


def stale_outputs(text: str, *cells: int) -> list[Finding]:
    judged = [Judgement(cell, "differs", "1", "2") for cell in cells]
    found = evaluate(tried(facts_of(text), judgements=judged))
    return [finding for finding in found if finding.code == "NBS201"]


def test_what_was_made_anew_is_what_went_into_the_name_that_is_read() -> None:
    (finding,) = stale_outputs(TABLES, 4)
    why = "cell 1 made `two` again after this cell had run"
    assert finding.message == f"the saved output is stale: {why}"
    assert finding.remedy == "run cell 2 again, then this cell"
    assert [(s.cell, s.line, s.cause) for s in finding.steps][:3] == [
        (2, 2, "ran as [2] with the older `two`"),
        (4, 1, "read what it made as [4]"),
        (1, 1, "made `two` again as [9]"),
    ]


def test_all_names_that_one_run_made_anew_are_named() -> None:
    (finding,) = stale_outputs("# %% [3]\nb = 2\na = 1\n# %% [2]\nprint(a + b)\n#> 9\n", 2)
    assert "cell 1 made `a` and `b` again" in finding.message
    assert finding.steps[0] == Step(2, 1, "read `a` and `b` as [2]")


def test_what_the_cell_itself_reads_is_named_before_what_its_functions_read() -> None:
    text = "# %% [3]\ndef row(): return 1\ndef table(): return row()\n# %% [2]\nprint(table())\n"
    (finding,) = stale_outputs(text, 2)
    assert "cell 1 made `table` and `row` again" in finding.message


@pytest.mark.parametrize(
    ("definer", "reader", "remedy"),
    [
        ("df = make(3)", "df['b'] = df['a']", "run this cell again"),
        ("df['a'] = 3", "print(df['a'])", "run this cell again"),
        ("df['a'] = 3", "df['b'] = df['a']", "restart the kernel, run all cells from the top"),
    ],
)
def test_a_cell_that_would_change_its_input_once_more_is_not_to_be_run_again(
    definer: str, reader: str, remedy: str
) -> None:
    text = f"# %% [1]\ndf = dict(a=1)\nmake = dict.fromkeys\n# %% [3]\n{definer}\n"
    (finding,) = stale_outputs(f"{text}# %% [2]\n{reader}\nprint(df)\n#> 1\n", 3)
    assert finding.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("sets", "reads", "does"),
    [
        ("open('a.csv', 'w').write(x)", "open('a.csv').read()", "wrote `a.csv` again"),
        ("import os\nos.environ['A'] = x", "os.environ['A']", "set `os.environ['A']` again"),
        ("import random\nrandom.seed(3)", "random.random()", "seeded Python's random state"),
    ],
)
def test_states_in_words(sets: str, reads: str, does: str) -> None:
    text = f"# %% [1]\nimport os, random\nx = '1'\n# %% [4]\n{sets}\n# %% [3]\nprint({reads})\n"
    (finding,) = stale_outputs(text, 3)
    assert f"cell 2 {does} after this cell had run" in finding.message


@pytest.mark.parametrize(
    ("judgement", "told"),
    [
        (Judgement(2, "same"), []),
        (Judgement(2, "differs", "4", "5"), ["NBS201 2:1 confirmed error"]),
        (Judgement(2, "drift"), ["NBS103 2:1 suspected warning"]),
        (Judgement(2, "nothing-to-compare"), ["NBS103 2:1 suspected warning"]),
        # The plan ran cell 1 early with the text of today: its value says nothing of then.
        (
            Judgement(2, "nothing-to-compare", values={"a": "same"}),
            ["NBS103 2:1 suspected warning"],
        ),
        (
            Judgement(2, "nothing-to-compare", values={"a": "differs"}),
            ["NBS201 2:1 suspected warning"],
        ),
    ],
)
def test_the_judge_of_an_outdated_result(judgement: Judgement, told: list[str]) -> None:
    assert told == lines(evaluate(tried(facts_of(OUTDATED), judgements=[judgement])))


def test_the_same_value_refutes_where_the_page_shows_nothing_made_of_it() -> None:
    facts = facts_of("# %% [3]\na = 5\n# %% [2]\nb = a\n")
    judged = [Judgement(2, "nothing-to-compare", values={"a": "same"})]
    assert evaluate(tried(facts, judgements=judged)) == ()


def test_the_same_value_refutes_where_the_plan_guessed_no_run() -> None:
    facts = facts_of("# %% [1]\na = 5\n# %% [3]\na = 5\n# %% [2]\nb = a\nb\n#= 5\n")
    judged = [Judgement(3, "nothing-to-compare", values={"a": "same"})]
    assert evaluate(tried(facts, judgements=judged)) == ()


def test_outputs_below_that_reproduce_refute_a_cell_without_output() -> None:
    text = "# %% [3]\na = 5\n# %% [2]\nb = a\n# %% [4]\nprint(b)\n#> 5\n"
    assert found(text, Config(select=("NBS103",))) == ["NBS103 2:1 suspected warning"]
    judged = [Judgement(2, "nothing-to-compare"), Judgement(3, "same")]
    assert evaluate(tried(facts_of(text), judgements=judged)) == ()


def test_page_order_that_fails_where_the_recorded_one_does_not_is_an_error() -> None:
    text = "# %% [3]\na = 'five'\n# %% [2]\na + 1\n#= 2\n"
    facts = facts_of(text)
    failing = tried(facts, raised(2, "TypeError", "no"), replay={})
    finding = the_one(evaluate(failing))
    assert lines([finding]) == ["NBS103 2:1 confirmed error"]
    assert finding.message.endswith("in page order it fails with TypeError: no")


@pytest.mark.parametrize(
    "text",
    [
        "# %% [3]\nimport math\n# %% [2]\nprint(math.pi)\n",
        "# %% [1]\na = 1\n# %% [2]\nprint(a)\n# %% [1]\nb = 2\n# %% [2]\nprint(b)\n",
        "# %% [2]\na = 1\n# %% [1]\nb = 2\n",
        "# %%\na = 1\n# %%\nprint(a)\n",
    ],
)
def test_counts_that_contradict_nothing(text: str) -> None:
    assert found(text) == []


SETTINGS = """\
# %% [1]
import os, random
import numpy as np
np.random.seed(1)
# %% [4]
{}
# %% [3]
print(np.random.rand(), os.environ['A'], np.load('a.npy'))
"""


@pytest.mark.parametrize(
    ("sets", "told"),
    [
        ("np.random.seed(0)", []),
        ("import os\nos.environ['A'] = '1'", []),
        ("os.environ['A'] = '1'", ["NBS103 3:1 suspected warning"]),
        ("np.save('a.npy', 1)", ["NBS103 3:1 suspected warning"]),
        ("x = np.random.shuffle([1])", ["NBS103 3:1 suspected warning"]),
    ],
)
def test_what_only_sets_a_state_as_before_contradicts_nothing(sets: str, told: list[str]) -> None:
    assert found(SETTINGS.format(sets), Config(select=("NBS103",))) == told


def test_readers_of_one_rerun_cell_are_one_finding() -> None:
    text = "# %% [9]\na = 1\n# %% [2]\nb = a\n# %% [3]\nc = a\n"
    finding = the_one(evaluate(facts_of(text)))
    assert lines([finding]) == ["NBS103 2:1 suspected warning"]
    assert finding.steps[-1] == Step(3, 1, "also read `a` of cell 1 before, as [3]")


# -- NBS202 -------------------------------------------------------------------------------------

REPLAYED = "# %% [1]\nr = 2\n# %% [3]\nr = 3\n# %% [2]\np = r\n# %% [4]\nt = p\n"


def test_a_stale_read_with_another_value_is_an_error_in_the_recorded_order() -> None:
    differs = Judgement(4, "nothing-to-compare", values={"p": "differs"})
    assert lines(evaluate(tried(facts_of(REPLAYED), judgements=[differs]))) == [
        "NBS202 4:1 confirmed error"
    ]


def test_a_stale_read_in_a_reconstructed_order_is_a_warning_while_green() -> None:
    text = REPLAYED.replace("[4]", "[6]")
    differs = Judgement(4, "nothing-to-compare", values={"p": "differs"})
    facts = facts_of(text)
    assert {"NBS202 4:1 suspected warning"} >= set(
        lines(f for f in evaluate(tried(facts, judgements=[differs])) if f.code == "NBS202")
    )
    assert "error" not in {f.severity for f in evaluate(tried(facts, judgements=[differs]))}


def test_a_confirmed_stale_output_stands_over_the_stale_read() -> None:
    differs = Judgement(4, "differs", "2", "3", values={"p": "differs"})
    assert lines(evaluate(tried(facts_of(REPLAYED), judgements=[differs]))) == [
        "NBS201 4:1 confirmed error"
    ]


# -- NBS401, NBS902, NBS903, NBS904: runs that fail -----------------------------------------------


def test_a_failure_that_the_page_shows_is_one_all_the_same() -> None:
    text = "# %% [1]\n1 / 0\n#x ZeroDivisionError: division by zero\n"
    failure = raised(1, "ZeroDivisionError", "division by zero")
    finding = the_one(evaluate(tried(facts_of(text), failure)))
    assert lines([finding]) == ["NBS401 1:1 observed error"]
    assert finding.message.endswith("division by zero, just as its saved output shows")
    other = raised(1, "ZeroDivisionError", "float division by zero")
    assert lines(evaluate(tried(facts_of(text), other))) == ["NBS401 1:1 observed error"]
    gone = the_one(evaluate(tried(facts_of(text), ended(1, "ok"))))
    assert lines([gone]) == ["NBS409 1:1 proved error"]
    assert gone.message.endswith("; from top to bottom it runs without")


def test_a_missing_variable_of_the_environment_is_to_be_set() -> None:
    page = '# %% [1]\nimport os\nkey = os.environ["API_TOKEN"]\n'
    failure = raised(1, "KeyError", "'API_TOKEN'", line=2)
    finding = the_one(evaluate(tried(facts_of(page), failure)))
    assert finding.remedy.startswith("set the environment variable API_TOKEN where the notebook")
    of_a_dict = page.replace('os.environ["API_TOKEN"]', '{}["API_TOKEN"]')
    other = the_one(evaluate(tried(facts_of(of_a_dict), failure)))
    assert "environment" not in other.remedy


def test_the_tag_may_name_the_class_that_is_meant() -> None:
    page = "# %% [1] tags=raises-exception=KeyError\n{}['a'] / 0\n#x KeyError: 'a'\n"
    assert lines(evaluate(tried(facts_of(page), raised(1, "KeyError", "'a'")))) == []
    finding = the_one(evaluate(tried(facts_of(page), raised(1, "TypeError", "no"))))
    assert finding.message == "this cell raised TypeError: no, which is not what its tag says"
    assert found(page.replace("#x KeyError", "#x TypeError")) == ["NBS409 1:1 proved error"]


BOARD = "# %% [5]\nboard = ''\n# %% [2]\nprint(next(iter(board)))\n#> a\n"


def test_a_cell_that_fails_since_another_was_run_again() -> None:
    fails = raised(2, "StopIteration", "")
    facts = tried(facts_of(BOARD), fails, replay=fails)
    finding = the_one(evaluate(facts))
    assert finding.message.endswith("; cell 1 was run again after it")
    assert finding.steps[-1] == Step(
        1, 1, "made `board` again as [5], after this cell had passed as [2]"
    )


@pytest.mark.parametrize(
    ("counts", "ename", "remedy"),
    [
        ("1 2", "FileNotFoundError", "keep the file with the notebook"),
        ("1 2", "AttributeError", "mend the cell: it passed when it was saved"),
        (
            "1 3",
            "NotFittedError",
            "bring back what ran as [2] and is gone from the page",
        ),
        ("1 9", "ValueError", "mend the cell: it passed when it was saved"),
    ],
)
def test_what_may_have_changed_since_a_cell_passed(counts: str, ename: str, remedy: str) -> None:
    first, second = counts.split()
    text = f"# %% [{first}]\nx = 1\n# %% [{second}]\nprint(x.y())\n#> 1\n"
    finding = the_one(evaluate(tried(facts_of(text), raised(2, ename, "no"))))
    assert finding.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("reads", "writes", "ename", "evalue", "path"),
    [
        (
            "open('a.txt').read()",
            "open('a.txt', 'w').write('x')",
            "FileNotFoundError",
            "[Errno 2] No such file or directory: 'a.txt'",
            "a.txt",
        ),
        (
            "from hm import d",
            "%%writefile hm.py\nd = 1",
            "ModuleNotFoundError",
            "No module named 'hm'",
            "hm.py",
        ),
    ],
)
def test_what_is_missing_and_written_further_down(
    reads: str, writes: str, ename: str, evalue: str, path: str
) -> None:
    text = f"# %% [2]\n{reads}\n# %% [1]\n{writes}\n"
    finding = the_one(evaluate(tried(facts_of(text), raised(1, ename, evalue))))
    assert finding.remedy == f"move cell 2, which writes '{path}', above this one"


def test_a_cell_that_should_raise_and_does_not() -> None:
    text = "# %% [1] tags=raises-exception\n1 / 1\n"
    assert lines(evaluate(tried(facts_of(text)))) == ["NBS401 1:1 observed error"]
    assert evaluate(tried(facts_of(text), raised(1, "ValueError", "meant"))) == ()
    swallowed = with_incident(1, "captured", "ValueError: meant")
    assert evaluate(tried(facts_of(text), swallowed)) == ()


def test_the_way_of_an_exception_through_other_cells() -> None:
    text = "# %% [1]\ndef f():\n    raise ValueError('no')\n# %% [2]\nf()\n"
    facts = tried(facts_of(text), raised(2, "ValueError", "no", 1, ((2, 1), (1, 2))))
    finding = the_one(evaluate(facts))
    assert finding.steps == (Step(2, 1, "calls into cell 1"), Step(1, 2, "raised ValueError: no"))


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("shell", ["NBS401 1:1 observed error"]),
        ("thread", ["NBS401 1:1 observed error"]),
        ("captured", ["NBS401 1:1 observed error"]),
        ("magic", ["NBS401 1:1 observed error"]),
        ("tracer", ["NBS906 1:1 observed warning"]),
    ],
)
def test_incidents_of_a_run_that_reported_success(kind: str, told: list[str]) -> None:
    facts = tried(facts_of("# %% [1]\nwork = 1\n"), with_incident(1, kind, "what it said"))
    assert told == lines(evaluate(facts))


@pytest.mark.parametrize(
    ("printed", "folder", "told"),
    [
        ("[Errno 2] No such file or directory: 'no/where'\n/home\n", "no/where", True),
        ("[Errno 2] No such file or directory: '/home/me/data'\n", '"~/data"', True),
        ("[Errno 20] Not a directory: 'file'\n", "file", True),
        ("/home/no/where\n", "no/where", False),
        ("[Errno 2] No such file or directory: 'other'\n", "no/where", False),
    ],
)
def test_a_folder_that_cannot_be_entered(printed: str, folder: str, told: bool) -> None:  # noqa: FBT001
    facts = facts_of(f"# %% [1]\nwork = 1\n%cd {folder}\n")
    facts = tried(facts, {1: CellResult(1, 1, "ok", outputs=(Output("stream", text=printed),))})
    assert ("NBS401 1:2 observed error" in lines(evaluate(facts))) is told


def test_a_cell_whose_command_may_fail_says_so_by_a_tag() -> None:
    facts = facts_of("# %% [1] tags=raises-exception\n!false\n")
    assert lines(evaluate(tried(facts, with_incident(1, "shell", "no")))) == []


def test_a_failure_of_the_replay_alone_never_fails_the_notebook() -> None:
    text = "# %% [2]\na = 1\n# %% [1]\nb = 2\n"
    facts = tried(facts_of(text), replay=raised(2, "ValueError", "no"))
    assert lines(evaluate(facts)) == ["NBS401 2:1 observed warning"]
    gaps = tried(facts_of(text.replace("[2]", "[5]")), replay=raised(2, "ValueError", "no"))
    assert lines(evaluate(gaps)) == ["NBS401 2:1 observed note"]


def test_a_cell_that_the_notebooks_python_can_parse_is_right() -> None:
    facts = facts_of("# %% [1]\nx = = 1\n")
    assert lines(evaluate(facts)) == ["NBS902 1:1 proved error"]
    assert evaluate(tried(facts)) == ()
    seen = tried(facts, raised(1, "SyntaxError", "invalid syntax"))
    assert lines(evaluate(seen)) == ["NBS902 1:1 observed error"]


def test_syntax_of_a_newer_python_is_told_as_such() -> None:
    facts = facts_of("# %% [1]\nx = = 1\n")
    page = replace(facts.notebook, metadata={"language_info": {"version": "3.99.0"}})
    (told,) = evaluate(replace(facts, notebook=page))
    here = ".".join(map(str, sys.version_info[:2]))
    assert told.message.startswith(f"this cell is not valid in Python {here}: ")
    assert told.message.endswith("; the notebook was saved by Python 3.99")
    assert (told.verdict, told.severity) == ("suspected", "warning")


def test_a_lesson_in_syntax_errors_is_tagged() -> None:
    text = "# %% [1]\nx = = 1\n#x SyntaxError: invalid syntax\n"
    assert found(text) == ["NBS902 1:1 proved error"]
    assert found(text.replace("[1]", "[1] tags=raises-exception")) == []


def test_python_2_is_told_once() -> None:
    text = "# %% [1]\nprint 'a'\n# %% [2]\nprint 'b'\n"
    finding = the_one(evaluate(facts_of(text)))
    assert "Python 2" in finding.message
    assert finding.steps[-1].cell == 2


def test_a_dead_kernel_and_an_endless_cell() -> None:
    facts = facts_of("# %% [1]\nwork = 1\n", Config(timeout_s=3))
    died = the_one(evaluate(tried(facts, ended(1, "died", "signal 9 (SIGKILL)"))))
    assert lines([died]) == ["NBS903 1:1 observed error"]
    assert "memory" in died.remedy
    left = tried(facts, ended(1, "died", "the cell asked to shut down (exit or quit)"))
    gone = the_one(evaluate(left))
    assert gone.message.endswith("while this cell ran: the cell asked to shut down (exit or quit)")
    assert gone.remedy == "remove the call, or tag the cell skip-execution"
    late = the_one(evaluate(tried(facts, ended(1, "timed-out"))))
    assert lines([late]) == ["NBS904 1:1 observed error"]
    assert late.message == "this cell ran longer than 3 s"
    own = replace(facts, notebook=replace(facts.notebook, metadata={"execution": {"timeout": 1}}))
    sooner = the_one(evaluate(tried(own, ended(1, "timed-out"))))
    assert sooner.message == "this cell ran longer than 1 s"
    assert "`timeout` in the notebook's metadata" in sooner.remedy


def test_a_stale_result_stands_over_what_it_read_from_below() -> None:
    text = "# %% [4]\na = 1\n# %% [3]\nprint(a)\n#> 2\n# %% [2]\na = 2\n"
    judged = [Judgement(2, "differs", "2", "1")]
    told = evaluate(tried(facts_of(text), judgements=judged))
    assert lines(told) == ["NBS201 2:1 confirmed error"]


def test_a_result_that_another_library_may_have_given_is_shown() -> None:
    facts = facts_of("# %% [2]\na = 1\n# %% [1]\nprint(a)\n#> 2\n")
    finding = the_one(evaluate(tried(facts, judgements=[Judgement(2, "drift", "2", "1")])))
    assert finding.message.endswith("its result is that of an older version, or of other libraries")
    assert finding.steps[-1] == Step(2, 1, 'shows "2", a clean run gives "1"')


def test_what_was_made_from_a_read_from_below_is_named_with_it() -> None:
    text = "# %% [1]\na = 1\n# %% [3]\nb = a\nb\n#= 2\n# %% [2]\na = 2\n# %% [4]\nprint(b)\n#> 2\n"
    judged = [Judgement(cell, "differs", "2", "1") for cell in (2, 4)]
    finding = the_one(evaluate(tried(facts_of(text), judgements=judged)))
    assert lines([finding]) == ["NBS103 2:1 confirmed error"]
    assert finding.steps[-1] == Step(4, 1, 'was made from that: shows "2", a clean run gives "1"')
    assert finding.remedy.endswith("if cell 3 belongs before this one, move it up first")


def test_a_stale_result_stands_over_all_that_contradicts_the_order_before_it() -> None:
    text = "# %% [4]\na = 1\n# %% [5]\nb = 1\n# %% [3]\nprint(a + b)\n#> 9\n"
    judged = [Judgement(3, "differs", "9", "2")]
    told = evaluate(tried(facts_of(text), judgements=judged))
    assert lines(told) == ["NBS201 3:1 confirmed error"]


MEMO = """\
# %% [6]
coins = [1, 5]
# %% [2]
memo = {}
# %% [3]
def ways(n):
    if n not in memo:
        memo[n] = n // coins[-1]
    return memo[n]
# %% [4]
ways(30)
#= 6
# %% [7]
print(ways(30))
#> 6
"""


def test_what_is_stale_by_now_is_made_anew_before_an_outdated_cell_runs_again() -> None:
    facts = facts_of(MEMO)
    records = static_records(facts.graph, facts.plan)
    ran = {
        run.cell: CellResult(
            0, run.cell, "ok", records=tuple(r for r in records if r.cell == run.cell)
        )
        for run in facts.plan.runs
    }
    judged = [Judgement(cell, "differs", "6", "15") for cell in (4, 5)]
    cause = Cause("memo", 4, 1, (4, 1), "coins", 1, 1, (5, 1))  # only a run shows it
    read = StaleRead(6, 5, 1, "memo", (cause,), (2,), (4,))
    suspicions = replace(facts.suspicions, stale_reads=(read,))
    trial = tried(facts, replay=ran, judgements=judged, suspicions=suspicions)
    outdated, stale = evaluate(trial)
    assert outdated.remedy == "run cell 2 again, then this cell"
    assert stale.remedy == "run cells 2 and 4 again, in this order, then this cell"
    assert stale.steps[0].cause == "changed `memo` with `coins` as [4]"


# -- NBS906: our own faults -----------------------------------------------------------------------


def test_a_fault_of_our_own_blames_us_and_says_what_is_unknown() -> None:
    facts = facts_of("# %% [1]\na = 1\nb = a\n# %% [2]\nc = b\n")
    fault = with_incident(1, "tracer", "after a run: KeyError: 'a'")
    finding = the_one(evaluate(tried(facts, fault)))
    assert lines([finding]) == ["NBS906 1:1 observed warning"]
    assert finding.message == (
        "nbsafe's own tracer failed at this cell (after a run: KeyError: 'a'): "
        "what it read, and where `a` and `b` came from, is unknown"
    )
    assert "nothing is wrong with the notebook" in finding.remedy


def test_one_fault_of_our_own_in_many_cells_and_runs_is_told_once() -> None:
    facts = facts_of("# %% [2]\na = 1\n# %% [1]\nb = 2\n")
    faults = {**with_incident(1, "tracer", "no"), **with_incident(2, "tracer", "no")}
    finding = the_one(evaluate(tried(facts, faults, replay=faults)))
    assert [(step.cell, step.line) for step in finding.steps] == [(2, 1)]


def test_where_the_kernel_was_stopped_the_tracer_is_not_missed() -> None:
    late = {1: replace(with_incident(1, "tracer", "no")[1], status="timed-out")}
    told = evaluate(tried(facts_of("# %% [1]\nwork = 1\n", Config(timeout_s=3)), late))
    assert lines(told) == ["NBS904 1:1 observed error"]


# -- Where the judge does not reach: cells that were run again in a copy of the kernel -------------


def again(cell: int, result: Comparison, after: tuple[int, ...] = (3,), **more: Any) -> Rerun:
    return Rerun(cell, after, result, **more)


def with_reruns(
    facts: Facts, *, reads: Sequence[Rerun] = (), endings: Sequence[Rerun] = ()
) -> Facts:
    trial = replace(
        facts.trial,
        reruns={rerun.cell: rerun for rerun in reads},
        endings={rerun.cell: rerun for rerun in endings},
    )
    return replace(facts, trial=trial)


DIFFERS = again(4, "differs", differences=("`t` 2 -> 3",))


@pytest.mark.parametrize(
    ("rerun", "told"),
    [
        (DIFFERS, "NBS202 4:1 confirmed error"),
        (again(4, "same"), ""),
        (again(4, "nondeterministic"), ""),
    ],
)
def test_a_stale_read_that_the_judge_cannot_compare(rerun: Rerun, told: str) -> None:
    unknown = Judgement(4, "nothing-to-compare", values={"p": "nothing-to-compare"})
    config = Config(ignore=("NBS103",))  # it speaks of cell 3, which is not judged here
    facts = with_reruns(tried(facts_of(REPLAYED, config), judgements=[unknown]), reads=[rerun])
    assert [line for line in lines(evaluate(facts)) if "NBS202" in line] == [told] * bool(told)
    if rerun.result == "same":
        assert evaluate(facts) == ()


def test_a_confirmed_stale_read_says_what_is_otherwise() -> None:
    facts = with_reruns(
        tried(facts_of(REPLAYED), judgements=[Judgement(4, "nothing-to-compare")]), reads=[DIFFERS]
    )
    finding = the_one(evaluate(facts))
    assert finding.message == (
        "this cell read a stale value: `p` from cell 3 is older than `r` of cell 2 "
        "(`t` 2 -> 3 when refreshed)"
    )
    assert finding.steps[-1] == Step(4, 1, f"{AGAIN}, after cell 3: `t` 2 -> 3")


def test_a_stale_read_that_cannot_be_run_again_is_only_observed() -> None:
    cause = again(4, "nothing-to-compare", cause="it would write 'a.csv'")
    unknown = Judgement(4, "nothing-to-compare", values={"p": "nothing-to-compare"})
    config = Config(ignore=("NBS201",))
    facts = with_reruns(tried(facts_of(REPLAYED, config), judgements=[unknown]), reads=[cause])
    finding = the_one(evaluate(facts))
    assert lines([finding]) == ["NBS202 4:1 observed warning"]
    assert "not known (it would write 'a.csv')" in finding.steps[-1].cause


@pytest.mark.parametrize(
    ("judgement", "told"),
    [
        (Judgement(4, "same", values={"p": "differs"}, made={}), []),
        (Judgement(4, "nothing-to-compare", values={"p": "differs"}, made={"t": "same"}), []),
        (
            Judgement(4, "nothing-to-compare", values={"p": "differs"}, made={"t": "differs"}),
            ["NBS202 4:1 confirmed error"],
        ),
        (Judgement(4, "nothing-to-compare", values={"p": "nondeterministic"}), []),
    ],
)
def test_the_judge_decides_on_a_stale_read_by_what_it_makes(
    judgement: Judgement, told: list[str]
) -> None:
    config = Config(ignore=("NBS103",))
    trial = tried(facts_of(REPLAYED, config), judgements=[judgement])
    facts = with_reruns(trial, reads=[again(4, "same")])
    assert told == lines(evaluate(facts))


STUCK = (
    "# %% [1]\nr = 2\n# %% [3]\nr = 3\n# %% [2]\np = r\n# %% [4]\nboom\n"
    "# %% [5]\nt = p\nprint(t)\n#> 2\n"
)


def test_where_the_page_stops_the_saved_output_is_judged_on_the_side() -> None:
    stopped = raised(4, "ValueError", "no") | ended(5, "skipped", "because of cell 4")
    shown = CellResult(0, 5, "ok", outputs=(Output("stream", name="stdout", text="2\n"),))
    trial = tried(facts_of(STUCK), stopped, replay={5: shown})
    shows = ('shows "2" -> "3"',)
    found = again(5, "differs", output="differs", old="2", new="3", differences=shows)
    facts = with_reruns(trial, reads=[found])
    told = [f for f in evaluate(facts) if f.code == "NBS201"]
    assert lines(told) == ["NBS201 5:1 confirmed error"]
    assert told[0].steps[-1].cause == f'{AGAIN}, after cell 3: shows "2" -> "3"'
    same = with_reruns(trial, reads=[again(5, "same")])
    assert "NBS201" not in {f.code for f in evaluate(same)}
    other = tried(facts_of(STUCK), stopped, replay={5: replace(shown, outputs=())})
    drifted = with_reruns(other, reads=[found])
    assert "NBS201" not in {f.code for f in evaluate(drifted)}


def test_order_by_what_the_reader_makes() -> None:
    text = "# %% [1]\na = 1\n# %% [3]\na = 2\n# %% [2]\nb = a\n"
    differs = Judgement(3, "nothing-to-compare", values={"a": "differs"}, made={"b": "differs"})
    ending = again(3, "differs", (), differences=("`b` 1 -> 2",))
    facts = with_reruns(tried(facts_of(text), judgements=[differs]), endings=[ending])
    finding = the_one(evaluate(facts))
    assert lines([finding]) == ["NBS103 3:1 confirmed error"]
    assert finding.message.endswith(
        "in page order it gives a different result (`b` 1 -> 2 when refreshed)"
    )
    guessed = facts_of(text.replace("[3]", "[7]"))
    assert lines(evaluate(tried(guessed, judgements=[differs]))) == ["NBS103 3:1 suspected warning"]


def test_order_where_the_page_stops() -> None:
    text = "# %% [1]\na = 1\n# %% [4]\na = 2\n# %% [3]\nb = a + c\n# %% [2]\nc = 1\n"
    stopped = raised(3, "NameError", "name 'c' is not defined") | ended(3, "skipped")
    trial = tried(facts_of(text), stopped, replay={})
    for result, count in (("same", 0), ("differs", 1)):
        ending = again(3, result, ())  # type: ignore[arg-type]
        told = [f for f in evaluate(with_reruns(trial, endings=[ending])) if f.code == "NBS103"]
        assert len(told) == count


# -- NBS205 ---------------------------------------------------------------------------------------

MIDDLE = (
    "# %% [1]\nr, m = 2, 1\n# %% [2]\ndef f():\n    return r if m else 0\n"
    "# %% [4]\nr = 3\n# %% [3]\nt = f()\n"
)


def inconsistent(facts: Facts, cell: int = 4) -> Facts:
    changed = (ChangedInput("r", 1, 3, 1, (4, 1)),)
    state = Consistency(3, cell, "inconsistent", {"r": "inconsistent"}, changed)
    return replace(facts, trial=replace(facts.trial, consistency={cell: state}))


@pytest.mark.parametrize(
    ("judgement", "told"),
    [
        (Judgement(4, "nothing-to-compare", values={"r": "same"}), []),
        (Judgement(4, "same", values={"r": "differs"}), []),
        (Judgement(4, "nothing-to-compare", values={"r": "differs"}, made={"t": "same"}), []),
        (
            Judgement(4, "nothing-to-compare", values={"r": "differs"}, made={"t": "differs"}),
            ["NBS205 4:1 confirmed error"],
        ),
        (
            Judgement(4, "nothing-to-compare", values={"r": "differs"}),
            ["NBS205 4:1 observed note"],
        ),
        (Judgement(4, "differs", "2", "3", {"r": "differs"}), ["NBS205 4:1 confirmed error"]),
    ],
)
def test_the_judge_of_an_inconsistent_cell(judgement: Judgement, told: list[str]) -> None:
    config = Config(select=("NBS205",))
    facts = inconsistent(tried(facts_of(MIDDLE, config), judgements=[judgement]))
    assert told == lines(evaluate(facts))


def test_an_inconsistent_cell_tells_its_story() -> None:
    judgement = Judgement(4, "nothing-to-compare", values={"r": "differs"}, made={"t": "differs"})
    ending = again(4, "differs", (), differences=("`t` 2 -> 3",))
    facts = inconsistent(tried(facts_of(MIDDLE), judgements=[judgement]))
    finding = the_one(evaluate(with_reruns(facts, endings=[ending])))
    assert finding.message == (
        "this cell no longer fits what it read: `r` changed after it ran, and a clean run gives it "
        "a different result (`t` 2 -> 3 when refreshed)"
    )
    assert [(step.cell, step.cause) for step in finding.steps] == [
        (4, "read `r` as [3]"),
        (3, "made `r` again as [4]"),
        (4, "run again in a copy of the kernel: `t` 2 -> 3"),
    ]


def test_an_inconsistent_cell_whose_readers_reproduce_is_silent() -> None:
    text = MIDDLE + "# %% [5]\nprint(t > 0)\n#> True\n"
    judged = [
        Judgement(4, "nothing-to-compare", values={"r": "differs"}, made={"t": "differs"}),
        Judgement(5, "same"),
    ]
    facts = inconsistent(tried(facts_of(text), judgements=judged))
    assert "NBS205" not in {f.code for f in evaluate(facts)}


def test_an_inconsistent_cell_that_the_page_does_not_reach() -> None:
    facts = inconsistent(tried(facts_of(MIDDLE), ended(4, "skipped"), replay={}))
    assert "NBS205" not in {f.code for f in evaluate(facts)}
    ending = again(4, "differs", (), differences=("`t` 2 -> 3",))
    assert "NBS205 4:1 confirmed error" in lines(evaluate(with_reruns(facts, endings=[ending])))


SAME_TWICE = "# %% [1]\nr = 2\n# %% [3]\nr = 3\n# %% [2]\nr += 1\np = r\n# %% [4]\nplot(p)\n"


def test_a_stale_read_of_the_value_that_a_clean_run_gives_is_none() -> None:
    config = Config(select=("NBS201", "NBS202"))
    facts = facts_of(SAME_TWICE, config)
    assert lines(evaluate(facts)) == ["NBS201 4:1 suspected warning"]
    same = Judgement(4, "nothing-to-compare", values={"p": "same"})
    assert evaluate(tried(facts, judgements=[same])) == ()


def test_what_was_saved_without_a_cell_that_never_ran() -> None:
    facts = tried(facts_of("# %% [1]\nx = [1]\n# %%\nx.append(2)\n# %% [2]\nprint(x)\n#> [1]\n"))
    seen = RanOtherwise(2, (), 3, "[1]", "[1, 2]")
    found = evaluate(replace(facts, trial=replace(facts.trial, ran_otherwise=seen)))
    (finding,) = [finding for finding in found if finding.code == "NBS201"]
    assert lines([finding]) == ["NBS201 3:1 confirmed error"]
    assert finding.message.endswith("it was made without cell 2, which never ran")


def test_a_replay_without_a_cell_that_never_ran_tells_the_same() -> None:
    text = "# %% [2]\nx = [1]\n# %%\nx.append(2)\n# %% [3]\nprint(x)\n#> [1]\n# %% [1]\ny = 1\n"
    facts = tried(facts_of(text), judgements=[Judgement(3, "differs", "[1]", "[1, 2]")])
    assert facts.trial.replay is not None
    shown = (Output("stream", name="stdout", text="[1]\n"),)
    replayed = tuple(replace(r, outputs=shown) for r in facts.trial.replay.results)
    trial = replace(facts.trial, replay=replace(facts.trial.replay, results=replayed))
    once, twice = (
        [f.message for f in evaluate(replace(facts, trial=seen)) if f.code == "NBS201"]
        for seen in (trial, replace(trial, second=trial.clean))
    )
    assert (once, len(twice)) == ([], 1)


# -- NBS106: a cell that did run more often --------------------------------------------------------

GROWS = "# %% [1]\nxs = [0]\n# %% [4]\nxs.append(1)\n# %% [5]\nprint(xs)\n#> [0, 1, 1, 1]\n"


def test_a_second_run_that_happened_is_confirmed() -> None:
    facts = tried(facts_of(GROWS))
    assert lines(evaluate(facts)) == ["NBS106 2:1 suspected warning"]
    seen = RanOtherwise(2, (2, 3), 3, "[0, 1, 1, 1]", "[0, 1]")
    finding = the_one(evaluate(replace(facts, trial=replace(facts.trial, ran_otherwise=seen))))
    assert lines([finding]) == ["NBS106 2:1 confirmed warning"]
    assert finding.message == (
        "this cell ran 3 times, as [2], [3] and [4], and a second run of it appends to `xs` "
        "again; the saved output of cell 3 shows it"
    )
    assert finding.steps[-1] == Step(3, 1, 'shows "[0, 1, 1, 1]", a clean run gives "[0, 1]"')


def test_a_second_run_of_what_no_text_tells_says_what_each_run_changes() -> None:
    text = "# %% [1]\nrng = make()\n# %% [3]\nprint(rng.draw())\n#> 7\n"
    facts = tried(facts_of(text))
    seen = RanOtherwise(2, (2,), 2, "7", "4", ("rng",))
    finding = the_one(evaluate(replace(facts, trial=replace(facts.trial, ran_otherwise=seen))))
    assert finding.message == (
        "this cell ran twice, as [2] and [3], and each run of it changes `rng`; the saved output "
        "shows it"
    )


def test_what_two_cells_define_later_are_two_faults() -> None:
    text = "# %% [3]\nprint(a, b)\n# %% [1]\na = 1\n# %% [2]\nb = 2\n"
    found = evaluate(tried(facts_of(text), undefined(1, "a")))
    assert lines(found) == ["NBS102 1:1 observed error", "NBS102 1:1 proved error"]


def test_what_a_moved_cell_makes_anew_is_no_second_fault() -> None:
    text = "# %% [1]\nu = 1\n# %% [3]\nprint(b, u)\n# %% [2]\nb = u = 2\n"
    finding = the_one(evaluate(facts_of(text)))
    assert lines([finding]) == ["NBS102 2:1 proved error"]
    assert finding.remedy == "move cell 3 above cell 2, or this cell below it"


SILENT = """\
# %% [1]
import math
# %% [4]
radius = 2
# %% [3]
area = math.pi * radius ** 2
assert area > 0
# %% [2]
print(math.e)
#> 2.718281828459045
"""


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (SILENT, "note"),
        (SILENT.replace("#> 2.718281828459045\n", ""), "warning"),
        (SILENT.replace("assert area > 0", "print(area)\n#> 12.56"), "warning"),
        (SILENT + "# %% [5]\nprint(area)\n#> 12.56\n", "warning"),
        (SILENT + "# %% [5]\nopen('area.txt', 'w').write(str(area))\n", "warning"),
    ],
)
def test_what_no_output_was_made_from_is_a_note(text: str, severity: str) -> None:
    config = Config(select=("NBS103",), named=("NBS103",))
    (finding,) = evaluate(facts_of(text, config))
    assert (finding.location.cell, finding.severity) == (3, severity)


def test_other_parts_by_the_text_are_no_contradiction() -> None:
    text = "# %% [1]\nd = {'a': 1}\n# %% [4]\nd['b'] = 2\n# %% [3]\nprint(d['a'])\n#> 1\n"
    config = Config(select=("NBS103",))
    assert evaluate(facts_of(text, config)) == ()
    (finding,) = evaluate(facts_of(text.replace("'b'", "'a'"), config))
    assert finding.location.cell == 3


LOADED = """\
# %% [4]
import pandas as pd
cars = pd.read_csv("cars.csv")
# %% [2]
cars.head()
#> 1
"""


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (LOADED, "note"),
        (LOADED.replace('cars.csv")', 'cars.csv")\ncars = cars[1:]'), "warning"),
        (LOADED.replace("pd.read_csv", "make"), "warning"),
        ("# %% [4]\nx = 1\n# %% [2]\nprint(x)\n#x KeyError: 'x'\n", "note"),
    ],
)
def test_a_file_that_is_loaded_again_and_an_error_that_is_shown(text: str, severity: str) -> None:
    config = Config(select=("NBS103",), named=("NBS103",))
    facts = facts_of(text, config)
    assert [finding.severity for finding in evaluate(facts)] == [severity]


def test_all_that_the_counts_alone_suspect_is_one_finding() -> None:
    text = "# %% [8]\na = 1\n# %% [9]\nb = 2\n# %% [2]\nprint(a)\n#> 1\n# %% [3]\nprint(b)\n#> 2\n"
    config = Config(select=("NBS103",))
    finding = the_one(evaluate(facts_of(text, config)))
    assert lines([finding]) == ["NBS103 3:1 suspected warning"]
    assert finding.steps[-1] == Step(4, 1, "also read `b` of cell 2 before, as [3]")


def test_of_several_cells_that_ran_again_one_is_named_for_each_reader() -> None:
    text = "# %% [8]\na = [1]\n# %% [9]\na.append(2)\n# %% [3]\nprint(a)\n# %% [4]\nprint(a + a)\n"
    finding = the_one(evaluate(facts_of(text, Config(select=("NBS103",)))))
    assert [(step.cell, step.cause) for step in finding.steps] == [
        (3, "read `a`; it ran as [3]"),
        (1, "made `a` afterwards; it ran as [8]"),
        (4, "also read `a` of cell 1 before, as [4]"),
    ]
