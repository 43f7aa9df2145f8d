"""The help text of a code, made from what its rule says of itself."""

from __future__ import annotations

import inspect
import textwrap

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.keys import matching
from pytest_nbsafe.rules import Rule


def explain(selector: str) -> str:
    """Return what the codes mean that `selector` names: a code, a prefix, or a readable name.

    Raises:
        NbsafeError: no code matches; the message names the nearest.

    """
    return "\n\n\n".join(_entry(code) for code in matching(selector))


def _entry(code: str) -> str:
    row, module = CODES[code], Rule(code).module
    parts = (
        f"{code} {row.name} [{row.severity}]",
        inspect.cleandoc(module.__doc__ or row.says),
        "Bad:",
        _indented(module.BAD),
        "Good:",
        _indented(module.GOOD),
        getattr(module, "more", str)(),
    )
    return "\n\n".join(filter(None, parts))


def _indented(example: str) -> str:
    return textwrap.indent(example.rstrip("\n"), "    ")
