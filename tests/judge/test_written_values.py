"""What the text of a cell says itself is no matter of versions."""

from __future__ import annotations

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.judge.written_values import is_of_other_text
from pytest_nbsafe.notebook.model import Output


def is_other(code: str, saved: str, new: str, *, result: bool = False) -> bool:
    graph = build(percent.parse(f"# %% [1]\n{code}\n"))
    kind = {"kind": "execute_result"} if result else {"kind": "stream", "name": "stdout"}
    return is_of_other_text(graph, 1, *((Output(text=text, **kind),) for text in (saved, new)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "code", ['print("precision:", p)', 'print(f"precision: {p}")', 'print("precision: %f" % p)']
)
def test_words_that_a_cell_prints_anyway(code: str) -> None:
    assert is_other(code, "accuracy: 0.9", "precision: 0.8")
    assert not is_other(code, "precision: 0.9", "precision: 0.8")
    assert not is_other(code, "", "precision: 0.8"), "what is not saved is told otherwise"


@pytest.mark.parametrize(
    "code",
    [
        'if p > 0.5:\n    print("precision:", p)',
        'def show():\n    print("precision:", p)\nshow()',
        "print(p)",
        'print("p", p)',
        'print("precision:", p, file=log)',
    ],
)
def test_words_that_it_may_print(code: str) -> None:
    assert not is_other(code, "accuracy: 0.9", "precision: 0.8 p")


@pytest.mark.parametrize(
    ("code", "saved", "new", "answer"),
    [
        ("Net(depth=4)", "Net(alpha=1.0, depth=3)", "Net(depth=4)", True),
        ("net.Net(depth=4)", "Net(of=<f at 0x1>, depth=3)", "Net(of=<f at 0x2>, depth=4)", True),
        ("Pipe(Net(depth=4))", "Pipe(Net(depth=3))", "Pipe(Net(depth=4))", True),
        ("Net(depth=4)", "Net(depth=4.0)", "Net(depth=4)", False),
        ("Net()", "Net(loss=3)", "Net(loss=4)", False),
        ("Net(depth=4)", "Net(alpha=1.0)", "Net(depth=4)", False),
        ("Net(depth=4)\nNet(depth=3)", "Net(depth=3)", "Net(depth=4)", False),
        ("Net(depth=4)", "Net depth 3", "Net(depth=4)", False),
    ],
)
def test_what_an_object_is_set_to(code: str, saved: str, new: str, answer: bool) -> None:  # noqa: FBT001
    assert is_other(code, saved, new, result=True) is answer
