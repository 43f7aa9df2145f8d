"""Settings: the nearest file, unknown keys that name the nearest known one, prefixes of codes."""

from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe.config import Config, for_path, merge, of_notebook
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.keys import Contract, matching
from pytest_nbsafe.options import OPTIONS


def test_options_lie_over_the_file() -> None:
    base = merge(Config(), {"order": "recorded", "strict": True}, "pyproject.toml")
    assert merge(base, {"order": "top-down"}, "options") == Config(order="top-down", strict=True)


@pytest.mark.parametrize("key", [option.key for option in OPTIONS])
def test_every_option_is_a_setting(key: str) -> None:
    with pytest.raises(NbsafeError, match=f"here: {key} cannot be"):
        merge(Config(), {key: object()}, "here")


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
        ({"ignore": ["NBS77"]}, "here: ignore: there is no code 'NBS77' (did you mean"),
        ({"kernel": 3}, "the name of a kernel"),
        ({"jobs": "many"}, "a number of processes"),
        ({"jobs": -1}, "a number of processes"),
        ({"jobs": True}, "a number of processes"),
        ({"cache": 1}, "true or false"),
        ({"per-file-ignores": ["NBS1"]}, "a table from globs to lists of codes"),
        ({"per-file-ignores": {"*.ipynb": ["NBS2O1"]}}, "did you mean NBS201?"),
        ({"per-file-ignores": {"*.ipynb": 7}}, "a table from globs to lists of codes"),
        ({"contract": {"name": "a"}}, "tables, each [[tool.nbsafe.contract]]"),
        ({"contract": [{"name": "a"}]}, "here: contract 1: it has no sql"),
        ({"contract": [{"name": "a", "sql": "x"}, {"nmae": "b"}]}, "did you mean name?"),
        ({"contract": [{"name": "a", "sql": "x", "severity": "bad"}]}, "one of error, warning"),
        ({"contract": [{"name": "a", "sql": 3}]}, "contract 1: sql cannot be 3 (a text)"),
        ({"run": {"match": "a"}}, "tables, each [[tool.nbsafe.run]]"),
        ({"run": [{"cwd": "a"}]}, "here: run 1: it has no match"),
        ({"run": [{"match": 3}]}, "run 1: match cannot be 3 (a list of globs)"),
        ({"run": [{"match": "a"}, {"match": "b", "timeuot": 3}]}, "did you mean timeout?"),
        ({"run": [{"match": "a", "timeout": "x"}]}, "run 1: timeout cannot be 'x' (seconds for"),
        ({"run": [{"match": "a", "env": {"A": 3}}]}, "run 1: env: A is no text"),
        ({"run": [{"match": "a", "parameters": {"a-b": 3}}]}, "'a-b' is no name of Python"),
        ({"leakage": {"transformer": ["A"]}}, "tables, each [tool.nbsafe.leakage."),
        ({"leakage": ["A"]}, "tables, each [tool.nbsafe.leakage."),
        ({"leakage": "statc"}, "one of both, static, runtime"),
        ({"leakage": {"mode": "all"}}, "one of both, static, runtime"),
    ],
)
def test_a_wrong_setting_is_one_line_with_a_hint(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(NbsafeError) as raised:
        merge(Config(), settings, "here")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_selector_is_a_code_a_prefix_or_a_name() -> None:
    assert matching("NBS201") == ("NBS201",)
    assert matching("nbs20") == ("NBS201", "NBS202", "NBS203", "NBS205")
    assert matching("stale-read") == ("NBS202",)
    assert merge(Config(), {"select": "NBS20,NBS101,NBS201"}, "x").select == (
        "NBS201",
        "NBS202",
        "NBS203",
        "NBS205",
        "NBS101",
    )


def test_codes_that_are_named_one_by_one_are_kept_apart() -> None:
    config = merge(Config(), {"select": ["NBS20", "NBS105,never-run"]}, "x")
    assert config.named == ("NBS105", "NBS107")
    assert merge(config, {"select": "NBS1"}, "options").named == ()


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
    folder = str((tmp_path / "a").resolve())
    assert for_path(inner / "nb.ipynb") == Config(strict=True, folder=folder)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "nbsafe.toml").write_text("strict = \n")
    with pytest.raises(NbsafeError, match=r"nbsafe\.toml"):
        for_path(tmp_path / "nb.ipynb")


def test_a_file_of_our_own_has_no_tables_of_pyproject(tmp_path: Path) -> None:
    (tmp_path / "nbsafe.toml").write_text("[tool.nbsafe]\nstrict = true\n")
    with pytest.raises(NbsafeError, match=r"unknown key 'tool' \(leave out `tool\.nbsafe`"):
        for_path(tmp_path / "nb.ipynb")


def test_contracts_are_read_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "nbsafe.toml").write_text("""
[[contract]]
name = "short cells"
sql = "SELECT cell FROM cells WHERE lines > 60"
severity = "warning"
[[contract]]
name = "no pickle"
sql = "SELECT cell, line FROM imports WHERE module = 'pickle'"
message = "pickle runs code"
""")
    assert for_path(tmp_path / "nb.ipynb").contracts == (
        Contract("short cells", "SELECT cell FROM cells WHERE lines > 60", "", "warning"),
        Contract(
            "no pickle",
            "SELECT cell, line FROM imports WHERE module = 'pickle'",
            "pickle runs code",
        ),
    )


def test_what_a_user_knows_of_his_libraries_is_kept_as_text(tmp_path: Path) -> None:
    (tmp_path / "nbsafe.toml").write_text("""
[leakage."ourlib.prep"]
transformer = ["Scaler"]
""")
    kept = for_path(tmp_path / "nb.ipynb").leakage
    assert kept == '{"ourlib.prep": {"transformer": ["Scaler"]}}'


def test_where_leaks_are_looked_for_stands_beside_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "nbsafe.toml").write_text("""
[leakage]
mode = "static"
ourlib = { transformer = ["Scaler"] }
""")
    config = for_path(tmp_path / "nb.ipynb")
    tables = '{"ourlib": {"transformer": ["Scaler"]}}'
    assert (config.leakage_mode, config.leakage) == ("static", tables)
    by_hand = merge(config, {"leakage": "runtime"}, "--leakage")
    assert (by_hand.leakage_mode, by_hand.leakage) == ("runtime", tables)


def test_a_baseline_of_the_file_is_beside_it_one_by_hand_is_here(tmp_path: Path) -> None:
    (tmp_path / "nbsafe.toml").write_text("baseline = 'known.json'\n")
    config = for_path(tmp_path / "nb.ipynb")
    assert config.baseline == str(tmp_path.resolve() / "known.json")
    assert merge(config, {"baseline": "other.json"}, "--baseline").baseline == "other.json"


@pytest.mark.parametrize(("jobs", "number"), [(1, 1), ("4", 4), ("auto", 0)])
def test_jobs(jobs: object, number: int) -> None:
    assert merge(Config(), {"jobs": jobs}, "x").jobs == number


def test_a_pyproject_of_others_is_not_parsed(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool.other\n")
    assert for_path(tmp_path / "nb.ipynb") == Config()
    file.write_text("[tool.nbsafe\n")
    with pytest.raises(NbsafeError, match=r"pyproject\.toml"):
        for_path(tmp_path / "nb.ipynb")


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "nbsafe.toml"
    file.write_text("strict = true\n")
    assert for_path(tmp_path / "nb.ipynb").strict
    file.write_text("strict = false\n")
    assert not for_path(tmp_path / "nb.ipynb").strict


def test_a_run_table_lies_over_the_file_and_options_over_it(tmp_path: Path) -> None:
    tmp_path.joinpath("nbsafe.toml").write_text(
        """
        timeout = 5
        [[run]]
        match = "a*"
        timeout = 0
        runs = 1
        kernel = "ir"
        cwd = "data"
        env = { A = "1", B = "1" }
        [[run]]
        match = ["*/ab.ipynb", "ab.ipynb"]
        env = { B = "2" }
        parameters = { rate = 0.5, none = [true, inf], table = { a = "x" } }
        """
    )
    config = of_notebook(tmp_path / "ab.ipynb", {"kernel": "python3"})
    assert (config.timeout_s, config.runs, config.kernel) == (None, 1, "python3")
    assert config.cwd == str(tmp_path / "data")
    assert config.environ == (("A", "1"), ("B", "2"))
    parameters = dict(config.parameters)
    assert parameters.pop("none") == "[True, float('inf')]"
    assert parameters == {"rate": "0.5", "table": "{'a': 'x'}"}
    assert of_notebook(tmp_path / "b.ipynb", {}).timeout_s == 5
