"""Edits of a notebook's file change what they are asked to change, and no other character."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_nbsafe.fix.notebook_text import CellEdit, edited

FIXTURES = Path(__file__).parents[2] / "fixtures"


def _is_whole(content: bytes) -> bool:
    try:
        data = json.loads(content)
    except ValueError:
        return False
    cells = data.get("cells") if isinstance(data, dict) and data.get("nbformat") == 4 else None
    return isinstance(cells, list) and bool(cells) and all(isinstance(c, dict) for c in cells)


TEXTS = tuple(
    content.decode("utf-8")
    for path in sorted(FIXTURES.rglob("*.ipynb"))
    if _is_whole(content := path.read_bytes())
)
SOURCES = st.lists(
    st.text(st.characters(exclude_characters="\r"), max_size=9), min_size=0, max_size=4
).map("\n".join)
STYLES: tuple[dict[str, Any], ...] = (
    {"indent": 1},
    {"indent": 4},
    {},
    {"separators": (",", ":")},
    {"indent": 2},
)
CELLS = st.lists(
    st.fixed_dictionaries(
        {
            "cell_type": st.just("code"),
            "execution_count": st.one_of(st.none(), st.integers(1, 9)),
            "metadata": st.just({"é": [], "a": {"source": ["x"]}}),
            "outputs": st.just([]),
            "source": st.one_of(SOURCES, SOURCES.map(lambda s: s.splitlines(keepends=True))),
        }
    ),
    min_size=1,
    max_size=4,
)


@st.composite
def files(draw: st.DrawFn) -> str:
    """Draw the text of a notebook, written in any of several styles."""
    data = {"cells": draw(CELLS), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    keys = draw(st.permutations(list(data)))
    escapes, style = draw(st.booleans()), draw(st.sampled_from(STYLES))
    written = json.dumps({key: data[key] for key in keys}, ensure_ascii=escapes, **style)
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return draw(st.sampled_from(["", "\ufeff"])) + (written + "\n").replace("\n", end)


def _data(text: str) -> dict[str, list[dict[str, object]]]:
    loaded: dict[str, list[dict[str, object]]] = json.loads(text.removeprefix("\ufeff"))
    return loaded


def _joined(source: object) -> str:
    return source if isinstance(source, str) else "".join(source)  # type: ignore[arg-type]


@given(files())
def test_what_is_the_same_already_changes_nothing(text: str) -> None:
    cells = _data(text)["cells"]
    edits = {
        number: CellEdit(_joined(cell["source"]), cell["outputs"], cell["execution_count"])  # type: ignore[arg-type]
        for number, cell in enumerate(cells, start=1)
    }
    assert text == edited(text, {})
    assert text == edited(text, edits, range(1, len(cells) + 1))


@given(files(), SOURCES, st.data())
def test_a_new_source_changes_its_own_place_alone(text: str, new: str, data: st.DataObject) -> None:
    cells = _data(text)["cells"]
    number = data.draw(st.integers(1, len(cells)))
    result = edited(text, {number: CellEdit(source=new)})
    expected = _data(text)
    expected["cells"][number - 1]["source"] = new
    changed = _data(result)
    changed["cells"][number - 1]["source"] = _joined(changed["cells"][number - 1]["source"])
    assert expected == changed
    back = edited(result, {number: CellEdit(source=_joined(cells[number - 1]["source"]))})
    assert _data(text)["metadata"] == _data(back)["metadata"]
    same = len(_common(text, result)) + len(_common(text[::-1], result[::-1]))
    written = json.dumps(cells[number - 1]["source"], indent=8)
    assert same >= len(text) - 6 * len(written)


@given(files(), st.data())
def test_moved_cells_keep_every_character(text: str, data: st.DataObject) -> None:
    cells = _data(text)["cells"]
    order = data.draw(st.permutations(range(1, len(cells) + 1)))
    moved = edited(text, {}, order)
    assert [cells[number - 1] for number in order] == _data(moved)["cells"]
    back = [order.index(number) + 1 for number in range(1, len(cells) + 1)]
    assert text == edited(moved, {}, back)


@settings(max_examples=30)
@given(st.sampled_from(TEXTS), st.text(max_size=20), st.data())
def test_notebooks_as_their_tools_wrote_them(text: str, new: str, data: st.DataObject) -> None:
    assert text == edited(text, {})
    cells = _data(text)["cells"]
    number = data.draw(st.integers(1, len(cells)))
    assert text == edited(
        text, {number: CellEdit(source=_joined(cells[number - 1].get("source", "")))}
    )
    new = new.replace("\r", "")
    result = _data(edited(text, {number: CellEdit(source=new)}))
    assert new == _joined(result["cells"][number - 1]["source"])


def _common(one: str, other: str) -> str:
    length = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    return one[:length]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_new_outputs_are_written_in_the_style_of_the_file(end: str) -> None:
    cell = {"cell_type": "code", "execution_count": 3, "metadata": {}, "outputs": [], "source": []}
    text = json.dumps({"nbformat": 4, "cells": [cell]}, indent=2).replace("\n", end)
    output = {"output_type": "stream", "name": "stdout", "text": ["é\n"]}
    cell |= {"outputs": [{key: output[key] for key in sorted(output)}], "execution_count": 1}
    expected = json.dumps({"nbformat": 4, "cells": [cell]}, indent=2, ensure_ascii=False)
    assert expected.replace("\n", end) == edited(text, {1: CellEdit(outputs=[output], count=1)})


def test_a_new_count_stands_at_the_cell_and_at_its_result() -> None:
    result = {"output_type": "execute_result", "execution_count": 3, "data": {}, "metadata": {}}
    stream = {"output_type": "stream", "name": "stdout", "text": ["execution_count: 3"]}
    cell = {"execution_count": 3, "outputs": [stream, result], "source": [], "id": "b"}
    text = json.dumps({"nbformat": 4, "cells": [cell]}, indent=3)
    expected = text.replace('"execution_count": 3', '"execution_count": 12')
    assert expected == edited(text, {1: CellEdit(count=12)})
