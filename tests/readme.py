"""Write the README's reference of findings again from the rules: `python tests/readme.py`."""

import inspect
from pathlib import Path

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.rules import Rule

README = Path(__file__).parent.parent / "README.md"
BEGIN = "<!-- findings: written by tests/readme.py -->\n"
_LONG = "NBS3"
"""A leak needs a whole model to show: the README has the cell of the finding alone."""
_SHOWN_ELSEWHERE = ("NBS5", "NBS9")
"""Contracts have a section of their own; of files and kernels a page shows nothing."""

END = "<!-- end of findings -->\n"


def reference() -> str:
    """Return the section: one entry a code, the examples of those that read the code itself."""
    lines = []
    for code, row in CODES.items():
        lines.append(f"- **{code} {row.name}** ({row.severity}): {row.says}")
        example = _example(code)
        if example:
            lines += ["", *(f"      {line}".rstrip() for line in example), ""]
    return "\n".join(lines) + "\n"


def _example(code: str) -> list[str]:
    if code.startswith(_SHOWN_ELSEWHERE):
        return []
    lines = inspect.cleandoc(Rule(code).module.BAD).split("\n")
    return _marked_cell(lines, code) if code.startswith(_LONG) else lines


def _marked_cell(lines: list[str], code: str) -> list[str]:
    """Return the lines of the cell that has the finding."""
    mark = next(n for n, line in enumerate(lines) if line.endswith(code))
    starts = [n for n, line in enumerate(lines) if line.startswith("# %%")] + [len(lines)]
    first = max(n for n in starts if n <= mark)
    return lines[first + 1 : min(n for n in starts if n > mark)]


def renewed(text: str) -> str:
    """Return the README's text with the section as it ought to be."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + reference() + END + rest.split(END)[1]


if __name__ == "__main__":
    README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8")
