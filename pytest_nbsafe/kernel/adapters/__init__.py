"""What is known of libraries inside the kernel: one file a library, named as it is imported.

A file whose name begins with `_` is a part of one.

An adapter imports nothing of its library, which it finds in `sys.modules`. It has any of the names
below, all of them optional. It is asked once its library is there, or about to be.
"""

from __future__ import annotations

import functools
import pkgutil
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import ast

    Handler = Callable[[Any, Any], None]


class Table:
    """The rows of a value: `n` of them, in a `matrix`, in `columns`, or in a `sparse` matrix.

    `index` is pandas' own, None elsewhere.
    """

    def __init__(self, n: int, width: int) -> None:
        self.n, self.width = n, width
        self.matrix: Any = None
        self.columns: list[Any] = []
        self.sparse: Any = None
        self.index: Any = None

    def cells(self) -> int:
        """Return how many values there are to hash."""
        return self.n * self.width if self.sparse is None else int(self.sparse.nnz)


def of_columns(columns: list[Any]) -> Table:
    """Return columns of one length as a table."""
    table = Table(len(columns[0]) if columns else 0, len(columns))
    table.columns = columns
    return table


class Adapter(Protocol):
    """The names that an adapter may have. Nothing here may run code of the notebook."""

    # ------------------------------------------------------------ what values hold

    HASHED: Mapping[str, Mapping[str, Handler]]
    """How values are written into a hash: by module, and by the path of the class in it."""
    STATE_IS_DICT: bool
    """All that its objects hold is in their `__dict__`."""

    CACHES: Container[str]
    """Attributes of its objects that hold nothing but what follows from the others."""

    def hash_other(self, hasher: Any, value: Any) -> None:
        """Write a value of any other class of the library, or raise `UnknownValue`."""

    def missing_values(self) -> tuple[Any, ...]:
        """Return what stands for a missing value in a column of objects."""

    def aspects(self, value: Any) -> dict[str, str]:
        """Return a few words on a value, by aspect: `shape`, `mean`..."""

    def state_beside(self) -> Mapping[str, object]:
        """Return the state that no name shows, by what holds it."""

    def settings(self) -> Mapping[str, object]:
        """Return the settings that cells may change, by what holds them, to be compared."""

    SETTERS: frozenset[str]
    """Functions that set what the library holds, beside those whose names say so."""
    SHOWN_BY_ITSELF: frozenset[tuple[str, str]]
    """Classes, by module and name, for which IPython is told how to show them in any case."""
    OWN_HOOKS: tuple[str, ...]
    """How the names of modules begin whose functions are called around cells in any case."""

    def random_states(self) -> Mapping[str, object]:
        """Return the states of its sources of random numbers, by name, to be compared."""

    def tell_generators(self, make: Callable[[Callable[[], Any]], Any]) -> bool:
        """Let generators of random numbers be made by `make`; False: not yet."""

    def is_seeded(self, generator: Any) -> bool:
        """Tell whether such a generator was not left as chance has seeded it."""

    def drawers(self) -> Mapping[Any, int] | None:
        """Return the functions that draw from a source of its own, or seed that; None: not yet.

        Each with where among its arguments a seed for that one call may stand, 0 where it can only
        be given as `seed=`.
        """

    def figure_registry(self) -> Any:
        """Return what has the open figures by their numbers as `figs`, None before it is there."""

    def own_folders(self) -> list[str]:
        """Return the folders in which the library keeps settings, and what it can make again."""

    def own_locks(self) -> list[Any]:
        """Return locks of `multiprocessing` that the library keeps for itself."""

    def running_numbers(self) -> Mapping[str, Any]:
        """Return the counters that number what it shows, each with a `count`, by their word.

        `sk-container-id` counts the elements `sk-container-id-1`, `sk-container-id-2`...
        """

    # ------------------------------------------------------------ rows and parts

    def table_of(self, value: Any) -> Any:
        """Return a value as a `Table`, or the array that it is; None when it is none; no copy."""

    def values(self, column: Any, rows: Any) -> Any:
        """Return some rows of a column as an array or a list.

        Or else, as a tuple, other values and the place of each row's among them, -1 for none.
        """

    def access_kind(self, value: Any) -> dict[str, Any]:
        """Return what makes the `access_steps.Kind` of a value, with columns or without."""

    def is_constant(self, kind: type) -> bool:
        """Tell whether values of a class cannot change."""

    CONSTANTS: frozenset[str]
    """Classes whose values cannot change, but for those that `is_constant` knows."""

    NOT_KEPT: Container[str]
    """Classes whose values are more than what pickle writes."""
    IS_BY_VALUE: bool
    """None of its objects that can change is pickled by its name."""

    def reduced(self, value: Any) -> Any:
        """Return how pickle is to write a value, `NotImplemented` for the library's own way."""

    def memory_of(self, value: Any) -> Any:
        """Return what tells the memory of an array that may be shared: itself; None for others."""

    def writes_to_file(self, value: Any) -> bool:
        """Return whether what is put into a value is put into a file, as into mapped memory."""

    def knows_places(self, value: Any) -> bool:
        """Return whether something was looked up in a table, so that it takes more memory."""

    def places_of(self, value: Any) -> list[tuple[int, int]]:
        """Return where memory begins that a value shows, and how many bytes of it.

        Only where it may be an array's, and nothing tells that array.
        """

    def items_of(self, value: Any) -> list[Any]:
        """Return the objects that such an array holds."""

    def references_of(self, value: Any) -> list[Any] | None:
        """Return all that a value refers to, each as often as it does; None if nobody can tell.

        Only where the collector of garbage does not know, as of an array.
        """

    TANGLED: bool
    """Its objects lead to one another and to much else, and the library holds them: a figure does.

    Nobody follows them to find where something is, or counts who refers to them.
    """

    OWNERS: frozenset[str]
    """Classes of compiled code whose objects have what nobody sees each to itself.

    Without this name all are: of the library it is known what its objects share. With it objects of
    its other classes may look at parts of these and of one another.
    """

    def lazily_copied(self, value: Any) -> list[Any] | None:
        """Return what a value holds that is copied before it is written to; None if it is not."""

    def never_written(self, value: Any) -> list[Any]:
        """Return what a value refers to that nobody writes to, whoever else refers to it."""

    def lazy_holders_of(self, value: Any) -> list[Any]:
        """Return what else refers to the memory of such a value, and copies it before it writes."""

    CHANGING: frozenset[str]
    """Functions and methods that change what they are given; then all others do not."""

    def is_flat(self, value: Any) -> bool:
        """Tell whether a value holds plain values alone, in memory of its own."""

    def only_looked_at(
        self, tree: ast.Module, names: Iterable[str], home: dict[str, Any], deferred: set[str]
    ) -> set[str]:
        """Return those names of such values, which nothing else holds, that a cell only reads.

        Code that runs later mentions the `deferred` names.
        """

    def changed_names(
        self, tree: ast.Module, names: Iterable[str], home: dict[str, Any]
    ) -> set[str] | None:
        """Return the names of its values that a cell changes, None where that is not certain."""

    # ------------------------------------------------------------ the process

    MAY_BE_FORKED: bool
    LENDS_PROCESSES: bool
    """It starts processes for other libraries to compute in."""
    READS_BYTECODE: bool
    """It compiles functions from their bytecode, in which no hook of ours may stand."""
    HOLDS_ARRAYS: bool
    """With it what is needed to follow rows is there."""

    def uses_gpu(self) -> bool:
        """Tell whether a device is in use."""

    def keep_random(self) -> Callable[[], None]:
        """Return what gives back the state of the random numbers that no name holds."""

    def stir(self) -> None:
        """Seed the random numbers by chance."""

    def work_in_one_thread(self) -> None:
        """Start no other threads from here on."""

    # ------------------------------------------------------------ what learns

    LEARNERS: tuple[str, str]
    """The module and the name of the class that all its estimators come from."""
    LEARNERS_WATCHED: bool
    """False where its models learn by an interface that nobody knows here."""
    WATCHED: frozenset[str]
    WATCHED_EFFECTS: frozenset[str]
    """Functions whose arguments are known: by their full names, or by what they do."""


# ------------------------------------------------------------------ which one is asked

names: list[str] = [m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")]
"""The libraries that have an adapter; a kernel, which has no folder, is told of them."""


@functools.lru_cache(None)
def adapter_of(library: str) -> Any:
    """Return the adapter of a library, None where it has none."""
    return import_module(f"{__name__}.{library}") if library in names else None


@functools.lru_cache(None)
def all_of(what: str) -> tuple[Any, ...]:
    """Return what the adapters say that have a constant of this name."""
    adapters = map(adapter_of, names)
    return tuple(getattr(adapter, what) for adapter in adapters if hasattr(adapter, what))


def of_module(module: object) -> Any:
    """Return the adapter of the library that a module belongs to, None where it has none.

    What is compiled of a library may stand in a module of its own: `_regex` is `regex`.
    """
    return adapter_of(module.partition(".")[0].lstrip("_")) if type(module) is str else None


def of_class(kind: type) -> Any:
    """Return the adapter of a class's library, or of the first one that it inherits from."""
    adapters = (of_module(type.__getattribute__(base, "__module__")) for base in kind.__mro__)
    return next(filter(None, adapters), None)


def says(question: str, value: Any) -> bool:
    """Return what the adapter of a value's class answers of it, False where it knows nothing."""
    ask = getattr(of_class(type(value)), question, None)
    return ask is not None and ask(value)


def answers(question: str) -> list[Any]:
    """Return what the adapters of all loaded libraries answer that know the question.

    They are asked in the order of their names.
    """
    loaded = (adapter_of(name) for name in names if name in sys.modules)
    known = (getattr(adapter, question, None) for adapter in loaded)
    return [answer() if callable(answer) else answer for answer in known if answer is not None]
