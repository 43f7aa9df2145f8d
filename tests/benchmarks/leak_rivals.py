"""What other static tools find of leakage beside `nbsafe check`, on labelled notebooks.

Each tool gets a virtual environment of its own and one process a notebook. A notebook counts as
flagged when a tool reports any leak at its default settings; a notebook without an answer counts
as not flagged. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import percent  # noqa: E402

FAMILIES = {
    "NBS30": "preprocessing",
    "NBS31": "overlap",
    "NBS32": "test reuse",
    "NBS33": "time, groups",
    "NBS34": "target",
}
_MARK = re.compile(r"[ \t]*#!.*")
_CODE = re.compile(r"NBS3\d+")


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled notebook, under a name that tells nothing, and the families that leak in it."""

    path: Path
    leaky: bool
    families: frozenset[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool said of a notebook, as (code, level) (None: no answer), and its CPU seconds."""

    said: tuple[tuple[str, str], ...] | None
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: how it is installed and called, how its answer is read, and which codes are leaks.

    `leaks` gives the families that a code may stand for; a code that it lacks is no leak. `rows`
    are the lines of the table, each with the levels that it counts; the first is the default.
    """

    requirement: str
    command: tuple[str, ...]
    read: Callable[[Any], Iterable[tuple[str, str]]]
    leaks: Mapping[str, str]
    rows: Mapping[str, frozenset[str]]


# ---------------------------------------------------------------- the tools


def _ours(data: Any) -> list[tuple[str, str]]:
    return [(finding["code"], finding["severity"]) for finding in data["findings"]]


def _mlguard(data: Any) -> list[tuple[str, str]]:
    return [(diagnostic["rule_id"], diagnostic["severity"]) for diagnostic in data]


def _waldean(data: Any) -> list[tuple[str, str]]:
    levels = ("flags", "candidates")
    return [(flag["flaw_id"], level) for level in levels for flag in data[level]]


def _leaklens(data: Any) -> list[tuple[str, str]]:
    return [(finding["kind"], finding["severity"]) for finding in data["findings"]]


NO_ANSWER = frozenset({"PARSE", "parse_error"})
OURS = Tool(
    "pytest-nbsafe",
    ("-m", "pytest_nbsafe", "check", "--no-cache", "--select", "NBS3", "--format", "json"),
    _ours,
    {f"{family}{digit}": family for family in FAMILIES for digit in range(10)},
    {
        "nbsafe": frozenset({"error", "warning"}),
        "nbsafe, errors only": frozenset({"error"}),
    },
)
RIVALS = (
    Tool(
        "mlguard-lint==0.1.1",
        ("-m", "mlguard_lint", "--format", "json"),
        _mlguard,
        {
            "MLG001": "NBS30 NBS31",
            "MLG002": "NBS30 NBS31",
            "MLG003": "NBS31",
            "MLG004": "NBS31",
            "MLG007": "NBS33",
            "MLG008": "NBS32",
            "MLG010": "NBS32",
            "MLG011": "NBS34 NBS30",
            "MLG012": "NBS31",
            "MLG013": "NBS31 NBS30",
            "MLG014": "NBS33",
            "MLG015": "NBS34",
            "MLG016": "NBS30",
            "MLG018": "NBS30 NBS34",
            "MLG020": "NBS34 NBS33",
            "MLG021": "NBS31",
        },
        {
            "mlguard-lint": frozenset({"critical", "warning", "info"}),
            "mlguard-lint, critical only": frozenset({"critical"}),
        },
    ),
    Tool(
        "waldean==0.6.0",  # it was called wald-lint up to 0.4
        ("-m", "waldean.cli", "check", "--format", "json"),
        _waldean,
        {
            "leakage-fit-before-split": "NBS30 NBS31 NBS34",
            "leakage-temporal-shuffle": "NBS33",
            "leakage-test-selection": "NBS32",
            "leakage-future-feature": "NBS33 NBS34",
        },
        {
            "waldean": frozenset({"flags"}),
            "waldean, candidates too": frozenset({"flags", "candidates"}),
        },
    ),
    Tool(
        "leaklens-ml==0.11.0",
        ("-m", "leaklens", "--json", "--scan"),
        _leaklens,
        {
            "preprocess_before_split": "NBS30 NBS34",
            "encoder_before_split": "NBS30 NBS34",
            "transformer_before_split": "NBS30 NBS34",
            "fit_on_eval_data": "NBS30 NBS31",
            "fit_on_full_data": "NBS30 NBS31",
            "preprocess_outside_cv": "NBS30 NBS34",
            "resample_before_split": "NBS31",
            "resample_outside_cv": "NBS31",
        },
        {
            "leaklens-ml": frozenset({"high", "medium", "low"}),
            "leaklens-ml, low left out": frozenset({"high", "medium"}),
        },
    ),
)

# ---------------------------------------------------------------- the notebooks


def cases_of(source: Path, folder: Path) -> list[Case]:
    """Return the labelled notebooks of `source`, copied to `folder` under neutral names.

    Labels are a labels.json beside .ipynb files, or the `#! NBS301` marks of percent text.
    """
    folder.mkdir(parents=True)
    labels = source / "labels.json"
    if labels.exists():
        labelled = json.loads(labels.read_text(encoding="utf-8"))["notebooks"]
        return [_copied(source, label, folder, n) for n, label in enumerate(labelled, 1)]
    texts = sorted(source.glob("*.txt"))
    return [_written(path, folder / f"n{n:03}.ipynb") for n, path in enumerate(texts, 1)]


def _copied(source: Path, label: Mapping[str, Any], folder: Path, number: int) -> Case:
    path = shutil.copyfile(source / label["path"], folder / f"n{number:03}.ipynb")
    return Case(path, label["leaky"], frozenset(code[:5] for code in label["codes"]))


def _written(text_path: Path, path: Path) -> Case:
    text = text_path.read_text(encoding="utf-8")
    families = frozenset(code[:5] for mark in _MARK.findall(text) for code in _CODE.findall(mark))
    percent.write(percent.parse(_MARK.sub("", text), str(path)), path)
    return Case(path, bool(families), families)


# ---------------------------------------------------------------- running


def installed(tool: Tool, folder: Path) -> tuple[str, str] | None:
    """Return the Python that runs a tool and the tool's version, or None: not to be had.

    Its environment is made when it is not there yet.
    """
    package = tool.requirement.partition("==")[0]
    python = sys.executable
    if tool is not OURS:
        home = folder / package
        python = str(home / "bin" / "python")
        if not home.exists():
            venv.create(home, with_pip=True)
        pip = [python, "-m", "pip", "install", "-q", tool.requirement]
        if subprocess.run(pip, stdout=subprocess.DEVNULL, check=False).returncode:
            return None
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return python, done.stdout.strip()


def answer(tool: Tool, python: str, path: Path) -> Answer:
    """Return what a tool says of a notebook, in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [python, *tool.command, path.name]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    try:
        said = tuple(tool.read(json.loads(done.stdout)))
    except (ValueError, KeyError, TypeError):
        return Answer(None, cpu_s)
    return Answer(None if NO_ANSWER & {code for code, _ in said} else said, cpu_s)


# ---------------------------------------------------------------- scoring


def flagged(tool: Tool, levels: frozenset[str], case: Case, one: Answer) -> set[str]:
    """Return the families that a tool reports; a code of several is taken as the ones that fit."""
    told: set[str] = set()
    for code, level in one.said or ():
        if level in levels:
            families = tool.leaks.get(code, "").split()
            told |= set(families) & case.families or set(families[:1])
    return told


def scored(
    tool: Tool, levels: frozenset[str], cases: Sequence[Case], answers: Sequence[Answer]
) -> tuple[str, str]:
    """Return a row's cells of the first table (leaky or clean) and of the second (families)."""
    tally: Counter[str] = Counter()
    for case, one in zip(cases, answers, strict=True):
        told = flagged(tool, levels, case, one)
        tally[f"{'t' if bool(told) == case.leaky else 'f'}{'p' if told else 'n'}"] += 1
        tally["answered"] += one.said is not None
        tally.update(f"{family} right" for family in told & case.families)
        tally.update(f"{family} wrong" for family in told - case.families)
        tally.update(f"{family} wanted" for family in case.families)
    whole = (
        f"{tally['answered']} of {len(cases)}",
        share(tally["tp"], tally["fp"]),
        share(tally["tp"], tally["fn"]),
        " ".join(str(tally[key]) for key in ("tp", "fp", "fn", "tn")),
        f"{statistics.median(one.cpu_s for one in answers):.2f}",
    )
    parts = (
        f"{tally[f'{family} right']} of {tally[f'{family} wanted']}, {tally[f'{family} wrong']}"
        for family in FAMILIES
    )
    return " | ".join(whole), " | ".join(parts)


def share(part: int, rest: int) -> str:
    """Return a part's share of the whole, or a dash when there is none."""
    return f"{part / (part + rest):.2f}" if part + rest else "-"


def not_counted(tool: Tool, answers: Iterable[Answer]) -> str:
    """Return the codes that are not taken as leaks, with how often they came."""
    codes = Counter(code for one in answers for code, _ in one.said or ())
    return ", ".join(f"{code} {n}" for code, n in sorted(codes.items()) if code not in tool.leaks)


def report(sets: Mapping[str, Sequence[Case]], venvs: Path) -> str:
    """Return the tables: leaky or clean, then by family, then what was not counted."""
    heads = " | ".join(f"{name} ({family}x)" for family, name in FAMILIES.items())
    first = ["| set | tool | version | answered | precision | recall | tp fp fn tn | CPU s |"]
    first.append("|---" * 8 + "|")
    second = [f"| set | tool | {heads} |", "|---" * (2 + len(FAMILIES)) + "|"]
    rest = []
    had = [(tool, installed(tool, venvs)) for tool in (OURS, *RIVALS)]
    for name, cases in sets.items():
        for tool, where in had:
            if where is None:
                first.append(f"| {name} | {tool.requirement} | cannot be installed |")
                continue
            python, version = where
            answers = [answer(tool, python, case.path) for case in cases]
            for row, levels in tool.rows.items():
                whole, parts = scored(tool, levels, cases, answers)
                first.append(f"| {name} | {row} | {version} | {whole} |")
                second.append(f"| {name} | {row} | {parts} |")
            rest.append(f"{name}, {tool.requirement}: {not_counted(tool, answers) or 'none'}")
    titles = ("", "By family: found of wanted, false alarms", "")
    lines = [*first, *titles, *second, "", "Not counted as leaks", "", *rest]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Install, run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("venvs", type=Path, help="temporary folder for the tools' environments")
    parser.add_argument(
        "sources",
        nargs="*",
        type=Path,
        default=[ROOT / "fixtures" / "leakage" / "whole"],
        help="folders of labelled notebooks (default: fixtures/leakage/whole)",
    )
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp()).resolve()
    try:
        sets = {
            "/".join(source.resolve().parts[-2:]): cases_of(source, folder / str(n))
            for n, source in enumerate(options.sources, 1)
        }
        sys.stdout.write(report(sets, options.venvs.resolve()))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
