"""polars, pyarrow and xarray: their tables agree with the packages, and the engines use them."""

import importlib
import inspect
from typing import Any

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.draws import of as draws_of
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.app.facts import static_facts
from pytest_nbsafe.config import Config
from pytest_nbsafe.libraries import file_access, inplace, random_sources
from pytest_nbsafe.rules import evaluate

CLASSES = [
    title
    for title in inplace.load().classes
    if title.partition(".")[0] in {"polars", "pyarrow", "xarray"}
]
GENERIC = {
    "polars.Series": {"scatter", "set"},  # a plot's, a set's
    "polars.LazyFrame": {"show_graph"},
    "pyarrow.Table": {"to_tensor"},
    "pyarrow.RecordBatch": {"to_tensor"},
    "xarray.Dataset": {"load_store", "dump_to_store"},
    "xarray.DataArray": {"dt", "str"},
}
"""Public methods that are left out, for their names say nothing, or something else elsewhere."""
RECENT = {"xarray.Dataset": {"load_async"}, "xarray.DataArray": {"load_async"}}
"""Methods that the last version for Python 3.10 does not have."""


def _class(title: str) -> Any:
    module, _, name = title.rpartition(".")
    return getattr(pytest.importorskip(module), name)


def _methods(kind: Any) -> set[str]:
    """Return the public methods of a class, but for those that are called on the class itself."""
    names = {name for name in dir(kind) if name[0] != "_" and callable(getattr(kind, name))}
    on_class = {n for n in names if inspect.ismethod(inspect.getattr_static(kind, n, None))}
    made = {name for name in names if name.startswith("from_")}
    return names - on_class - made


@pytest.mark.parametrize("title", CLASSES)
def test_every_public_method_is_known_and_every_known_one_is_there(title: str) -> None:
    kind = _class(title)
    entry = inplace.load().classes[title]
    known = entry.changes | entry.changes_and_returns | entry.inplace | entry.pure
    missing = _methods(kind) - known - GENERIC.get(title, set())
    assert missing <= {"deserialize", "map_rows", "remote"}
    gone = known - {name for name in dir(kind) if name[0] != "_"}
    assert gone <= RECENT.get(title, set())


@pytest.mark.parametrize("title", ["polars.DataFrame", "polars.Series"])
def test_polars_takes_in_place_where_it_says_so(title: str) -> None:
    kind = _class(title)
    methods = _methods(kind)
    takes = {n for n in methods if "in_place" in inspect.signature(getattr(kind, n)).parameters}
    assert inplace.load().classes[title].inplace == takes


@pytest.mark.parametrize("library", ["polars", "pyarrow", "xarray"])
def test_functions_are_there(library: str) -> None:
    pytest.importorskip(library)
    names = [n for n in inplace.load().functions.returns if n.startswith(f"{library}.")]
    assert names
    for name in names:
        module, _, word = name.rpartition(".")
        owner: Any
        try:
            owner = importlib.import_module(module)
        except ModuleNotFoundError:
            owner = _class(module)  # a function of a class: Table.from_pandas
        assert callable(getattr(owner, word)), name


@pytest.mark.parametrize(
    "name",
    """
    polars.DataFrame.write_ipc polars.LazyFrame.sink_csv polars.scan_ipc polars.read_avro
    pyarrow.parquet.write_table pyarrow.csv.write_csv pyarrow.feather.read_feather
    pyarrow.dataset.write_dataset xarray.Dataset.to_netcdf xarray.open_dataset
    xarray.load_dataarray
    """.split(),  # noqa: SIM905 - a list of as many lines
)
def test_readers_and_writers_are_known_and_there(name: str) -> None:
    owner, _, word = name.rpartition(".")
    try:
        holder = importlib.import_module(owner)
    except ModuleNotFoundError:
        holder = _class(owner)
    assert callable(getattr(holder, word))
    known = file_access.load()
    assert word in (
        known.writes if "write" in word or word[:4] in {"sink", "to_n"} else known.reads
    )


# -- what the engines make of it -------------------------------------------------------------------


def _graph(*cells: str) -> Graph:
    return build(percent.parse(percent.page_of(*cells)))


@pytest.mark.parametrize(
    ("cell", "changed"),
    [
        ("df.insert_column(0, s)", True),
        ("df.replace_column(0, s)", True),
        ("df.vstack(other, in_place=True)", True),
        ("df.vstack(other)", False),
        ("df.with_columns(pl.col('a') + 1)", False),
        ("df.write_parquet('a.parquet')", False),
        ("df.append_column('a', x)", False),  # a table of pyarrow
        ("df.sort_by('a')", False),
        ("df.assign_coords(x=x)", False),  # a dataset of xarray
        ("df.update(other)", True),
        ("df.to_netcdf('a.nc')", False),
    ],
)
def test_what_a_method_changes(cell: str, changed: bool) -> None:  # noqa: FBT001 - an answer
    changers = _graph("import polars as pl\ndf = make()", cell).changers.get("df", ())
    assert (changers == (2,)) is changed


@pytest.mark.parametrize(
    ("writes", "reads"),
    [
        ("df.write_ipc('a.arrow')", "x = pl.read_ipc('a.arrow')"),
        ("lazy.sink_parquet('a.parquet')", "x = pl.scan_parquet('a.parquet')"),
        ("pq.write_table(t, 'a.parquet')", "x = pq.read_table('a.parquet')"),
        ("ds.to_netcdf('a.nc')", "x = xr.open_dataset('a.nc')"),
    ],
)
def test_what_is_read_from_a_file_comes_from_the_cell_that_wrote_it(
    writes: str, reads: str
) -> None:
    graph = _graph("df = ds = lazy = t = make()", writes, reads)
    (path,) = [name for name in graph.binders if name.startswith("'")]
    assert graph.binders[path] == (2,)


@pytest.mark.parametrize(
    ("cell", "sources"),
    [
        ("x = df.sample(fraction=0.5)", ["polars"]),
        ("x = df.sample(n=5)", ["polars"]),
        ("x = df.sample(5)", ["polars"]),
        ("x = df.sample(fraction=0.5, seed=1)", []),
        ("x = df.sample(frac=0.5)", ["numpy"]),  # pandas has it so
        ("x = pc.random(5)", ["pyarrow"]),
        ("x = pc.random(5, initializer=1)", []),
    ],
)
def test_what_draws(cell: str, sources: list[str]) -> None:
    graph = _graph("import polars as pl\nimport pyarrow.compute as pc", cell)
    assert [event.draw.source for event in draws_of(graph) if event.draw] == sources


def test_a_seed_of_polars_is_one_for_polars_alone() -> None:
    draw = "x = df.sample(fraction=0.5)"
    imports = "import polars as pl\nimport numpy as np"
    for seed, codes in (("pl.set_random_seed(1)", []), ("np.random.seed(1)", ["NBS405"])):
        text = f"# %% [1]\n{imports}\n{seed}\ndf = pl.DataFrame()\n# %% [2]\n{draw}\n"
        assert [
            f.code
            for f in evaluate(static_facts(percent.parse(text), Config())[0])
            if f.code == "NBS405"
        ] == codes


def test_xarray_has_no_random_source() -> None:
    assert "xarray" not in random_sources.load().modules
