"""Pages that show what their code does not give, in real kernels; and what leaves them alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from makenb import write

pytestmark = pytest.mark.kernel

RUN = ("--nbsafe", "-p", "no:cacheprovider", "-rfE")
WRONG = """
# %% [1]
acc = 0.71
# %% [2]
print("accuracy", acc)
#> accuracy 0.99
# %% [3]
print("rows", 40)
#> rows 40
"""
MARKED = """
# %% [1] tags=nbsafe:output=off
print("a", 1)
#> a 2
# %% [2]
# NBVAL_IGNORE_OUTPUT
print("b", 1)
#> b 2
# %% [3] tags=nbval-skip
raise ValueError
# %% [4]
# NBVAL_RAISES_EXCEPTION
raise KeyError("c")
#x KeyError: 'c'
# %% [5]
print("2024-01-02 host-17", 0.50001)
#> 2019-03-04 host-4 0.50001
# %% [6] tags=nbsafe:output=exact
print(0.50001)
#> 0.500010001
"""


def metadata(path: Path, **more: object) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    content["metadata"].update(more)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_the_cell_that_shows_what_it_does_not_give_fails(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", WRONG)
    result = pytester.runpytest(*RUN)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "nb.ipynb, cell 2 [[]2], line 1: NBS402 output-changed (confirmed)",
            "*the output has changed (saved -> now): *[[]0.99 -> 0.71]*",
            "FAILED nb.ipynb::cell-2 - NBS402 *",
        ]
    )


@pytest.mark.parametrize("given", [("--nbsafe-output=off",), ("--nbsafe-ignore=NBS402",)])
@pytest.mark.corpus
def test_the_comparison_can_be_switched_off(
    pytester: pytest.Pytester, given: tuple[str, ...]
) -> None:
    write(pytester.path / "nb.ipynb", WRONG)
    pytester.runpytest(*RUN, *given).assert_outcomes(passed=4)


def test_a_mode_that_is_none_is_refused(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", WRONG)
    result = pytester.runpytest(*RUN, "--nbsafe-output=strict")
    result.stderr.fnmatch_lines(["*--nbsafe-output cannot be 'strict'*off, lenient, exact*"])


@pytest.mark.corpus
def test_tags_comments_and_sanitizers_of_nbval_and_our_own(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", MARKED)
    pytester.makefile(
        ".cfg", dates=r"[date]\nregex: \d+-\d+-\d+\nreplace: DATE".replace(r"\n", "\n")
    )
    pytester.makepyprojecttoml(
        '[tool.nbsafe]\nsanitizers = [["host-\\\\d+", "HOST"]]\nsanitize-with = "dates.cfg"\n'
    )
    result = pytester.runpytest(*RUN)
    result.assert_outcomes(passed=5, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["FAILED nb.ipynb::cell-6 - NBS402 the output has changed *"])


@pytest.mark.parametrize(
    ("sanitizing", "says"),
    [
        ('sanitizers = [["(", ""]]', "*sanitizers: '('*"),
        ('sanitizers = ["a"]', "*sanitizers cannot be ['a']*a list of pairs*"),
        ('sanitize-with = "none.cfg"', "*none.cfg*No such file*"),
    ],
)
def test_sanitizers_that_are_none_are_told_before_anything_runs(
    pytester: pytest.Pytester, sanitizing: str, says: str
) -> None:
    write(pytester.path / "nb.ipynb", WRONG)
    pytester.makepyprojecttoml(f"[tool.nbsafe]\n{sanitizing}\n")
    pytester.runpytest(*RUN).stderr.fnmatch_lines([says.replace("['a']", "[[]'a'[]]")])


@pytest.mark.corpus
def test_metadata_of_nbmake(pytester: pytest.Pytester) -> None:
    text = "# %% [1]\nraise KeyError(\"a\")\n#x KeyError: 'a'\n# %% [2]\nprint(1)\n#> 1\n"
    write(pytester.path / "nb.ipynb", text)
    metadata(pytester.path / "nb.ipynb", execution={"allow_errors": True})
    pytester.runpytest(*RUN).assert_outcomes(passed=3)
    write(pytester.path / "nb.ipynb", "# %% [1]\nimport time\ntime.sleep(60)\n")
    metadata(pytester.path / "nb.ipynb", execution={"timeout": 1})
    result = pytester.runpytest(*RUN)
    result.stdout.fnmatch_lines(["FAILED nb.ipynb::cell-1 - NBS904 *"])


def test_a_cell_that_is_wrong_of_what_another_did_fails_too(pytester: pytest.Pytester) -> None:
    text = """
# %% [1]
orders = [120, 450]
# %% [3]
orders.append(99)
# %% [4]
print(sum(orders))
#> 768
"""
    write(pytester.path / "nb.ipynb", text)
    result = pytester.runpytest(*RUN)
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "FAILED nb.ipynb::cell-2 - NBS106 *ran twice, as [[]2] and [[]3]*",
            'FAILED nb.ipynb::cell-3 - this cell shows "768", a clean run gives *',
        ]
    )


@pytest.mark.corpus
def test_a_repeated_run_has_another_order_of_sets(pytester: pytest.Pytester) -> None:
    made = "names = list({chr(97 + n) * 3 for n in range(20)})"
    write(pytester.path / "nb.ipynb", f"# %% [1]\n{made}\n# %% [2]\nlen(names)\n#= 20\n")
    pytester.runpytest(*RUN).assert_outcomes(passed=3)
    result = pytester.runpytest(*RUN, "--nbsafe-repeat=2", "--nbsafe-strict")
    result.stdout.fnmatch_lines(
        ["FAILED nb.ipynb::cell-1 - NBS404 `names` of this cell is another*"]
    )


@pytest.mark.corpus
def test_a_cell_that_never_ends_in_another_order_is_stopped(pytester: pytest.Pytester) -> None:
    text = """
# %% [1]
import time
wait = 0
# %% [3]
time.sleep(wait)
# %% [2]
wait = 600
"""
    write(pytester.path / "nb.ipynb", text)
    result = pytester.runpytest(*RUN)
    assert result.ret in {0, 1}
    result.stdout.fnmatch_lines(
        ["*NBS904*in the recorded order this cell was stopped after * s; from top to bottom it*"]
    )


UPDATED = """
# %% [1]
handle = display("waiting", display_id=True)
#= 'done'
# %% [2]
handle.update("done")
# %% [3]
print("end")
#> end
"""


@pytest.mark.corpus
def test_a_display_that_a_later_cell_updates(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", UPDATED)
    pytester.runpytest(*RUN).assert_outcomes(passed=4)
    write(pytester.path / "nb.ipynb", UPDATED.replace("#= 'done'", "#= 'gone'"))
    result = pytester.runpytest(*RUN)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*(saved -> now): 'gone' -> 'done'"])
