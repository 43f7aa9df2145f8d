"""Names that no cell seems to define, and text that no cell seems to be."""

from __future__ import annotations

import pytest
from rulecase import found

from pytest_nbsafe.config import Config

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


def test_ipython_compiles_one_statement_after_the_other() -> None:
    text = "# %% [1]\nx = 1\nfrom __future__ import annotations\nimport math\n# %% [2]\nmath.pi\n"
    assert [line for line in found(text) if "NBS902" in line or "NBS101" in line] == []


def test_what_ipython_does_not_compile() -> None:
    assert [line.split()[0] for line in found("# %% [1]\nx = 1\nreturn x\n")][:1] == ["NBS902"]
