"""Names that no cell seems to define, and text that no cell seems to be."""

from __future__ import annotations

from pathlib import Path

import pytest
from rulecase import facts_of, found, run

from pytest_nbsafe.config import Config
from pytest_nbsafe.rules import evaluate

CALLBACK = """\
# %% [1]
from ipywidgets import interact
@interact(n=(0, 10))
def show(n=3):
    global last
    last = n
# %% [2]
print(last)
"""


@pytest.mark.parametrize(
    "text",
    [
        CALLBACK,
        "# %% [1]\nget_ipython().user_ns['made'] = 3\n# %% [2]\nprint(made)\n",
        "# %% [1]\nip = get_ipython()\nip.user_ns.update({'made': 3})\n# %% [2]\nprint(made)\n",
    ],
)
def test_names_that_something_else_binds(text: str) -> None:
    assert not [line for line in found(text) if "NBS101" in line and "proved" in line]


def test_a_local_name_of_a_function_is_not_one_of_the_notebook() -> None:
    text = CALLBACK.replace("    global last\n", "")
    assert [line.split()[0] for line in found(text) if "NBS101" in line] == ["NBS101"]


@pytest.mark.parametrize(
    ("config", "missing"),
    [
        (Config(), ["1", "2"]),
        (Config(builtins=("get_pricing",)), ["1"]),
        (Config(platform="databricks"), ["2"]),
        (Config(platform="colab"), ["1", "2"]),
    ],
)
def test_names_that_the_kernel_brings_along(config: Config, missing: list[str]) -> None:
    text = "# %% [1]\nspark.read.csv('a.csv')\n# %% [2]\nget_pricing('SPY')\n"
    lines = [line.split() for line in found(text, config) if "NBS101" in line]
    assert [place.partition(":")[0] for _, place, *_ in lines] == missing


def test_only_what_was_surely_read_must_have_been_there() -> None:
    text = "# %% [1]\nimport sys\nif sys.argv:\n    print({name})\n"
    sure, in_branch, platform = (
        next(f for f in evaluate(facts_of(each)) if f.code == "NBS101")
        for each in (
            "# %% [1]\nprint(lost)\n",
            text.format(name="lost"),
            text.format(name="dbutils"),
        )
    )
    assert "a cell since edited or deleted still defined it" in sure.steps[-1].cause
    assert in_branch.steps[-1].cause == "reads `lost`"
    assert platform.remedy.startswith('set `platform = "databricks"` where its kernel brings')


def test_ipython_compiles_one_statement_after_the_other() -> None:
    text = "# %% [1]\nx = 1\nfrom __future__ import annotations\nimport math\n# %% [2]\nmath.pi\n"
    assert [line for line in found(text) if "NBS902" in line or "NBS101" in line] == []


def test_what_ipython_does_not_compile() -> None:
    assert [line.split()[0] for line in found("# %% [1]\nx = 1\nreturn x\n")][:1] == ["NBS902"]


DELETED = """\
# %% [1]
big = [1, 2]
def look():
    return big
# %% [2]{tags}
{deletes}
# %% [3]
print({reads})
"""


@pytest.mark.parametrize(
    ("deletes", "reads", "expected"),
    [
        ("del big", "big", ["NBS101 3:1 proved error"]),
        ("del big", "look()", ["NBS101 3:1 suspected warning"]),
        ("%xdel big", "big", ["NBS101 3:1 proved error"]),
        ("if look():\n    del big", "big", []),
        ("del big[0]", "big", []),
        ("del big\nbig = 3", "big", []),
        ("def drop():\n    global big\n    del big", "big", []),
    ],
)
def test_a_name_that_a_cell_above_deletes(deletes: str, reads: str, expected: list[str]) -> None:
    text = DELETED.format(tags="", deletes=deletes, reads=reads)
    assert [line for line in found(text) if "NBS101" in line or "NBS102" in line] == expected


def test_what_a_skipped_cell_deletes_is_still_there() -> None:
    text = DELETED.format(tags=" tags=skip-execution", deletes="del big", reads="big")
    assert [line for line in found(text) if "NBS101" in line] == []


def test_a_deleted_name_that_is_made_again_below_is_one_finding() -> None:
    text = DELETED.format(tags="", deletes="del big", reads="big")
    text = text.replace("[3]", "[4]") + "# %% [3]\nbig = [3]\n"
    assert [line for line in found(text) if "note" not in line] == ["NBS101 3:1 proved error"]


@pytest.mark.kernel
def test_a_run_names_the_cell_that_deletes(tmp_path: Path) -> None:
    findings = run(DELETED.format(tags="", deletes="del big", reads="look()"), tmp_path)
    errors = [f for f in findings if f.severity == "error"]
    assert [(f.code, f.location.cell, f.message) for f in errors] == [
        ("NBS101", 3, "`big` is read here, but cell 2 deletes it")
    ]
