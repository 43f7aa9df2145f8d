"""Each rule finds what its bad example marks, nothing else, and nothing in its good one."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from rulecase import found, lines, marked, run
from tiers import sampled

from pytest_nbsafe import rules
from pytest_nbsafe.app.explain import explain
from pytest_nbsafe.codes import CODES
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.libraries import keys
from pytest_nbsafe.rules import RULES, Rule

FOLDER = Path(rules.__file__).parent
RUN_RULES = [rule for rule in RULES if rule.needs == "run" or rule.code in {"NBS101", "NBS201"}]


def by_code(rule: Rule) -> str:
    return rule.code


def in_default_tier(rule: Rule) -> bool:
    return rule.code in {"NBS101", "NBS201", "NBS401"}


@pytest.mark.parametrize("rule", [r for r in RULES if r.needs != "run"], ids=by_code)
def test_static_examples(rule: Rule) -> None:
    shown = Config(named=(rule.code,))  # else a note is not asked for
    places = [line.rsplit(" ", 2)[0] for line in found(rule.module.BAD, shown)]
    assert marked(rule.module.BAD) == places
    assert found(rule.module.GOOD, shown) == []


@pytest.mark.kernel
@pytest.mark.parametrize("rule", sampled(RUN_RULES, in_default_tier), ids=by_code)
def test_run_examples(rule: Rule, tmp_path: Path) -> None:
    settings = {"timeout": 2} if rule.code == "NBS904" else {}
    bad = lines(run(rule.module.BAD, tmp_path, notes=False, **settings))
    assert marked(rule.module.BAD) == [line.rsplit(" ", 2)[0] for line in bad]
    assert lines(run(rule.module.GOOD, tmp_path, notes=False, **settings)) == []


def test_every_row_of_the_table_has_a_file_and_every_file_a_row() -> None:
    named = [f"{row.code}_{row.name}".lower().replace("-", "_") for row in CODES.values()]
    assert named == sorted(path.stem for path in FOLDER.glob("nbs*.py"))


@pytest.mark.parametrize("code", CODES)
def test_every_entry_is_complete(code: str) -> None:
    text = inspect.cleandoc(Rule(code).module.__doc__ or "")
    summary, _, rest = text.partition("\n\n")
    assert summary.endswith(".")
    assert len(summary) <= 100
    assert "Why it matters: " in rest
    assert "Limits: " in rest


def test_explain_shows_the_docs_and_both_examples() -> None:
    text = explain("NBS107")
    assert text.startswith("NBS107 never-run [note]\n\nThe cell has no count")
    assert "Bad:\n\n    # %% [1]\n    total = 3\n" in text
    assert "Good:\n\n    # %% [1]\n" in text


def test_explain_names_the_keys_of_a_table_of_a_library() -> None:
    known = {**keys.ROLES, **keys.EFFECTS, **keys.TRAITS}
    lines = explain("NBS301").split("In [tool.nbsafe.leakage")[1].split("\n")
    told = dict(line.split(maxsplit=1) for line in lines if line.startswith("    "))
    assert told == known


def test_explain_takes_names_and_prefixes() -> None:
    assert explain("stale-output") == explain("NBS201")
    family = [code for code in CODES if code.startswith("NBS1")]
    assert explain("NBS1").count("Why it matters:") == len(family)
    with pytest.raises(NbsafeError, match="there is no code"):
        explain("no-such-thing")


def test_selection_comes_before_one_fault_one_finding() -> None:
    figure = "# %% [4]\nf = 1\n# %% [2]\ng = [f]\n# %% [5]\nprint(g)\n"
    assert found(figure) == ["NBS201 3:1 suspected warning"]
    assert found(figure, Config(select=("NBS103",))) == ["NBS103 2:1 suspected warning"]
    assert found(figure, Config(ignore=("NBS201", "NBS103"))) == []
