"""What calls change: `mutation:x` by what is known, `doubtful:x` by a method nobody knows."""

from __future__ import annotations

import pytest
from analysiscase import cell, facts, graph

from pytest_nbsafe.analysis.dependencies import edges


def changed(text: str) -> str:
    found = [d for d in cell(text).definitions if d.kind == "mutation"]
    return " ".join(
        f"{'doubtful' if d.doubtful else 'mutation'}:{d.name}{'' if d.certain else '?'}"
        for d in found
    )


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # a method whose value nobody keeps: changes, leaves as it was, unknown
        ("x.append(1)", "mutation:x"),
        ("x.a['k'].append(1)", "mutation:x"),
        ("df.head()", ""),
        ("df[['a', 'b']].plot.box()", ""),
        ("s.str.frobnicate()", ""),
        ("plot.frobnicate()", "doubtful:plot"),
        ("df.drop('a', axis=1)", ""),
        ("df.drop('a', axis=1, inplace=True)", "mutation:df"),
        ("df.drop('a', axis=1, inplace=False)", ""),
        ("x[1].reshape(1, -1)", ""),
        ("x.frobnicate()", "doubtful:x"),
        ("ax.set_title('t')", "doubtful:ax"),
        ("await x.append(1)", "mutation:x"),
        # a value that is kept: only what also returns something
        ("y = x.pop()", "mutation:x"),
        ("print(x.pop(0))", "mutation:x"),
        ("y = d.setdefault('k', [])", "mutation:d"),
        ("d.setdefault('k', []).append(1)", "mutation:d"),
        ("y = x.append(z)", ""),  # an old DataFrame
        ("y = x.frobnicate()", ""),
        ("y = s.replace('a', 'b')", ""),
        ("z = df.drop('a', inplace=True)", "mutation:df"),
        ("y = scaler.fit_transform(x)", "mutation:scaler"),
        ("model = clf.fit(x)", "mutation:clf"),
        # functions that change an argument
        ("random.shuffle(a)", "mutation:a"),
        ("shuffle(a)", "mutation:a"),
        ("b = shuffle(a)", "mutation:a"),
        ("np.put(a, 0, 1)", "mutation:a"),
        ("q.put(a)", "mutation:q"),
        ("np.fill_diagonal(a.values, 1)", "mutation:a"),
        ("y = heapq.heappop(h)", "mutation:h"),
        ("heappush(h, 1)", "mutation:h"),
        ("bisect.insort(xs, 3)", "mutation:xs"),
        ("setattr(o, 'k', 1)", "mutation:o"),
        ("x = next(it)", "mutation:it"),
        ("np.add(a, b, out=a)", "mutation:a"),
        ("np.copyto(a, b)", "mutation:a"),
        # wherever it stands
        ("if c:\n    y = x.pop()", "mutation:x?"),
        ("for i in r:\n    x.append(i)", "mutation:x?"),
        ("c and x.append(1)", "mutation:x?"),
        ("[x.append(i) for i in r]", "mutation:x?"),
        ("[x.pop() for i in r]", "mutation:x?"),
        ("[i.append(1) for i in r]", ""),
        ("list.sort(x)", ""),
        ("x = []; x.append(1)", "mutation:x"),
    ],
)
def test_what_a_cell_changes(text: str, answer: str) -> None:
    # the order of two changes by one call is of no account
    assert sorted(changed(text).split()) == sorted(answer.split())


def test_what_flows_into_what_a_call_changes() -> None:
    assert facts("y = x.pop(k)") == ["y<-k,x x*=k"]
    assert facts("np.random.shuffle(a)") == ["a*="]
    assert facts("z = scaler.fit_transform(df[c])") == ["z<-c,df,scaler scaler*=c,df"]


def test_a_scaler_is_not_older_than_the_data_that_it_changes() -> None:
    assert facts("df[c] = scaler.fit_transform(df[c])") == ["df*=c,scaler scaler*=c"]
    assert facts("x = scaler.fit_transform(x)") == ["x<-scaler,x scaler*="]


def test_an_edge_says_when_a_change_is_doubtful() -> None:
    g = graph("x = f()", "x.append(1)", "x.frobnicate()", "x")
    assert [e.cause for e in edges(g, (1, 2, 3, 4)) if e.reader == 4] == [
        "reads `x`, which cell 1 (line 1) defines",
        "reads `x`, which cell 2 (line 1) changes in place",
        "reads `x`, which cell 3 (line 1) may change in place",
    ]
