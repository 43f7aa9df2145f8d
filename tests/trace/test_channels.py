"""What passes through files: a symbol like a name, found in the text."""

from __future__ import annotations

import pytest

from pytest_nbsafe.analysis import files
from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.notebook import percent
from pytest_nbsafe.notebook.plan import Plan, Run
from pytest_nbsafe.trace import staleness
from pytest_nbsafe.trace.channels import with_files
from pytest_nbsafe.trace.lineage import static_records
from pytest_nbsafe.trace.model import StaleRead


def graph_of(*sources: str) -> Graph:
    return graphs.build(percent.parse("".join(f"# %%\n{source}\n" for source in sources)))


@pytest.mark.parametrize(
    ("source", "reads", "writes"),
    [
        ("df.to_csv('a.csv')", [], ["a.csv"]),
        ("df.to_csv(path_or_buf='a.csv')", [], ["a.csv"]),
        ("df = pd.read_csv('./a.csv')", ["a.csv"], []),
        ("df = pd.read_csv(PATH)", ["data/a.csv"], []),
        ("df = pd.read_csv(OTHER)", [], []),
        ("df = pd.read_csv(f'{x}.csv')", [], []),
        ("np.save('a.npy', x)", [], ["a.npy"]),
        ("joblib.dump(model, 'm.pkl')", [], ["m.pkl"]),
        ("pickle.dump(model, open('m.pkl', 'wb'))", [], ["m.pkl"]),
        ("model = pickle.load(open('m.pkl', 'rb'))", ["m.pkl"], []),
        ("Path('notes.txt').write_text(text)", [], ["notes.txt"]),
        ("text = Path('notes.txt').read_text()", ["notes.txt"], []),
        ("with open('a.txt') as f: pass", ["a.txt"], []),
        ("with open('a.txt', mode='w') as f: pass", [], ["a.txt"]),
        ("def save(): df.to_csv('a.csv')", [], []),
        ("save = lambda: df.to_csv('a.csv')", [], []),
        ("print('a.csv')", [], []),
        ("webbrowser.open(url)", [], []),
    ],
)
def test_the_files_of_a_statement(source: str, reads: list[str], writes: list[str]) -> None:
    graph = graph_of(source, "PATH = 'data/a.csv'\nOTHER = 'b'", "OTHER = 'c'")
    used = files.of_notebook(graph).get(1, {}).get(1, files.Files())
    assert used.reads == {repr(path) for path in reads}
    assert used.writes == {repr(path) for path in writes}


def stale(order: str, *sources: str) -> tuple[StaleRead, ...]:
    graph = graph_of(*sources)
    runs = (Run(i, int(n), None, recorded=True, reason="") for i, n in enumerate(order.split(), 1))
    plan = Plan("recorded", tuple(runs))
    return staleness.stale_reads(graph, with_files(graph, static_records(graph, plan)))


WRITES = "df.to_csv('a.csv')"
OPENS = "with open('a.csv', 'w') as f:\n    f.write(df)"


@pytest.mark.parametrize("writes", [WRITES, OPENS, "f = open('a.csv', 'w')\nf.write(df)"])
def test_what_was_read_from_a_file_is_as_old_as_the_file(writes: str) -> None:
    cells = ("df = make()", writes, "x = read_csv('a.csv')", "print(x)")
    (read,) = stale("1 2 3 1 4", *cells)
    assert [cause.symbol for cause in read.chain] == ["x", "'a.csv'"]
    (read,) = stale("1 2 3 2 4", *cells)
    assert (read.name, read.chain[0].parent, read.chain[0].parent_cell) == ("x", "'a.csv'", 2)
    assert stale("1 2 3 4", *cells) == ()
    assert stale("1 2 3 1 2 3 4", *cells) == ()


def test_another_file_is_another_symbol() -> None:
    cells = ("df = make()", "df.to_csv('b.csv')", "x = read_csv('a.csv')", "print(x)")
    assert stale("1 2 3 2 4", *cells) == ()
