"""What is made here behaves as what the module `dataclasses` makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from pytest_nbsafe import values


def bare() -> type:
    """Return a body to make a class of."""

    class Bare:
        """What is known of a."""

        KIND: ClassVar[str] = "bare"
        a: int
        b: tuple[int, ...] = ()

        @property
        def twice(self) -> int:
            return 2 * self.a

    return Bare


def both(**options: bool) -> tuple[Any, Any]:
    ours: Callable[..., Any] = values.dataclass
    theirs: Callable[..., Any] = dataclasses.dataclass
    return ours(**options)(bare()), theirs(**options)(bare())


def answers(made: Any) -> dict[str, object]:
    """Return what a class answers to whatever may be asked of a value."""
    one, same, other = made(1), made(a=1, b=()), made(2, (3,))
    return {
        "repr": repr(other),
        "equal": [one == same, one == other, one != other, one == (1, ())],
        "replaced": repr(dataclasses.replace(one, b=(5,))),
        "asdict": dataclasses.asdict(other),
        "fields": [field.name for field in dataclasses.fields(made)],
        "copied": copy.copy(one) == one and copy.deepcopy(other) == other,
        "patterns": made.__match_args__,
        "twice": other.twice,
        "kind": (made.KIND, other.KIND),
        "dict": hasattr(one, "__dict__"),
        "named": (made.__name__, made.__qualname__, made.__module__, made.__doc__),
    }


def raised(attempt: Callable[[Any], object], made: Any) -> str:
    try:
        attempt(made)
    except (TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize("frozen", [True, False])
def test_a_value_answers_as_a_dataclass(*, frozen: bool, slots: bool) -> None:
    ours, theirs = (answers(made) for made in both(frozen=frozen, slots=slots))
    assert theirs == ours


@pytest.mark.parametrize("frozen", [True, False])
def test_what_cannot_be_done_is_refused_in_the_same_words(*, frozen: bool) -> None:
    ours, theirs = both(frozen=frozen, slots=True)
    attempts: list[Callable[[Any], object]] = [
        lambda made: made(),
        lambda made: made(1, (), 3),
        lambda made: made(1, c=3),
        lambda made: hash(made(1)) * 0,
        lambda made: made(1) < made(2),
        lambda made: setattr(made(1), "a", 2),
        lambda made: delattr(made(1), "a"),
    ]
    said = [raised(attempt, theirs) for attempt in attempts]
    assert said == [raised(attempt, ours) for attempt in attempts]
    assert frozen == ("FrozenInstanceError: cannot assign to field 'a'" in said)


def test_equal_values_are_one_in_a_set() -> None:
    frozen, _ = both(frozen=True, slots=True)
    assert len({frozen(1), frozen(1), frozen(2)}) == 2


@values.dataclass(frozen=True, slots=True)
class Held:
    """A value with a default made again for each instance, and one that is not compared."""

    name: str
    seen: list[int] = values.field(default_factory=list)
    memo: dict[str, int] = values.field(default_factory=dict, compare=False)


def test_a_default_is_made_for_each_instance() -> None:
    one, other = Held("a"), Held("a")
    one.seen.append(1)
    assert (one.seen, other.seen) == ([1], [])


def test_what_is_not_compared_makes_no_difference() -> None:
    assert Held("a", memo={"x": 1}) == Held("a")
    assert Held("a", [1]) != Held("a")
    assert Held("b", [1], {"x": 2}) == values.replace(Held("a", [1]), name="b")


def test_a_value_goes_through_a_pickle() -> None:
    value = Held("a", [1], {"x": 2})
    restored = pickle.loads(pickle.dumps(value))
    assert (value, value.memo) == (restored, restored.memo)


def test_an_unknown_change_is_refused() -> None:
    with pytest.raises(TypeError, match="nope"):
        values.replace(Held("a"), nope=1)  # type: ignore[call-arg]
