"""What a suppression covers, and which suppressions are told to suppress nothing."""

from pathlib import Path

import pytest
from makenb import write
from rulecase import ended, facts_of, found, lines, raised, tried

from pytest_nbsafe.app.session import NotebookSession
from pytest_nbsafe.config import Config
from pytest_nbsafe.rules import evaluate, suppressions


def messages(text: str, config: Config | None = None) -> list[str]:
    return [f.message for f in evaluate(facts_of(text, config)) if f.code == "NBS907"]


def covered(text: str) -> list[str]:
    """Return each suppression as "cell:line word", with * where it goes for the whole cell."""
    return [
        f"{s.cell}:{s.span.line if s.span else 'tag'} {s.word}{'*' if s.whole else ''}"
        for s in suppressions.of(facts_of(text).notebook)
    ]


def test_what_a_suppression_covers() -> None:
    text = """\
# %% [1] tags=nbsafe:ignore=NBS1,nbsafe:ignore
# a heading

# NBSafe: ignore[NBS902, NBS101]
x = 1  # nbsafe: ignore why not
# nbsafe:ignore[NBS2]
"""
    assert covered(text) == [
        "1:tag NBS1*",
        "1:tag *",
        "1:3 NBS902*",
        "1:3 NBS101*",
        "1:4 ",
        "1:5 NBS2",
    ]


def test_the_first_line_below_a_cell_magic_covers_the_cell() -> None:
    text = "# %% [1]\n%%time\n# nbsafe: ignore[NBS902]\nx = 1  # nbsafe: ignore[NBS2]\n"
    assert covered(text) == ["1:2 NBS902*", "1:3 NBS2"]


@pytest.mark.parametrize(
    "line",
    [
        "x = '# nbsafe: ignore[NBS902]'",
        "x = '''\n# nbsafe: ignore[NBS902]\n'''",
        "x = f'{1} # nbsafe: ignore[NBS902] {2}'",
    ],
)
def test_what_only_looks_like_a_comment_is_none(line: str) -> None:
    assert covered(f"# %% [1]\n{line}\n") == []


def test_a_cell_with_magics_is_read_all_the_same() -> None:
    text = "# %% [1]\n!pip install x  # nbsafe: ignore[NBS902]\nx = '# nbsafe: ignore'\n"
    assert covered(text)[0] == "1:1 NBS902"


def test_one_unused_word_of_two_is_told() -> None:
    text = "# %% [1]\nprint(w)  # nbsafe: ignore[NBS101, NBS902]\n"
    assert messages(text) == [
        "this comment says `ignore[NBS902]`, but there is nothing to ignore on this line"
    ]


def test_a_word_that_is_no_code_is_told_with_the_nearest() -> None:
    text = "# %% [1] tags=nbsafe:ignore=undefined-nmae\nprint(w)  # nbsafe: ignore[NBS999]\n"
    claimed = [f for f in evaluate(facts_of(text)) if f.code == "NBS907"]
    assert [(f.message, f.remedy) for f in claimed] == [
        ("this tag ignores 'undefined-nmae', which is no code", "did you mean undefined-name?"),
        ("this comment ignores 'NBS999', which is no code", "did you mean NBS908?"),
    ]


@pytest.mark.parametrize(
    "word",
    ["", "[NBS401]", "[NBS201]", "[NBS101]", "[NBS4]"],
)
def test_what_a_run_may_still_use_is_not_called_unused(word: str) -> None:
    assert messages(f"# %% [1]\nx = 1  # nbsafe: ignore{word}\n") == []


def test_after_a_run_it_is() -> None:
    facts = facts_of("# %% [1]\nx = 1  # nbsafe: ignore[NBS401]\n", Config(notes=True))
    assert lines(evaluate(tried(facts))) == ["NBS907 1:1 proved warning"]
    assert lines(evaluate(tried(facts, raised(1, "ValueError", "no")))) == []


def test_a_cell_that_was_not_reached_says_nothing_of_its_suppressions() -> None:
    facts = facts_of("# %% [1]\nx = 1\n# %% [2]\ny = x  # nbsafe: ignore[NBS401]\n")
    assert lines(evaluate(tried(facts))) == ["NBS907 2:1 proved warning"]
    assert lines(evaluate(tried(facts, ended(2, "not-reached")))) == []


@pytest.mark.parametrize(
    "config",
    [Config(ignore=("NBS902",)), Config(select=("NBS907",)), Config(ignore=("NBS907",))],
    ids=["ignored", "not selected", "not asked about at all"],
)
def test_what_was_not_asked_about_is_not_unused(config: Config) -> None:
    assert messages("# %% [1]\nx = 1  # nbsafe: ignore[NBS902]\n", config) == []


def test_a_note_that_is_not_shown_is_not_judged() -> None:
    text = "# %% [1]\nx = 1  # nbsafe: ignore[NBS107]\n"
    assert messages(text) == []
    assert len(messages(text, Config(notes=True))) == 1


def test_it_can_be_silenced_itself() -> None:
    assert found("# %% [1]\nx = 1  # nbsafe: ignore[NBS902, NBS907]\n") == []


@pytest.mark.kernel
def test_a_run_tells_it_at_its_cell(tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    write(path, "# %% [1]\nx = 1  # nbsafe: ignore[NBS401]\n# %% [2]\nprint(x)\n#> 1\n")
    session = NotebookSession(path, Config(strict=True))
    try:
        assert session.outcome(1).status == "failed"
        assert session.outcome(2).status == "passed"
    finally:
        session.close()
