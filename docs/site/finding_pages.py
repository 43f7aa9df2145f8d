"""The pages that are made when the site is built: one a finding, from its rule and a run of it.

Each page has the text of the rule's module, its two examples, and what `nbsafe run` really prints
for the bad one, so that none of it can be out of date. With NBSAFE_DOCS_STATIC=1 only what no text
tells is run, which takes a third of the time.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from pytest_nbsafe.app import check as app_check
from pytest_nbsafe.app import run as app_run
from pytest_nbsafe.codes import CODES, Code
from pytest_nbsafe.findings import Report
from pytest_nbsafe.reports import text
from pytest_nbsafe.rules import Rule

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
os.environ["PIP_NO_INDEX"] = "1"  # an example that installs must not change this environment

import percent  # noqa: E402 - the notation of the examples is that of the tests

_COPIES = {"security.md": ".github/SECURITY.md", "changes.md": ".github/CHANGELOG.md"}
_FAMILIES = {
    "1": "Order: what the counts and the names say",
    "2": "Stale values",
    "3": "Leaks of data",
    "4": "Runs: failures, outputs, chance, the environment",
    "5": "Contracts of your own",
    "9": "Files, kernels, and nbsafe itself",
}
_NEEDS = {
    "static": """\
The text of the notebook shows it. `nbsafe check`, the hook and pytest find it alike, and nothing
has to run.""",
    "either": """\
From the text alone, in `nbsafe check` and the hook, it is *proved* where that leaves no doubt, and
else *suspected*, which is a warning. `pytest --nbsafe` and `nbsafe run` then put it on trial: what
a run shows too is *confirmed* or *observed*, what a run refutes is dropped.""",
    "run": """\
Only a run shows it: `pytest --nbsafe` or `nbsafe run`. `nbsafe check` and the hook, which run
nothing, never report it.""",
    "-": "It is reported by whatever looks at the notebook, where the analysis itself meets it.",
}
_PARTS = re.compile(r"^(Why it matters|Limits|Source): ", re.MULTILINE)
_DECLARES = re.compile(r"^# the project declares: (.+)$", re.MULTILINE)
_SETTINGS: dict[str, dict[str, object]] = {"NBS904": {"timeout": 2}}
_INDEX = """\
# Findings

The severity is that of a finding that is proved; one that is only suspected is a warning. Notes
show with `--nbsafe-notes` (`--notes`). `nbsafe explain NBS201` shows most of a page in a terminal.
"""
_WITHOUT_A_RUN = {"static", "either"} if os.environ.get("NBSAFE_DOCS_STATIC") else {"static"}
"""What is built quickly, to try it, shows what `nbsafe check` prints, wherever it finds it."""
_COMMANDS: dict[str, Callable[[list[Path], dict[str, object]], Report]] = {
    "run": app_run.run,
    "check": app_check.check,
}
_NOTATION = (
    "`# %% [4]` begins a cell that was saved with the count 4, `#>` is what it printed, and `#!` "
    "marks the line of the finding."
)


def on_config(config: MkDocsConfig) -> None:
    """Put the pages of the findings where the navigation leaves a place for them."""
    groups = [
        {title: [{f"{row.code} {row.name}": _page_of(row)} for row in _rows(digit)]}
        for digit, title in _FAMILIES.items()
    ]
    for entry in config.nav or ():
        if "Findings" in entry:
            entry["Findings"] = ["findings/index.md", *groups]


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the pages that lie in no file of this folder."""
    pages = {name: (ROOT / source).read_text("utf-8") for name, source in _COPIES.items()}
    pages["findings/index.md"] = _index()
    pages.update((_page_of(row), _page(row)) for row in CODES.values())
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))


def _rows(digit: str) -> list[Code]:
    return [row for row in CODES.values() if row.code.startswith(f"NBS{digit}")]


def _page_of(row: Code) -> str:
    return f"findings/{row.code}.md"


def _index() -> str:
    lines = [_INDEX]
    for digit, title in _FAMILIES.items():
        lines += [f"## {title}\n", "| code | severity | what it says |", "| --- | --- | --- |"]
        lines += [
            f"| [{row.code} {row.name}]({row.code}.md) | {row.severity} | {row.says} |"
            for row in _rows(digit)
        ]
        lines.append("")
    return "\n".join(lines)


def _page(row: Code) -> str:
    return "\n\n".join(_sections(row)) + "\n"


def _sections(row: Code) -> Iterator[str]:
    module = Rule(row.code).module
    told, *parts = _PARTS.split(inspect.cleandoc(module.__doc__ or ""))
    named = dict(zip(parts[::2], parts[1::2], strict=True))
    yield f"# {row.code} {row.name}"
    yield f"**{row.severity.capitalize()}.** {told.strip()}"
    yield "## Why it matters"
    yield _sentence(named["Why it matters"])
    yield "## An example"
    yield _block(module.BAD)
    if "# %%" in module.BAD:
        yield _NOTATION
    yield from _printed(row, module.BAD)
    yield "## How it is proved"
    yield _NEEDS[row.needs]
    yield "## How to mend it"
    yield "The same, without the fault:"
    yield _block(module.GOOD)
    yield "## When it is wrong, or says nothing"
    yield _sentence(named["Limits"])
    yield (
        f"A comment `# nbsafe: ignore[{row.code}] why` on the line silences it, the tag "
        f'`nbsafe:ignore={row.code}` its cell, `ignore = ["{row.code}"]` all of them: see '
        "[Silence a finding](../guide/silence.md)."
    )
    if more := getattr(module, "more", str)():
        yield "## Reference"
        yield _block(more)
    if "Source" in named:
        yield "## Source"
        yield _sentence(named["Source"])


def _sentence(words: str) -> str:
    words = words.strip()
    return words[:1].upper() + words[1:]


def _block(lines: str) -> str:
    return "```text\n" + lines.strip("\n") + "\n```"


def _printed(row: Code, example: str) -> Iterator[str]:
    """Yield what a command prints of an example, and which; nothing if it does not find it."""
    with tempfile.TemporaryDirectory() as folder:
        notebook = Path(folder, "notebook.ipynb")
        try:
            percent.write(percent.parse(example, str(notebook)), notebook)
        except ValueError:  # it is no notebook, which is its point
            notebook.write_text(example, encoding="utf-8")
        if declares := _DECLARES.search(example):
            Path(folder, "requirements.txt").write_text(declares[1].replace(", ", "\n"))
        settings = {"notes": True, "cache": False, **_SETTINGS.get(row.code, {})}
        if not row.code.startswith("NBS9"):  # these tell of the work of others
            settings["select"] = [row.code]
        for name, command in _COMMANDS.items():
            if name == "run" and row.needs in _WITHOUT_A_RUN:
                continue
            printed = text.render(command([notebook], settings))
            if row.code in printed:
                yield f"`nbsafe {name}` says:"
                yield _block(printed.replace(f"{folder}{os.sep}", ""))
                return
