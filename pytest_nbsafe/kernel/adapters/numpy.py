"""numpy: arrays, their scalars and types, random generators."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ..aspects import cut, mean
from ..functions.reach import fields
from ..hashing import bulk, instances, object_arrays
from ..hashing.hasher import TOO_LARGE, Handler, Hasher, UnknownValue, qualified
from . import _read_arrays, answers, of_module

HOLDS_ARRAYS = True
IS_BY_VALUE = True
NOT_KEPT = frozenset({"memmap"})
CHANGING = frozenset(
    {
        "byteswap", "copyto", "fill", "fill_diagonal", "insert", "itemset", "partition",
        "permutation", "place", "pop", "put", "put_along_axis", "putmask", "resize", "setfield",
        "setflags", "shuffle", "sort", "update",
    }
)  # fmt: skip
_CHANGEABLE = frozenset(
    {
        "broadcast", "flatiter", "matrix", "memmap", "ndarray", "nditer", "object_", "poly1d",
        "recarray", "record", "vectorize", "void",
    }
)  # fmt: skip


_BYTES_AT_ONCE = 4
"""How many bytes of an array are no more work than one of Python's values; measured, a tenth."""


def aspects(value: Any) -> dict[str, str]:
    """Return a number as it is, the shape and the mean of an array."""
    numpy = sys.modules["numpy"]
    if type(value) is numpy.ndarray:
        return {"shape": str(value.shape), **mean("mean", value)}
    is_scalar = issubclass(type(value), numpy.generic) and type(value).__module__ == "numpy"
    return {"value": cut(str(value))} if is_scalar else {}


def is_constant(kind: type) -> bool:
    """Tell whether values of a class cannot change: numbers and types."""
    module = type.__getattribute__(kind, "__module__")
    if module == "numpy.dtypes":
        return True
    return module == "numpy" and kind.__name__ not in _CHANGEABLE


def access_kind(_value: Any) -> dict[str, Any]:
    """Return that a value is an array, or works as one."""
    return {"word": "array", "changing": CHANGING}


def stir() -> None:
    """Seed the random numbers by chance."""
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def keep_random() -> Callable[[], None]:
    """Return what gives back the state of the random numbers that no name holds."""
    random = sys.modules.get("numpy.random")
    if random is None:
        return lambda: None
    state = random.get_state(legacy=False)
    return lambda: random.set_state(state)


def state_beside() -> Mapping[str, object]:
    """Return the state of the random numbers that no name holds."""
    random = sys.modules.get("numpy.random")
    return {"numpy.random": str(random.get_state())} if random is not None else {}


def random_states() -> Mapping[str, object]:
    """Return the state of the random numbers that no name holds, to be compared."""
    random = sys.modules.get("numpy.random")
    if random is None or not hasattr(random, "get_state"):  # it is being imported
        return {}
    name, keys, *others = random.get_state()
    return {"numpy.random": (name, keys.tobytes(), *others)}


def tell_generators(make: Callable[[Callable[[], Any]], Any]) -> bool:
    """Let the generators that `RandomState` holds be made by `make`, which is given what makes one.

    One is seeded by chance first, whatever seed it is to get.
    """
    module: Any = sys.modules.get("numpy.random.mtrand")
    if not hasattr(module, _GENERATOR):
        return False
    original: Any = getattr(module, _GENERATOR)

    class Made(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, original)

    class Generator(metaclass=Made):
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            return make(lambda: original(*args, **kwargs))

    setattr(module, _GENERATOR, Generator)
    return True


_GENERATOR = "_MT19937"


def is_seeded(generator: Any) -> bool:
    """Tell whether one of these generators got a seed after all."""
    return getattr(generator, "_seed_seq", None) is None


def settings() -> Mapping[str, object]:
    """Return how arrays are shown, what becomes of errors, and how much is computed at once."""
    numpy = sys.modules["numpy"]
    return {"numpy": (numpy.get_printoptions(), numpy.geterr(), numpy.getbufsize())}


# ------------------------------------------------------------------ memory


def writes_to_file(value: Any) -> bool:
    """Return whether what is put into an array is put into a file."""
    return isinstance(value, sys.modules["numpy"].memmap) and value.mode in {"r+", "w+"}


def memory_of(value: Any) -> Any:
    """Return an array as such, and a row of one, which shows its memory; None for others."""
    numpy = sys.modules["numpy"]
    is_row = isinstance(value, numpy.void) and value.base is not None
    return value if is_row or isinstance(value, numpy.ndarray) else None


def items_of(value: Any) -> list[Any]:
    """Return the objects that an array holds, none where all are numbers or texts."""
    if not value.dtype.hasobject:
        return []
    numpy = sys.modules["numpy"]
    array = numpy.asarray(value)
    if array.dtype.kind == "O" and object_arrays.holds_plain(numpy, array):
        return []
    items: list[Any] = array.ravel().tolist()
    return items


def references_of(value: Any) -> list[Any] | None:
    """Return what an array refers to: the objects in it, or the array whose memory it shows.

    Of what goes over arrays Python tells nothing, these are named.
    """
    held, numpy = gc.get_referents(value), sys.modules["numpy"]
    if isinstance(value, numpy.flatiter):
        return [value.base]
    if isinstance(value, numpy.nditer):
        try:
            return list(value.operands)
        except ValueError:  # it is closed
            return []
    if isinstance(value, numpy.void):
        return [*held, value.base] if not value.dtype.hasobject else None
    if not isinstance(value, numpy.ndarray):
        return held
    if value.base is not None:
        is_nobody_s = type(value.base) is memoryview and value.base.obj is None
        return [*held, value.base] if not is_nobody_s else None
    if not value.dtype.hasobject:
        return held
    return [*held, *items_of(value)] if value.dtype.kind == "O" else None


def reduced(value: Any) -> Any:
    """Return how a masked array is pickled with its filling as it lies: numpy makes another.

    Of what an array holds, where there is one object for all that are alike, that is found again.
    """
    numpy = sys.modules["numpy"]
    if issubclass(type(value), numpy.dtype):
        is_alone = numpy.dtype(value.char) is value
        return (numpy.dtype, (value.char,)) if is_alone else NotImplemented
    if type(value) is not numpy.ma.MaskedArray:
        return NotImplemented
    make, arguments, state = value.__reduce__()
    return make, arguments, (state, vars(value).get("_fill_value")), None, None, fill


def fill(value: Any, state: tuple[Any, Any]) -> None:
    """Give a masked array its state and its filling; files refer to it by its name."""
    value.__setstate__(state[0])
    vars(value)["_fill_value"] = state[1]


# ------------------------------------------------------------------ hashing


def add_array(hasher: Hasher, value: Any) -> None:
    """Write an array, its class, its type and what else it keeps too."""
    numpy = sys.modules["numpy"]
    plain = numpy.ndarray.view(value, numpy.ndarray)
    kind = type(value)
    hasher.tag(f"array {qualified(kind)} {plain.shape!r}")
    if kind is not numpy.ndarray:
        _add_kept(hasher, value)
    hasher.tag("dtype %s" % (plain.dtype.descr if plain.dtype.names else plain.dtype.str))
    if plain.dtype.metadata:
        hasher.add(dict(plain.dtype.metadata))
    add_content(hasher, plain)


def _add_kept(hasher: Hasher, value: Any) -> None:
    """Write what an array of a class keeps beside its values; of a masked one where they count."""
    numpy, kind = sys.modules["numpy"], type(value)
    held = fields(value) or {}
    if "_mask" in held and issubclass(kind, numpy.ma.MaskedArray):
        filling = held.get("_fill_value")
        if filling is None:  # it is worked out when it is asked for
            filling = numpy.ma.default_fill_value(value.dtype)
        filling = numpy.array(filling, value.dtype)  # of objects numpy may keep a text instead
        hasher.add(numpy.asarray(held["_mask"]))
        hasher.all("masked", [filling, bool(held.get("_hardmask"))])
        held = {name: item for name, item in held.items() if name not in _OF_MASKED}
    instances.add_own(hasher, kind)  # a column of pandas may lie in one, of which nobody else tells
    if held and kind.__module__.partition(".")[0] != "numpy":
        caches = getattr(of_module(kind.__module__), "CACHES", ())
        hasher.attributes({name: item for name, item in held.items() if name not in caches})


_OF_MASKED = frozenset(
    {
        "_mask", "_fill_value", "_hardmask", "_sharedmask", "_isfield", "_baseclass", "_basedict",
        "_optinfo",
    }
)  # fmt: skip


def _array(hasher: Hasher, value: Any) -> None:
    """Write an array that a name or a container holds: whether it may be written to, too."""
    if not (value.flags.writeable or hasher.context.memory):
        hasher.tag("read only")
    if value.ndim > 1 and not value.flags.c_contiguous and not _goes_row_by_row(value):
        hasher.note_order()
    add_array(hasher, value)


def _goes_row_by_row(value: Any) -> bool:
    """Tell whether the last index of an array is the one that takes the shortest steps."""
    pairs = zip(value.strides, value.shape)  # noqa: B905  # of one length
    steps = [abs(step) for step, count in pairs if count > 1]
    return steps == sorted(steps, reverse=True)


def add_content(hasher: Hasher, plain: Any) -> None:
    """Write what an array of no other class holds."""
    numpy = sys.modules["numpy"]
    if not plain.dtype.names and (plain.dtype.hasobject or plain.dtype.kind == "T"):
        add_objects(hasher, plain.ravel().tolist())
        return
    if plain.dtype.names:  # field by field: the bytes between fields are nobody's
        for name in plain.dtype.names:
            add_content(hasher, plain[name])
        return
    if hasher.context.memory and plain.flags.forc:
        start = plain.__array_interface__["data"][0]
        if hasher.context.lies_in_memory(start, plain.nbytes):
            hasher.tag(f"at {start} {plain.strides!r}")
            return
    work = plain.nbytes // _BYTES_AT_ONCE
    if work > hasher.size:
        raise UnknownValue(TOO_LARGE)
    hasher.size -= work
    hasher.raw(bulk.numbers(numpy, numpy.ascontiguousarray(plain)))


def add_objects(hasher: Hasher, values: list[Any]) -> None:
    """Write a column of objects; the missing values of a library do not make it slow."""
    kinds = {type(item) for missing in answers("missing_values") for item in missing}
    kind_of = hasher.context.texts.kind_of
    if kinds and not kinds.isdisjoint(map(kind_of, values)):
        where = bytes(kind_of(value) in kinds for value in values)
        hasher.raw(where)
        hasher.all("holes", [str(v) for v in values if kind_of(v) in kinds])
        values = [value for value in values if kind_of(value) not in kinds]
    hasher.all("objects", values)


def _scalar(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"scalar {value.dtype.str}")
    hasher.raw(value.tobytes())


def _row(hasher: Hasher, value: Any) -> None:
    """Write a row of an array of fields by what these hold."""
    if not value.dtype.names:
        _scalar(hasher, value)
        return
    hasher.tag(f"row {qualified(type(value))} {value.dtype.descr}")
    add_content(hasher, sys.modules["numpy"].asarray(value))


def _random_state(hasher: Hasher, value: Any) -> None:
    """Write where random numbers stand; of those that no name holds that is known by itself."""
    hasher.tag("random state")
    if value is not getattr(sys.modules["numpy.random.mtrand"], "_rand", None):
        hasher.add(value.get_state(legacy=False))


def _bits(hasher: Hasher, value: Any) -> None:
    """Write a source of random numbers: where it stands, and how many others were made of it."""
    seeds = getattr(value, "seed_seq", None)  # numpy 1.25
    hasher.tag("bit generator")
    hasher.add([value.state, getattr(seeds, "n_children_spawned", 0)])


def _ufunc(hasher: Hasher, value: Any) -> None:
    """Write a function of arrays, by its name unless it was made of another, which nobody sees."""
    if value.__name__.endswith(" (vectorized)"):
        raise UnknownValue("what `numpy.frompyfunc` makes of a function is not compared")
    hasher.tag(f"ufunc {value.__name__}")


def _vectorize(hasher: Hasher, value: Any) -> None:
    """Write a function for each element, without what was made of it when it was called."""
    hasher.tag("vectorize")
    hasher.attributes({name: held for name, held in vars(value).items() if name != "_ufunc"})


HASHED: dict[str, dict[str, Handler]] = {
    "numpy": {
        "ndarray": _array,
        "void": _row,
        "generic": _scalar,
        "dtype": lambda hasher, value: hasher.tag(f"dtype {value!r}"),
        "random.Generator": lambda hasher, value: _bits(hasher, value.bit_generator),
        "random.BitGenerator": _bits,
        "random.RandomState": _random_state,
        "finfo": lambda hasher, value: hasher.all("limits", [value.dtype]),
        "ufunc": _ufunc,
        "vectorize": _vectorize,
    },
}


is_flat = _read_arrays.is_flat
only_looked_at = _read_arrays.only_looked_at
