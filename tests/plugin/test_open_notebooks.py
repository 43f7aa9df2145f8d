"""How many notebooks are open at once, for which cells, and that each is closed."""

import pytest
from makenb import CLEAN, write

STATIC = ("--nbsafe", "--nbsafe-static", "-p", "no:cacheprovider")

WATCHED = """
    import pytest
    from pytest_nbsafe.app import session

    class Watched(session.NotebookSession):
        def __init__(self, path, config, selected=None, *listener):
            super().__init__(path, config, selected, *listener)
            self.name = path.stem
            if COLLECTED:
                print(f"\\nopen {self.name} {sorted(selected) if selected is not None else 'all'}")
        def close(self):
            print(f"\\nclose {self.name}")

    COLLECTED = []
    session.NotebookSession = Watched

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(items):
        COLLECTED.append(True)
        %s
"""


def watched(pytester: pytest.Pytester, *arguments: str, shuffle: str = "") -> list[str]:
    """Return what was opened and closed, one after another."""
    pytester.makeconftest(WATCHED % shuffle)
    lines = pytester.runpytest_subprocess(*STATIC, "-s", *arguments).outlines
    return [line for line in lines if line.startswith(("open ", "close "))]


def test_one_notebook_after_the_other(pytester: pytest.Pytester) -> None:
    for name in "ab":
        write(pytester.path / f"{name}.ipynb", CLEAN)
    assert watched(pytester) == ["open a all", "close a", "open b all", "close b"]


def test_only_what_was_selected(pytester: pytest.Pytester) -> None:
    write(pytester.path / "a.ipynb", CLEAN)
    assert watched(pytester, "-k", "cell-2") == ["open a [2]", "close a"]
    assert watched(pytester, "-k", "notebook") == ["open a []", "close a"]


def test_a_stopped_run_closes_too(pytester: pytest.Pytester) -> None:
    write(pytester.path / "a.ipynb", "# %%\nprint(missing_name)\n# %%\nb = 1\n")
    assert watched(pytester, "-x") == ["open a all", "close a"]


@pytest.mark.corpus
def test_an_interrupted_run_closes_too(pytester: pytest.Pytester) -> None:
    write(pytester.path / "a.ipynb", CLEAN)
    pytester.makeconftest("")
    interrupt = """
    class Interrupting(Watched):
        def outcome(self, cell):
            raise KeyboardInterrupt
    session.NotebookSession = Interrupting
"""
    pytester.makeconftest(WATCHED % "" + interrupt)
    result = pytester.runpytest_subprocess(*STATIC, "-s")
    assert result.ret is pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["open a all", "close a"])


def test_shuffled_items_open_each_notebook_once(pytester: pytest.Pytester) -> None:
    for name in "abc":
        write(pytester.path / f"{name}.ipynb", CLEAN)
    lines = watched(pytester, shuffle="items.sort(key=lambda item: item.name)")
    assert sorted(lines[:3]) == ["open a all", "open b all", "open c all"]
    assert sorted(lines[3:]) == ["close a", "close b", "close c"]


@pytest.mark.corpus
def test_no_more_than_three_are_open(pytester: pytest.Pytester) -> None:
    for name in "abcde":
        write(pytester.path / f"{name}.ipynb", CLEAN)
    open_now = most = 0
    for line in watched(pytester, shuffle="items.sort(key=lambda item: item.name)"):
        open_now += 1 if line.startswith("open") else -1
        most = max(most, open_now)
    assert (open_now, most) == (0, 4)  # the fourth is opened just before the first is closed
