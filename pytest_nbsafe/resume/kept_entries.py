"""Co-variables as the store has them: each beside the run that made it, or changed it last."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TypedDict

from pytest_nbsafe.kernel.checkpoint_contract import CoVariable
from pytest_nbsafe.kernel.contract import OPEN_FIGURES, SETS
from pytest_nbsafe.resume.past_runs import KeptValue, PastRun
from pytest_nbsafe.resume.state import State, is_tied, made_by_value
from pytest_nbsafe.store.list_hash import hashed
from pytest_nbsafe.values import dataclass


class Part(TypedDict):
    """A part of a co-variable, as an entry of the store has it: see `KeptValue`.

    `makers` are those of its names.
    """

    covariable: CoVariable
    makers: dict[str, str]
    around: dict[str, str]


@dataclass(frozen=True, slots=True)
class Moment:
    """When values are kept: after these runs, where the kernel `held` of each name what is said.

    That is the maker of what it held. Where a run was not made again it may hold less than is known
    of the names.
    """

    runs: tuple[PastRun, ...]
    held: Mapping[str, str]


def parts(covariable: CoVariable, then: Moment) -> Iterator[tuple[str, Part]]:
    """Yield the runs whose values are kept, each with the names that were as they are by then.

    However much later a value is kept, it is as the last run left it that made or changed it.
    """
    now, whole = then.runs[-1].after, covariable["names"]
    others = now.keys() - {*whole, *covariable["left_out"], OPEN_FIGURES}  # nobody looked at those
    around = {
        name: now[name].maker
        for name in sorted(others)
        if is_tied(name, now[name]) and then.held.get(name) == now[name].maker
    }
    makers = {name: now[name] for name in whole if name in now}
    names: list[str] = []
    for run in then.runs:
        made = [name for name, held in makers.items() if held.run == run.entry]
        if made:
            names += made
            yield (
                run.entry,
                {
                    "covariable": {**covariable, "names": sorted(names)},
                    "makers": {name: makers[name].maker for name in names},
                    "around": around,
                },
            )


def as_kept(part: Part, after: State, by_value: Collection[str]) -> KeptValue | None:
    """Return what is kept of names if they hold it: of the same makers, or equal to it.

    Of what is only equal it is not known with what it shares objects.
    """
    covariable, makers = part["covariable"], part["makers"]
    found = {name: after.get(name) for name in covariable["names"]}
    are_made = all(held is not None and held.maker == makers[n] for n, held in found.items())
    if are_made and not any(made_by_value(maker, by_value) for maker in makers.values()):
        return KeptValue(covariable, part["around"])
    (name, held), *others = found.items()
    digest = covariable["fingerprints"][name]["hash"]
    is_equal = held is not None and digest == held.hash != "" and SETS not in digest
    return KeptValue(covariable, {}) if not others and (are_made or is_equal) else None


def question(entry: str) -> str:
    """Return what stands for the values of a run."""
    return hashed("values", entry)
