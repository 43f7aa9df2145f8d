"""Notebooks as Python or Markdown text: every line of a cell knows its line in the file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from textwrap import dedent

import pytest
import tiers

from pytest_nbsafe.app.check import check
from pytest_nbsafe.cli import main
from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.notebook.unreadable import Unreadable

jupytext = pytest.importorskip("jupytext")

PERCENT = """\
    # ---
    # title: A page
    # ---

    # %% [markdown]
    # x = 1
    # is text

    # %% tags=["slow"]
    # %matplotlib inline
    def f():

        return missing
    # a comment
    # %%
    x = f()
    """
MYST = """\
    # Title

    ```{code-cell} ipython3
    :tags: [slow]

    x = 1
    # a comment
    ```

    ```{code-cell}
    print(missing)
    ```
    """
QUARTO = """\
    ---
    title: hello
    jupyter: python3
    ---

    ```{python}
    #| eval: false
    x = 1
    ```

    ```{.python}
    only = "shown"
    ```

    ```{python}
    #| error: true
    %matplotlib inline
    print(missing)
    ```
    """
MARIMO = '''\
    import marimo

    app = marimo.App(width="medium")

    with app.setup:
        import math


    @app.cell
    def _(y):
        # nbsafe: ignore[NBS405]
        print(y)
        text = """
      kept
    """
        return (text,)


    @app.cell(hide_code=True)
    def _(x):
        y = math.sqrt(x)
        return (y,)


    @app.cell
    def _():
        x = missing
        return (x,)


    @app.function
    def area(r):
        return r * r


    app._unparsable_cell("x = = 1", name="_")

    if __name__ == "__main__":
        app.run()
    '''


def read(text: str, name: str) -> Notebook:
    return load.loads(dedent(text), name)


@pytest.mark.parametrize(
    ("text", "name"),
    [(PERCENT, "n.py"), (MYST, "n.md"), (QUARTO, "n.qmd"), (MARIMO, "n.py")],
    ids=("percent", "myst", "quarto", "marimo"),
)
def test_every_line_of_code_stands_where_it_says(text: str, name: str) -> None:
    written = dedent(text).split("\n")
    notebook = read(text, name)

    for cell in notebook.code_cells:
        for number, line in enumerate(cell.source.split("\n"), 1):
            at = cell.file_line(number)
            assert at is not None
            assert line.strip() in written[at - 1]
    missing = [
        cell.file_line(number)
        for cell in notebook.code_cells
        for number, line in enumerate(cell.source.split("\n"), 1)
        if "missing" in line
    ]
    assert missing == [number for number, line in enumerate(written, 1) if "missing" in line]


def test_tags_and_options() -> None:
    assert [cell.tags for cell in read(PERCENT, "n.py").code_cells] == [("slow",), ()]
    assert [cell.tags for cell in read(MYST, "n.md").code_cells] == [("slow",), ()]
    quarto = read(QUARTO, "n.qmd")
    assert [cell.tags for cell in quarto.code_cells] == [("skip-execution",), ("nbsafe:may-raise",)]
    assert quarto.kernel_name == "python3"


def test_other_languages_are_not_python() -> None:
    notebook = read("```{r}\nx <- 1\n```\n", "n.qmd")

    assert notebook.language == "r"


def test_marimo_cells_come_after_what_they_read() -> None:
    sources = [cell.source for cell in read(MARIMO, "n.py").code_cells]

    assert sources == [
        "import math",
        "x = missing",
        "y = math.sqrt(x)",
        '# nbsafe: ignore[NBS405]\nprint(y)\ntext = """\n  kept\n"""',
        "def area(r):\n    return r * r",
        "x = = 1",
    ]


def test_marimo_names_that_hang_in_a_circle_stay_as_they_stand() -> None:
    text = """\
        app = marimo.App()
        @app.cell
        def _(b):
            a = b
            return a,
        @app.cell
        def _(a):
            b = a
            return b,
        """

    assert [cell.source for cell in read(text, "n.py").cells] == ["a = b", "b = a"]


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("import os\n", "module.py", "this Python file holds no cells"),
        ("# A project\n\n```python\nimport os\n```\n", "README.md", "this Markdown file holds no"),
        ("# Text\n", "page.qmd", "this Quarto file holds no"),
        ("app = marimo.App()\nx = = 1\n", "n.py", "not valid Python"),
        ("", "n.py", "holds no cells"),
    ],
)
def test_what_is_no_notebook(text: str, name: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        load.loads(text, name)


def test_without_jupytext_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jupytext", None)
    path = tmp_path / "n.md"
    path.write_text(dedent(MYST))

    assert main(["check", str(path)]) == 2
    shown = capsys.readouterr().out
    assert "needs jupytext, which is not installed" in shown
    assert "pip install 'pytest-nbsafe[jupytext]'" in shown


def test_a_finding_names_the_files_own_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "n.md"
    path.write_text(dedent(MYST))

    assert main(["check", "--no-cache", str(path)]) == 1
    assert f"{path}:11  error NBS101" in capsys.readouterr().out


def test_in_folders_include_names_what_is_a_notebook(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("README.md", "docs/page.md", "tests/test_it.py", "nb/page.py"):
        path = pytester.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(PERCENT if name.endswith("py") else MYST))
    assert main(["check", "--no-cache", str(pytester.path)]) == 0
    assert "in 0 notebooks" in capsys.readouterr().out

    (pytester.path / "nbsafe.toml").write_text('include = ["docs/*.md", "nb/*.py", "tests/**"]')
    assert main(["check", "--no-cache", str(pytester.path)]) == 1
    assert "in 2 notebooks" in capsys.readouterr().out
    assert main(["check", "--force-exclude", str(pytester.path / "README.md")]) == 0

    collected = pytester.runpytest("--nbsafe", "--collect-only", "-q", "docs", "nb/page.py")
    collected.stdout.fnmatch_lines(
        ["docs/page.md::cell-2", "docs/page.md::cell-3", "docs/page.md::notebook", "nb/page.py::*"]
    )
    collected.stdout.no_fnmatch_line("*Module*")


def test_text_that_nothing_else_collects_is_a_notebook_where_it_is_named(
    pytester: pytest.Pytester,
) -> None:
    for name in ("page.md", "other.md"):
        (pytester.path / name).write_text(dedent(MYST))
    (pytester.path / "test_page.py").write_text(dedent(PERCENT))

    named = pytester.runpytest("--nbsafe", "--collect-only", "-q", "page.md")
    named.stdout.fnmatch_lines(["page.md::cell-2", "page.md::cell-3", "page.md::notebook"])
    in_folder = pytester.runpytest("--nbsafe", "--collect-only", "-q", ".")
    in_folder.stdout.no_fnmatch_line("*.md*")
    doctests = pytester.runpytest("--nbsafe", "--doctest-glob=*.md", "--co", "-q", "page.md")
    doctests.stdout.no_fnmatch_line("*cell-2*")
    module = pytester.runpytest("--nbsafe", "--collect-only", "-q", "test_page.py")
    module.stdout.no_fnmatch_line("*cell-2*")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.md", "---\nkernelspec:\n  name: python3\n---\n\n```{code-cell}\nmissing\n```\n"),
        (
            "page.py",
            "# ---\n# jupyter:\n#   kernelspec:\n#     name: python3\n# ---\n\n# %%\nmissing\n",
        ),
    ],
)
def test_a_kernel_needs_no_name_to_be_shown_by(name: str, text: str) -> None:
    notebook = load.loads(text, name)
    assert notebook.kernel_name == "python3"
    assert [cell.source for cell in notebook.code_cells] == ["missing"]
    assert text.split("\n").index("missing") + 1 == notebook.code_cells[0].file_line(1)


def test_a_page_without_counts_is_not_said_to_have_never_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "n.py"
    path.write_text("# %%\nprint(total)\n# %%\ntotal = 3\n")

    assert main(["check", "--no-cache", str(path)]) == 1
    shown = capsys.readouterr().out
    assert "1. cell 1 (line 1): reads `total`\n" in shown
    assert "never run" not in shown


@pytest.mark.kernel
def test_text_is_run(pytester: pytest.Pytester) -> None:
    (pytester.path / "nbsafe.toml").write_text('include = ["*.py"]')
    text = "# %% [markdown]\n# Text\n# %%\nx = 1\n# %%\nprint(x)\nraise KeyError(x)\n"
    (pytester.path / "page.py").write_text(text)

    result = pytester.runpytest("--nbsafe")

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["page.py:7, cell 3, line 2: NBS401*"])


ROOT = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize("form", ["py:percent", "md:myst"])
@pytest.mark.parametrize("path", tiers.every(40, sorted(ROOT.rglob("*.ipynb"))), ids=str)
def test_a_converted_notebook_has_the_same_findings(path: Path, form: str, tmp_path: Path) -> None:
    try:
        original = load.read(path)
        data = json.loads(path.read_bytes())
    except (Unreadable, ValueError):
        pytest.skip("not a notebook")
    if original.language != "python" or data.get("nbformat") != 4:
        pytest.skip("not a notebook of Python of today")
    bare = tmp_path / "bare.ipynb"
    for cell in data["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    bare.write_text(json.dumps(data, indent=1))
    try:
        text = jupytext.writes(jupytext.read(bare), fmt=form)
    except (Warning, ValueError, KeyError):
        pytest.skip("jupytext cannot write it")
    converted = tmp_path / f"converted.{form[:2]}"
    converted.write_text(text)

    assert found(converted) == found(bare)


def found(path: Path) -> list[tuple[str, str]]:
    """Return the codes of the findings, and the text of the file at the line of each."""
    lines = path.read_text().split("\n")
    is_json = path.suffix == ".ipynb"
    report = check([path], {"cache": False})
    return [
        (finding.code, text_of(lines[(finding.file_line or 1) - 1], is_json=is_json))
        for finding in report.findings
        if finding.location.cell
    ]


def text_of(line: str, *, is_json: bool) -> str:
    text = json.loads(line.strip().removesuffix(",")) if is_json else line
    return str(text).strip().lstrip("# ").rstrip()
