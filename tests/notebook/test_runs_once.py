"""Which notebooks ask to be run once."""

import percent
import pytest

from pytest_nbsafe.notebook.model import runs_once
from pytest_nbsafe.values import replace


@pytest.mark.parametrize(
    ("asks", "tags", "metadata"),
    [
        ("no", "", {}),
        ("yes", " tags=nbsafe:once", {}),
        ("yes", "", {"nbsafe": {"once": True}}),
        ("no", "", {"nbsafe": {"once": "yes"}}),
        ("no", "", {"nbsafe": ["once"]}),
    ],
)
def test_who_asks_to_run_once(asks: str, tags: str, metadata: dict[str, object]) -> None:
    notebook = percent.parse(f"# %%{tags}\na = 1\n")
    assert runs_once(replace(notebook, metadata=metadata)) is (asks == "yes")
