"""Resumed runs held against full ones, after random edits of a notebook and what it uses.

    python tests/resume/random_edits.py --edits 4 --seed 1 NOTEBOOK...

What a resumed run gives is wrong where full runs agree on something else: findings, verdict,
reasons, each run with its outputs, values, failure and lineage, what was judged, what every name
holds at the end, and the files then. Only notebooks that may be executed are to be given. Each has
a process, a folder and a store of its own, and is edited some times in a row, some of these edits
being taken back.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pytest_nbsafe.app import kernels, session, whole_reports
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.findings import Report
from pytest_nbsafe.kernel.checkpoint_contract import Keeping, KeepQuestion
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.resume import keeping_budget
from pytest_nbsafe.runner.kept_session import KeptSession
from pytest_nbsafe.runner.kernel import StateDiffers
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.values import replace
from resume import page_edits

_NOT_COMPARED = frozenset(
    {"identity", "duration_s", "cpu_s", "cost_s", "reused", "again_s", "since"}
)
_REPR = (
    "{{name: __import__('re').sub('0x[0-9a-fA-F]+', '0x', value.__repr__()[:3000])"
    " for name, value in [*globals().items()] if name in {names!r}"
    " and not isinstance(value, type)}}"
)
_ADDRESS = re.compile(r"(?:0x|\.\.\.0?x?)[0-9a-fA-F]{8,}")
"""Kernels that are forks of one process have addresses in common, those of another have others."""
_AS_LONG_S = 100.0
_LOG = "NBSAFE_EDITS_LOG"
"""Names a file to which every edit is added when it is over, with its seed."""
_MOST_BEGUN = 2
_FULL_RUNS = 4
"""So many have to agree: what a page draws may come out as one of two things."""
_NONE = "(none)"
_AROUND = 150
"""So many characters of two texts are shown on either side of where they part."""
Told = dict[str, str]


class Edited(NamedTuple):
    """What came of an edit: what was done, where the resumed run is wrong, and what it reused."""

    notebook: str
    step: int
    what: str
    wrong: list[str]
    reused: str
    took_s: float


def told_by(project: page_edits.Project, resume: str) -> tuple[Told, str]:
    """Run a notebook; return all that is compared, by its place, and what was said of reuse.

    Where what is held at the end cannot be told, for a cell gives something else when it is run
    again, the whole is done anew, as `nbsafe checkout` and `nbsafe diff` do.
    """
    for _ in range(_MOST_BEGUN):
        with suppress(StateDiffers):
            return _told_at_once(project, resume)
    told, _ = _told_at_once(project, resume, asks_end=False)
    return told, "(no end)"


def _told_at_once(
    project: page_edits.Project, resume: str, *, asks_end: bool = True
) -> tuple[Told, str]:
    project.lay()
    os.environ.update(project.environ)
    config = configuration(project.path, {"resume": resume, "kernel": "python3"})
    place = whole_reports.place_of(project.path, config)
    whole = whole_reports.known(place) if place is not None else None
    each = session.NotebookSession(project.path, config)
    each.kept = []
    try:
        for cell in each.cells:
            each.outcome(cell.number)
        each.outcome(0)
        report = each.report()
        said = next((remark for remark in report.remarks if "reused" in remark), "")
        about = {
            "findings": each.findings,
            "whole": _said_of(whole or Report(each.findings, (report,))),
            "trial": each.trial,
            "end": [*map(_held, each.kept[-1:])] if asks_end else (),
            "files": dict(_files(project.folder)),
        }
        told = dict(_flat("", about))
        if place is not None:
            whole_reports.keep(place, each)
        return told, said + (" (whole)" if whole is not None else "")
    finally:
        each.close()


def _said_of(report: Report) -> Mapping[str, Any]:
    """Return what a report says of a notebook, but of what was reused, and how long it took."""
    (notebook,) = report.notebooks
    resumed = ("reused", "nbsafe checkout", "was run anew")
    remarks = [each for each in notebook.remarks if not any(word in each for word in resumed)]
    rest = replace(notebook, remarks=(), resumed=None, costs=())
    return {"findings": report.findings, "of": rest, "remarks": remarks}


def _held(kept: KeptSession) -> Mapping[str, Any]:
    """Return what the names of a session hold at its end, told by fingerprints and in words."""
    holding = kept.sweep()
    if holding is None:
        return {}
    live: Any = kept.kernel if isinstance(kept.kernel, LiveKernel) else kept.kernel.live  # type: ignore[attr-defined]
    names = sorted(name for name in holding.names if name[:1] != "_")
    words = live.fetch(_REPR.format(names={*names}))
    return {"names": holding.comparable, "beside": holding.beside, "words": _unpickled(words)}


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            content = hashlib.blake2b(file.read_bytes(), digest_size=8).hexdigest()
            yield file.relative_to(folder).as_posix(), content


def _unpickled(fetched: Mapping[str, str]) -> object:
    import base64
    import pickle

    return pickle.loads(base64.b64decode(fetched["pickled"])) if fetched["pickled"] else ""


def _flat(place: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield every value within a value with its place."""
    if is_dataclass(value):
        for field in fields(value):
            if field.name not in _NOT_COMPARED:
                yield from _flat(f"{place}.{field.name}", getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(f"{place}[{key!r}]", item)
    elif isinstance(value, (set, frozenset)):
        yield place, repr(sorted(map(repr, value)))
    elif isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        items = [*_streams_as_one(value)]
        for number, item in enumerate(items):
            yield from _flat(f"{place}[{number}]", item)
        yield f"{place}.length", str(len(items))
    else:
        yield place, _ADDRESS.sub("0x", repr(value))


def _streams_as_one(values: Sequence[Any]) -> Iterator[Any]:
    """Yield values; what was printed on one stream as one, for which of two comes first is chance.

    IPython sends each of them after some tenths of a second.
    """
    for is_printed, some in itertools.groupby(values, key=_is_printed):
        if not is_printed:
            yield from some
            continue
        texts: dict[str, str] = {}
        for output in some:
            texts[output.name] = texts.get(output.name, "") + output.text
        yield from (Output("stream", name=name, text=texts[name]) for name in sorted(texts))


def _is_printed(value: object) -> bool:
    return isinstance(value, Output) and value.kind == "stream"


def wrong_in(resumed: Told, others: Sequence[Told]) -> list[str]:
    """Return what a resumed run tells otherwise than full ones that agree."""
    full, *again = others
    return [
        f"{place}: {_where_they_part(full.get(place, _NONE), resumed.get(place, _NONE))}"
        for place in sorted(full.keys() | resumed.keys())
        if resumed.get(place) != full.get(place)
        and all(other.get(place) == full.get(place) for other in again)
    ]


def _where_they_part(full: str, resumed: str) -> str:
    """Return two texts around the first character that differs."""
    both = enumerate(zip(full, resumed, strict=False))
    at = next((at for at, (one, other) in both if one != other), min(len(full), len(resumed)))
    start, end = max(at - _AROUND, 0), at + _AROUND
    place = f"at {at}: " if start else ""
    return f"{place}{full[start:end]} -> {resumed[start:end]}"


def keep_all() -> None:
    """Let each value be kept that can be, however quickly it was made."""
    for name, value in {
        "_WORTH_S": 0.0,
        "_LONG_S": 0.0,
        "_LEAST_SPENT_S": 0.0,
        "MOST_SHARE": 1e6,
        "_WAIT_SHARE": 1e6,
    }.items():
        setattr(keeping_budget, name, value)
    keeping_budget.LEAST_S = 0.0
    keep = LiveKernel.keep

    def with_costs(kernel: LiveKernel, asked: KeepQuestion) -> Keeping:
        asked["took_s"], asked["limit_s"] = dict.fromkeys(asked["names"], _AS_LONG_S), _AS_LONG_S
        return keep(kernel, asked)

    setattr(LiveKernel, keep.__name__, with_costs)  # mypy takes it for a method of another kind


def edits(notebook: Path, folder: Path, seed: int, number: int) -> Iterator[Edited]:
    """Edit a notebook so many times, and yield what came of each."""
    rng = random.Random(f"{seed} {notebook.name}")
    if rng.random() < 0.7:
        keep_all()
    project = page_edits.Project(notebook, folder / "project", folder / "site-packages", rng)
    project.plant(share=rng.choice((0.0, 0.4, 0.8)))
    told_by(project, "on")
    earlier = [copy.deepcopy(project.page)]
    for step in range(1, number + 1):
        started = time.perf_counter()
        if len(earlier) > 1 and rng.random() < 0.15:
            what, project.page = "taken back", copy.deepcopy(rng.choice(earlier))
        else:
            whats = [page_edits.edit(project) for _ in range(rng.choice((1, 1, 1, 2)))]
            what = "; ".join(whats)
        earlier.append(copy.deepcopy(project.page))
        wrong, reused = held_against_full_runs(project)
        if wrong:
            (folder / f"wrong_{step}.json").write_text(json.dumps(earlier), encoding="utf-8")
        yield Edited(str(notebook), step, what, wrong, reused, time.perf_counter() - started)


def held_against_full_runs(project: page_edits.Project) -> tuple[list[str], str]:
    """Run a notebook resumed and in full; return where the first is wrong, and what it reused."""
    resumed, reused = told_by(project, "on")
    full, _ = told_by(project, "off")
    if reused == "(no end)":
        full = {place: full[place] for place in full if not place.startswith("['end']")}
    wrong: list[str] = []
    others = [full]
    while len(others) < _FULL_RUNS and (wrong or len(others) == 1) and resumed != full:
        others.append(told_by(project, "off")[0])
        wrong = wrong_in(resumed, others)
    return wrong, reused


def _given_paths() -> list[str]:
    given = os.environ.get("PYTHONPATH")
    return [given] if given else []


def in_a_process(
    notebook: Path,
    folder: Path,
    seed: int,
    number: int,
    limit_s: float = 3600,
    script: str = __file__,
) -> list[Edited]:
    """Edit a notebook in a process that has a path, a store and an environment of its own.

    `script` is what does it there.
    """
    environ = {
        **os.environ,
        "NBSAFE_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join([str(folder / "site-packages"), *_given_paths()]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    (folder / "site-packages").mkdir(parents=True)
    (folder / "cache").mkdir(mode=0o700)
    command = [sys.executable, script, "--within", str(folder), "--edits", str(number)]
    ran = subprocess.run(
        [*command, "--seed", str(seed), str(notebook)],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=limit_s,
    )
    done = []
    for line in ran.stdout.splitlines():
        with suppress(ValueError):  # what else is printed
            done.append(Edited(*json.loads(line)))
    if ran.returncode:
        what = f"it ended with {ran.returncode}"
        done.append(Edited(str(notebook), 0, what, [ran.stderr[-2000:]], "", 0.0))
    return done


def tell(done: Iterator[Edited], seed: int) -> None:
    """Print what came of each edit, for the process that started this one, and end all kernels."""
    for each in done:
        sys.stdout.write(f"{json.dumps(each)}\n")
        sys.stdout.flush()
        if _LOG in os.environ:
            with Path(os.environ[_LOG]).open("a", encoding="utf-8") as log:
                log.write(f"{json.dumps([seed, *each])}\n")
    kernels.end_servers()


def main() -> int:
    """Edit notebooks, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", type=Path, nargs="+")
    parser.add_argument("--edits", type=int, default=3, help="of each notebook")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--within", type=Path, help="the folder of one process")
    given, out = parser.parse_args(), sys.stdout
    if given.within:
        (notebook,) = given.notebooks
        tell(edits(notebook.resolve(), given.within, given.seed, given.edits), given.seed)
        return 0
    count = wrong = 0
    for notebook in given.notebooks:
        folder = Path(tempfile.mkdtemp(prefix="edits-"))
        done_here = in_a_process(notebook, folder, given.seed, given.edits)
        for done in done_here:
            count += 1
            wrong += bool(done.wrong)
            mark = "WRONG" if done.wrong else "right"
            place = f"{notebook.name} {done.step}"
            about = f"{done.took_s:6.1f} s  {place}  {done.reused[:40]}  {done.what[:300]}"
            out.write(f"{mark} {about}\n")
            out.writelines(f"      {line}\n" for line in done.wrong[:12])
        if any(done.wrong for done in done_here):
            out.write(f"      see {folder}\n")
        else:
            subprocess.run(["rm", "-rf", str(folder)], check=False)
        out.flush()
    out.write(f"{count} edits, {wrong} wrong\n")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
