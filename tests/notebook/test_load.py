"""Reading .ipynb files: lines, outputs, languages, and every way in which a file can be bad."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe import files
from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.load import Unreadable
from pytest_nbsafe.notebook.model import Cell, Notebook, Output

CORPUS = Path(__file__).parents[2].parent / "shared/notebooks"


def raw(*cells: dict[str, Any], **more: Any) -> dict[str, Any]:
    code = {"cell_type": "code", "metadata": {}, "source": "", "outputs": []}
    return {"cells": [code | c for c in cells], "metadata": {}, "nbformat": 4} | more


def loaded(*cells: dict[str, Any], indent: int | None = 1, **more: Any) -> Notebook:
    return load.loads(json.dumps(raw(*cells, **more), indent=indent), "nb.ipynb")


def only(**cell: Any) -> Cell:
    return loaded(cell).cells[0]


def unreadable(text: str) -> tuple[int, str]:
    with pytest.raises(Unreadable) as caught:
        load.loads(text, "nb.ipynb")
    assert caught.value.hint
    return caught.value.line, caught.value.message


# Lines


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (["a\n", "b\n", "c"], (7, 8, 9)),
        ("a\nb", (6, 6)),
        (["a\nb\n", "c"], (7, 7, 8)),
        (["a", "b\n", "c"], (7, 9)),
        (["a\n", "", "b\n"], (7, 9, 9)),
        ([], (6,)),
        ([""], (6,)),
        ("", (6,)),
    ],
)
def test_source_lines_know_their_line_in_the_file(
    source: list[str] | str, lines: tuple[int, ...]
) -> None:
    cell = only(source=source)
    assert lines == cell.file_lines
    assert cell.source == "".join(source)


def test_lines_of_a_file_on_one_line_and_of_other_key_orders() -> None:
    one_line = json.dumps(raw({"source": ["a\n", "b"]}))
    assert load.loads(one_line, "").cells[0].file_lines == (1, 1)
    odd = '\n{"cells"\n:[{"source"\n:["a\\n"\n,\n"\\u0062\\n",\n"]"],"cell_type":"code"}]'
    odd += ',"nbformat":4}'
    cell = load.loads(odd, "").cells[0]
    assert (cell.source, cell.file_lines) == ("a\nb\n]", (4, 6, 7))


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the shared notebooks")
def test_lines_of_the_corpus_hold_the_text() -> None:
    read = 0
    for path in sorted(CORPUS.rglob("*.ipynb")):
        physical = path.read_text(encoding="utf-8-sig").split("\n")
        for cell in load.read(path).cells:
            texts = cell.source.split("\n")
            assert len(texts) == len(cell.file_lines)
            for text, line in zip(texts, cell.file_lines, strict=True):
                forms = (json.dumps(text, ensure_ascii=a)[1:-1] for a in (True, False))
                assert any(form in physical[line - 1] for form in forms), (path, line)
                read += 1
    assert read > 20_000


# Cells


def test_ids_are_the_files_own_or_minted() -> None:
    cells = [{"id": i} for i in ("a", None, "a", "", "cell-2", 7)]
    assert [c.id for c in loaded(*cells).cells] == [
        "a",
        "cell-2-2",
        "cell-3",
        "cell-4",
        "cell-2",
        "cell-6",
    ]


@pytest.mark.parametrize(
    ("count", "wanted"), [(3, 3), (0, None), (-1, None), (None, None), ("3", None), (True, None)]
)
def test_counts(count: Any, wanted: int | None) -> None:
    assert wanted == only(execution_count=count).count


@pytest.mark.parametrize(
    ("own", "other", "counts"),
    [(None, 2, [4, 2]), (None, 4, [None, 4]), (6, 2, [6, 2])],
)
def test_a_lost_count_is_that_of_the_saved_result(
    own: int | None, other: int, counts: list[int | None]
) -> None:
    result = {"output_type": "execute_result", "execution_count": 4, "data": {}}
    page = loaded({"execution_count": own, "outputs": [result]}, {"execution_count": other})
    assert counts == [cell.count for cell in page.cells]
    assert page.cells[0].result_count == 4


def test_tags_and_metadata_leave_garbage_out() -> None:
    assert only(metadata={"tags": ["a", 3, "b"]}).tags == ("a", "b")
    assert only(metadata={"tags": "a"}).tags == ()
    assert only(metadata=7).metadata == {}


def test_outputs() -> None:
    outputs = [
        {"output_type": "stream", "name": "stderr", "text": ["a\n", "b"]},
        {"output_type": "stream", "text": "c"},
        {
            "output_type": "execute_result",
            "data": {"text/plain": ["1\n", "2"], "text/html": ["<", "b>"], "x/y+json": ["a"]},
        },
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t", 1]},
        {"output_type": "display_data", "data": 3},
        {"output_type": "nonsense"},
        "garbage",
    ]
    assert only(outputs=outputs).outputs == (
        Output("stream", name="stderr", text="a\nb"),
        Output("stream", name="stdout", text="c"),
        Output("execute_result", text="1\n2", data={"text/html": "<b>", "x/y+json": ["a"]}),
        Output("error", ename="E", evalue="v", traceback=("t",)),
        Output("display_data"),
    )
    assert only(outputs={}).outputs == ()


# Languages


@pytest.mark.parametrize(
    ("metadata", "language", "major"),
    [
        ({}, "python", 3),
        ({"kernelspec": {"name": "python3", "language": "Python"}}, "python", 3),
        ({"kernelspec": {"name": "python2"}}, "python", 2),
        ({"kernelspec": {"name": "conda-env-py27-py"}}, "python", 2),
        ({"kernelspec": {"name": "x", "display_name": "Python 2"}}, "python", 2),
        ({"kernelspec": {"name": "happy2"}}, "python", 3),
        ({"language_info": {"name": "ipython", "version": "2.7.1"}}, "python", 2),
        (
            {"kernelspec": {"name": "python2"}, "language_info": {"version": "3.6"}},
            "python",
            3,
        ),
        ({"kernelspec": {"name": "ir"}}, "r", 3),
        ({"kernelspec": {"name": "ir", "language": "R"}}, "r", 3),
        ({"kernelspec": {"name": "julia-1.9"}}, "julia", 3),
        ({"language_info": {"name": "Julia", "version": "2.0"}}, "julia", 3),
        ({"kernelspec": 3, "language_info": []}, "python", 3),
        ({"language_info": {"name": "x" * 1_000}}, "x" * 37 + "...", 3),
    ],
)
def test_language(metadata: dict[str, Any], language: str, major: int) -> None:
    notebook = loaded(metadata=metadata)
    assert (language, major) == (notebook.language, notebook.python_major)


# Older formats


def test_nbformat_3_is_upgraded() -> None:
    cell = {
        "cell_type": "code",
        "input": ["x = 1\n", "x"],
        "language": "python",
        "prompt_number": 3,
        "outputs": [{"output_type": "pyout", "text": ["1"], "prompt_number": 3}],
        "collapsed": False,
        "metadata": {},
    }
    data = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [cell]}]}
    notebook = load.loads(json.dumps(data), "old.ipynb")
    first = notebook.cells[0]
    assert (first.source, first.count, first.file_lines) == ("x = 1\nx", 3, ())
    assert (Output("execute_result", text="1"),) == first.outputs


# Files that cannot be read


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "empty"),
        ("\n \n", 1, "empty"),
        ("[]", 1, "a list"),
        ("3", 1, "a number"),
        ("{}", 1, "no nbformat"),
        ('{"cells": [],\n"metadata": {}\n', 3, "not valid JSON"),
        ('{"nbformat": 4,\n"cells": [{\n"source": [\n"a" "b"]}]}', 4, "not valid JSON"),
        ('{"nbformat": 4, "cells": []}\nx', 2, "Extra data"),
        ('{"nbformat": 4,\n"cells": {}}', 2, "an object, not a list"),
        ('{"nbformat": 4}', 1, "null, not a list"),
        ('{"nbformat": 4, "cells": [\n{"cell_type": "raw"},\n3]}', 3, "cell 2 is a number"),
        ('{"nbformat": 4, "cells": [\n{"cell_type": "x"}]}', 2, "unknown cell_type"),
        (
            '{"nbformat": 4, "cells": [{"cell_type": "code",\n"source": [1]}]}',
            2,
            "source of cell 1",
        ),
        ('{"nbformat": 9}', 1, "nbformat 9"),
        ('{"nbformat": true}', 1, "no nbformat"),
        ('{"nbformat": 3, "worksheets": 5}', 1, "cannot be upgraded"),
        ('{"nbformat": 2}', 1, "cannot be upgraded"),
        ("[" * 200_000, 1, "nested too deeply"),
        ('{"nbformat": ' + "[" * 200_000, 1, "nested too deeply"),
        ("9" * 6000, 1, ""),
    ],
)
def test_unreadable_text(text: str, line: int, words: str) -> None:
    where, message = unreadable(text)
    assert words in message
    assert line == where


def test_unreadable_files(tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    cases = {b"\xff\xfe{\x00": 1, b'{\n"a": "\xe9"}': 2, b"": 1}
    for content, line in cases.items():
        path.write_bytes(content)
        with pytest.raises(Unreadable) as caught:
            load.read(path)
        assert line == caught.value.line
    for bad in (tmp_path, tmp_path / "gone.ipynb", tmp_path / "nul\0"):
        with pytest.raises(Unreadable):
            load.read(bad)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path, _most: int) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "read_bytes", refuse)
    with pytest.raises(Unreadable, match="permission denied"):
        load.read(tmp_path / "nb.ipynb")


def test_a_byte_order_mark_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(raw({"source": "é"})).encode())
    assert load.read(path).cells[0].source == "é"
    assert load.read(path).path == str(path)


# Fuzz: whatever the bytes, a notebook or Unreadable; and JSON is what json says it is

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = [
    "cells",
    "metadata",
    "nbformat",
    "source",
    "cell_type",
    "outputs",
    "id",
    "data",
    "worksheets",
]
SEED = json.dumps(
    raw(
        {"source": ["a\n", "b"], "id": "x", "execution_count": 1},
        {"outputs": [{"output_type": "display_data", "data": {"text/plain": ["x"]}}]},
        metadata={"kernelspec": {"name": "ir"}},
        nbformat_minor=5,
    )
)


def survives(text: str) -> None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    try:
        notebook = load.loads(text, "")
    except Unreadable as error:
        assert 1 <= error.line <= text.count("\n") + 1
        return
    assert value["nbformat"] < 4 or len(notebook.cells) == len(value["cells"])
    for cell in notebook.cells:
        lines = cell.source.count("\n") + 1
        assert len(cell.file_lines) == lines or value["nbformat"] < 4


@given(st.data())
def test_mutated_text_never_breaks_it(data: st.DataObject) -> None:
    text = SEED.replace(", ", data.draw(st.sampled_from([", ", ",\n", ","])))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 4))
        put = data.draw(st.sampled_from([*'"[]{}:,\\\n034', "null", "\\ud800", "NaN", ""]))
        text = text[:at] + put + text[at + cut :]
    survives(text)


@given(st.data())
def test_values_of_any_kind_never_break_it(data: st.DataObject) -> None:
    value = json.loads(SEED) | {"nbformat": data.draw(st.sampled_from([2, 3, 4, 4, 4]))}
    spots = [value, value["metadata"], *value["cells"], *value["cells"][1]["outputs"]]
    spot = data.draw(st.sampled_from(spots))
    spot[data.draw(st.sampled_from([*KEYS, *spot]))] = data.draw(ANY)
    survives(json.dumps(value, indent=data.draw(st.sampled_from([None, 1]))))


@given(st.binary(max_size=60))
def test_bytes_of_any_kind_never_break_it(content: bytes) -> None:
    survives(content.decode("latin-1"))


def test_reading_imports_nothing_heavy() -> None:
    import subprocess
    import sys

    code = (
        "import sys, pytest_nbsafe.notebook.load, pytest_nbsafe.notebook.source\n"
        "print([m for m in ('nbformat', 'IPython', 'jupyter_client') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
