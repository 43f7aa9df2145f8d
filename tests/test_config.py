"""Settings: the nearest file, unknown keys that name the nearest known one, prefixes of codes."""

from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe.config import Config, for_path, matching, merge
from pytest_nbsafe.errors import NbsafeError


def test_options_lie_over_the_file() -> None:
    base = merge(Config(), {"order": "recorded", "strict": True}, "pyproject.toml")
    assert merge(base, {"order": "top-down"}, "options") == Config(order="top-down", strict=True)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"odrer": "auto"}, "did you mean order?"),
        ({"order": "upward"}, "one of auto, recorded, inferred, top-down"),
        ({"timeout": "long"}, "seconds for one cell"),
        ({"timeout": -1}, "seconds for one cell"),
        ({"timeout": True}, "seconds for one cell"),
        ({"timeout": "nan"}, "seconds for one cell"),
        ({"strict": "yes"}, "true or false"),
        ({"select": ["NBS2O1"]}, "did you mean NBS201?"),
        ({"select": 7}, "a list of codes"),
        ({"ignore": ["stale-outptu"]}, "did you mean stale-output?"),
        ({"kernel": 3}, "the name of a kernel"),
    ],
)
def test_a_wrong_setting_is_one_line_with_a_hint(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(NbsafeError) as raised:
        merge(Config(), settings, "here")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_selector_is_a_code_a_prefix_or_a_name() -> None:
    assert matching("NBS201") == ("NBS201",)
    assert matching("nbs20") == ("NBS201", "NBS202")
    assert matching("stale-read") == ("NBS202",)
    assert merge(Config(), {"select": "NBS20,NBS101,NBS201"}, "x").select == (
        "NBS201",
        "NBS202",
        "NBS101",
    )


def test_no_limit_is_written_as_zero() -> None:
    assert merge(Config(), {"timeout": 0}, "x").timeout_s is None
    assert merge(Config(), {"timeout": "1.5"}, "x").timeout_s == 1.5


def test_the_nearest_file_with_a_table_counts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.nbsafe]\norder = 'recorded'\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert for_path(inner / "nb.ipynb").order == "recorded"
    (tmp_path / "a" / "nbsafe.toml").write_text("strict = true\n")
    assert for_path(inner / "nb.ipynb") == Config(strict=True)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "nbsafe.toml").write_text("strict = \n")
    with pytest.raises(NbsafeError, match=r"nbsafe\.toml"):
        for_path(tmp_path / "nb.ipynb")
