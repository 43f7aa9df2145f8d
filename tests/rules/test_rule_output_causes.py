"""What NBS402 and NBS403 name as what gave another output than a clean run."""

from dataclasses import replace
from pathlib import Path

import percent
import pytest
from rulecase import run

from pytest_nbsafe.app import run as app_run

PAGE = """\
# %% [1]
import shop
# %% [2]
with open("log.txt") as log:
    lines = log.readlines()
# %% [3]
print(shop.total(), len(lines))
#> 5 2
"""


def lay_project(folder: Path, module: str) -> None:
    """Write a project with this text as its module `shop`, and the files that it reads."""
    texts = {
        "pyproject.toml": "[project]\nname = 'shop'\n",
        "prices.txt": "7\n",
        "log.txt": "a\nb\n",
        "shop.py": module,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.corpus
@pytest.mark.kernel
def test_what_a_module_of_the_project_read_is_named(tmp_path: Path) -> None:
    module = "def total():\n    return int(open('prices.txt').read())\n"
    lay_project(tmp_path, module)
    (finding,) = (f for f in run(PAGE, tmp_path, notes=False) if f.code == "NBS402")
    reads, imports, edited = finding.steps
    assert (edited.cell, edited.cause) == (3, "may have been edited since it ran; so may cell 2")
    assert (reads.cell, reads.cause) == (2, "reads `log.txt`, which may have changed since")
    assert imports.cell == 1
    reads_too = "which reads `prices.txt`: either may have changed since"
    assert imports.cause == f"imports `shop` of this project, {reads_too}"


@pytest.mark.kernel
def test_what_the_run_read_is_named_once_where_no_module_names_it(tmp_path: Path) -> None:
    module = "NAME = 'prices' + '.txt'\ndef total():\n    return int(open(NAME).read())\n"
    lay_project(tmp_path, module)
    (tmp_path / "tax.py").write_text("def of(sum):\n    return sum\nrate = 0\n", encoding="utf-8")
    page = PAGE.replace("import shop", "import shop\nfrom tax import of, rate")
    page = page.replace("shop.total()", "of(shop.total()) + rate")
    (finding,) = (f for f in run(page, tmp_path, notes=False) if f.code == "NBS402")
    imports = [step.cause for step in finding.steps if step.cause.startswith("imports")]
    assert [cause.partition(" may")[0] for cause in imports] == [
        "imports `shop` of this project, which",
        "imports `tax` of this project, which",
    ]
    assert imports[1].endswith("since; so may what the run read: `prices.txt`")


@pytest.mark.kernel
@pytest.mark.parametrize("saved_by", ["3.5.2", ""])
def test_another_python_is_named_beside_other_libraries(tmp_path: Path, saved_by: str) -> None:
    keys = "# %% [1]\nimport numpy\nkeys = {'b': 1, 'a': numpy.bool_}\n"
    notebook = percent.parse(
        keys + "# %% [2]\nprint(keys)\n#> {'a': <class 'numpy.bool_'>, 'b': 1}\n"
    )
    info = {"language_info": {"name": "python", "version": saved_by}}
    path = tmp_path / "notebook.ipynb"
    percent.write(replace(notebook, metadata=info if saved_by else {}), path)
    (message,) = (f.message for f in app_run.run([path], {}).findings if f.code == "NBS402")
    text = "other versions of Python (it was 3.5 when this was saved) and numpy may give that"
    assert (text in message) == bool(saved_by)


@pytest.mark.kernel
def test_a_file_that_a_cell_above_writes_is_no_cause(tmp_path: Path) -> None:
    page = """\
# %% [1]
with open("rate.txt", "w") as file:
    _ = file.write("2")
# %% [2]
print(open("rate.txt").read(), open("log.txt").read())
#> 1 a
"""
    (tmp_path / "log.txt").write_text("a", encoding="utf-8")
    (finding,) = (f for f in run(page, tmp_path, notes=False) if f.code == "NBS402")
    assert [step.cause for step in finding.steps] == [
        "reads `log.txt`, which may have changed since",
        "may have been edited since it ran; so may cell 1",
    ]


EDITED = """\
# %% [1]
orders = [line.split() for line in open("log.txt")]
print(len(orders), "orders, the first of", orders[0])
#> 2 orders, the first of ['a']
# %% [2]
def of(rate):
    return rate * len(orders)
# %% [{count}]
total = of(3)
print(total)
#> 8
# %% [{next}]
print(total / 2)
#> 4.0
"""


def steps_of(text: str, folder: Path) -> dict[int, list[tuple[int, str]]]:
    """Return for each cell with another output the steps that tell why."""
    (folder / "log.txt").write_text("a\nb\n", encoding="utf-8")
    changed = [each for each in run(text, folder, notes=False) if each.code == "NBS402"]
    return {
        each.location.cell: [(step.cell, step.cause) for step in each.steps] for each in changed
    }


@pytest.mark.kernel
def test_what_is_as_saved_speaks_against_a_file_and_for_an_edit(tmp_path: Path) -> None:
    steps = steps_of(EDITED.format(count=3, next=4), tmp_path)
    reads = (
        "reads `log.txt`, which may have changed since, though cell 1 shows of it what was saved"
    )
    assert steps == {
        3: [(3, "may have been edited since it ran; so may cell 2"), (1, reads)],
        4: [(3, "shows another output, too, and cell 4 is made from it")],
    }


@pytest.mark.kernel
def test_a_run_that_is_on_the_page_no_more_is_named(tmp_path: Path) -> None:
    steps = steps_of(EDITED.format(count=5, next=6), tmp_path)
    ran = "ran as [5]; no cell has [3] and [4]: it ran then, too, or cells that are gone did"
    assert steps[3][1] == (3, ran)


@pytest.mark.kernel
def test_of_a_cell_that_did_not_run_no_change_is_looked_for(tmp_path: Path) -> None:
    text = (
        EDITED.format(count="", next=4).replace("#> 8\n", "").replace("print(total)\n", "total\n")
    )
    steps = steps_of(text, tmp_path)
    assert steps[3] == []


@pytest.mark.kernel
def test_the_remedy_of_what_follows_names_where_to_begin(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("a\nb\n", encoding="utf-8")
    found = run(EDITED.format(count=3, next=4), tmp_path, notes=False)
    ends = [each.remedy.rpartition("; ")[2] for each in found]
    assert ends == [
        "if the new output is the wrong one, see what has changed there",
        "if the new output is the wrong one, begin with cell 3",
    ]


@pytest.mark.kernel
def test_two_outputs_with_one_maker_name_it(tmp_path: Path) -> None:
    text = EDITED.replace("print(total / 2)", "print(of(4))")
    steps = steps_of(text.format(count=3, next=4), tmp_path)
    assert steps[4][:2] == [
        (3, "shows another output, too; cell 2 has a part in both"),
        (4, "may have been edited since it ran; so may cell 2"),
    ]


@pytest.mark.kernel
def test_what_sets_how_values_are_shown_is_named_where_no_name_says_why(tmp_path: Path) -> None:
    page = """\
# %% [1]
import numpy as np
shares = np.array([1 / 3, 2 / 3])
# %% [3]
print(shares)
#> [0.33 0.67]
# %% [2]
# set_printoptions is for all below
np.set_printoptions(precision=2)
"""
    (finding,) = run(page, tmp_path, notes=False)
    cause = "ran before cell 2 in that order, and sets how values are shown (`set_printoptions`)"
    assert finding.code == "NBS403"
    assert [(each.cell, each.line, each.cause) for each in finding.steps[1:]] == [(3, 2, cause)]


@pytest.mark.kernel
def test_two_outputs_of_one_module_name_the_import(tmp_path: Path) -> None:
    lay_project(tmp_path, "def total():\n    return 5\n")
    page = "# %% [1]\nimport shop\n# %% [2]\nprint(shop.total())\n#> 3\n"
    steps = steps_of(page + "# %% [3]\nprint(shop.total() * 2)\n#> 6\n", tmp_path)
    assert steps[2][0] == (1, "imports `shop` of this project, which may have changed since")
    assert steps[3][0] == (2, "shows another output, too; cell 1 has a part in both")


AGAIN = """\
# %% [1]
import random
random.seed(1)
# %% [{one}]
first = random.random()
print(first)
#> 0.5
# %% [{two}]
print(round(first))
#> 0
# %% [{three}]
print("end")
#> end
"""


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("counts", "cause"),
    [
        ((5, 3, 4), "ran as [5], after cells below; may have run as [2] before, which no cell has"),
        ((5, 6, 4), "ran as [5], after cells below; may have run as [2] before, which no cell has"),
        ((2, 3, 4), None),
    ],
)
def test_a_cell_that_ran_again_may_have_run_before(
    tmp_path: Path, counts: tuple[int, int, int], cause: str | None
) -> None:
    one, two, three = counts
    steps = steps_of(AGAIN.format(one=one, two=two, three=three), tmp_path)
    expected = [cause] if cause else []
    assert [text for _, text in steps[2]] == [
        "may have been edited since it ran; so may cell 1",
        *expected,
    ]


@pytest.mark.kernel
def test_a_stale_cell_elsewhere_does_not_hide_what_another_order_gave(tmp_path: Path) -> None:
    page = """\
# %% [8]
rate = 3
# %% [2]
print(rate * 2)
#> 4
# %% [3]
waiting = [3, 1, 2]
# %% [7]
print(waiting.pop(0))
#> 1
# %% [5]
print(waiting)
#> [1, 2]
# %% [6]
print("end")
#> end
"""
    found = run(page, tmp_path, notes=False)
    assert [(each.code, each.location.cell) for each in found] == [("NBS201", 2), ("NBS403", 4)]
