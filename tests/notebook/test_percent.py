"""The text form: parsed, written as nbformat, and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import percent
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Cell, CellId, CellKind, Notebook, Output

EXAMPLE = """\
# kernel: python3
# language: python

# %% [markdown]
# # Title
#
# words
# %% [raw]
<b>
# %% [3] tags=raises-exception,slow
print(x)  #! NBS101

y
#> one
#>
#> two
#= 1
#= 2
#x NameError: name 'y' is not defined

# %%
# %% [ ]
z  #> no output
"""


def test_parse() -> None:
    notebook = percent.parse(EXAMPLE, "a.ipynb")
    assert (
        notebook.path,
        notebook.language,
        notebook.kernel_name,
    ) == ("a.ipynb", "python", "python3")
    assert [(c.kind, c.source, c.count, c.tags) for c in notebook.cells] == [
        ("markdown", "# Title\n\nwords", None, ()),
        ("raw", "<b>", None, ()),
        ("code", "print(x)  #! NBS101\n\ny", 3, ("raises-exception", "slow")),
        ("code", "", None, ()),
        ("code", "z  #> no output", None, ()),
    ]
    assert (
        Output("stream", name="stdout", text="one\n\ntwo\n"),
        Output("execute_result", text="1\n2"),
        Output("error", ename="NameError", evalue="name 'y' is not defined"),
    ) == notebook.cells[2].outputs


def test_languages_and_headers() -> None:
    assert percent.parse("# language: r\n# %%\nx").language == "r"
    assert percent.parse("# kernel: ir\n# %%\nx").language == "r"
    assert percent.parse("").cells == ()
    with pytest.raises(ValueError, match="line 2"):
        percent.parse("\nx\n# %%")


def valid(notebook: Notebook) -> dict[str, Any]:
    import nbformat

    data = percent.to_json(notebook)
    nbformat.validate(data)
    return data


def test_what_is_written_is_valid_and_reads_back(tmp_path: Path) -> None:
    notebook = percent.parse(EXAMPLE, str(tmp_path / "a.ipynb"))
    valid(notebook)
    percent.write(notebook, Path(notebook.path))
    again = load.read(Path(notebook.path))
    assert shape(notebook) == shape(again)
    assert all(cell.file_lines for cell in again.cells)


def test_lone_surrogates_are_written_escaped(tmp_path: Path) -> None:
    notebook = percent.parse("# %%\n'\ud800'")
    percent.write(notebook, tmp_path / "a.ipynb")
    assert load.read(tmp_path / "a.ipynb").cells[0].source == "'\ud800'"


def shape(notebook: Notebook) -> tuple[Any, ...]:
    cells = [(c.id, c.kind, c.source, c.count, c.outputs, c.tags) for c in notebook.cells]
    return (cells, notebook.language, notebook.python_major, notebook.kernel_name)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
OUTPUTS = st.one_of(
    st.builds(Output, st.just("stream"), name=st.sampled_from(["stdout", "stderr"]), text=TEXT),
    st.builds(
        Output,
        st.sampled_from(["execute_result", "display_data"]),
        text=TEXT,
        data=st.dictionaries(st.sampled_from(["text/html", "image/png"]), TEXT),
    ),
    st.builds(
        Output,
        st.just("error"),
        ename=TEXT,
        evalue=TEXT,
        traceback=st.lists(TEXT, max_size=2).map(tuple),
    ),
)


KINDS: list[CellKind] = ["code", "markdown", "raw"]


@st.composite
def notebooks(draw: st.DrawFn) -> Notebook:
    cells = []
    for number in range(1, draw(st.integers(0, 4)) + 1):
        kind = draw(st.sampled_from(KINDS))
        code = kind == "code"
        cells.append(
            Cell(
                CellId(f"cell-{number}"),
                number,
                kind,
                draw(TEXT),
                draw(st.none() | st.integers(1, 99)) if code else None,
                tuple(draw(st.lists(OUTPUTS, max_size=2))) if code else (),
                tuple(draw(st.lists(st.sampled_from(["a", "slow", "b-c"]), unique=True))),
            )
        )
    language = draw(st.sampled_from(["python", "r", "julia"]))
    return Notebook("a.ipynb", tuple(cells), language, 3, draw(st.sampled_from([None, "k"])))


@given(notebooks())
def test_round_trip_through_json(notebook: Notebook) -> None:
    text = json.dumps(valid(notebook))
    assert shape(notebook) == shape(load.loads(text, "a.ipynb"))


def as_text(notebook: Notebook) -> str:
    """Write the parts of a notebook that the text form can hold."""
    lines = [f"# language: {notebook.language}"]
    if notebook.kernel_name:
        lines.append(f"# kernel: {notebook.kernel_name}")
    for cell in notebook.cells:
        kind = cell.kind if cell.kind != "code" else str(cell.count or "")
        tags = f" tags={','.join(cell.tags)}" if cell.tags else ""
        lines.append(f"# %% [{kind}]{tags}")
        lines += cell.source.split("\n")
        for output in cell.outputs:
            if output.kind == "stream":
                lines += (f"#> {line}" for line in output.text.removesuffix("\n").split("\n"))
            elif output.kind == "execute_result":
                lines += (f"#= {line}" for line in output.text.split("\n"))
            else:
                lines.append(f"#x {output.ename}: {output.evalue}")
    return "\n".join(lines)


LINES = st.lists(st.sampled_from(["x", "", "a b", "é", "1 "]), min_size=1, max_size=3)
SIMPLE = st.lists(
    st.one_of(
        st.builds(
            Output,
            st.just("stream"),
            name=st.just("stdout"),
            text=LINES.map(lambda lines: "".join(f"{line}\n" for line in lines)),
        ),
        st.builds(Output, st.just("execute_result"), text=LINES.map("\n".join)),
        st.builds(Output, st.just("error"), ename=st.just("E"), evalue=st.just("v: w")),
    ),
    max_size=3,
    unique_by=lambda output: output.kind,
).map(tuple)


@given(notebooks(), st.data())
def test_round_trip_through_text(notebook: Notebook, data: st.DataObject) -> None:
    cells = tuple(
        Cell(
            c.id,
            c.number,
            c.kind,
            data.draw(st.sampled_from(["", "x = 1", "x\n\n  y  #! NBS101", "%ls\nz?"])),
            c.count,
            data.draw(SIMPLE) if c.kind == "code" else (),
            c.tags,
        )
        for c in notebook.cells
    )
    notebook = Notebook("a.ipynb", cells, notebook.language, 3, notebook.kernel_name)
    assert shape(notebook) == shape(percent.parse(as_text(notebook), "a.ipynb"))
