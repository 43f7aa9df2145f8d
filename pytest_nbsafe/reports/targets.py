"""Where a report goes: `FORMAT`, or `FORMAT:FILE`, as options have it."""

from __future__ import annotations

from pytest_nbsafe.errors import NbsafeError, suggestion
from pytest_nbsafe.options import FORMATS


def target(value: str, *, may_print: bool) -> tuple[str, str]:
    """Return the format and the file, empty where the report is printed.

    Raises:
        NbsafeError: there is no such format, or no file though it may not be printed.

    """
    form, colon, file = value.partition(":")
    if form not in FORMATS:
        hint = suggestion(form, FORMATS, f"one of {', '.join(FORMATS)}")
        raise NbsafeError("no-such-format", f"no format {form!r}", hint)
    if not file and (colon or not may_print):
        hint = f"for example {form}:nbsafe.{form}"
        raise NbsafeError("bad-value", f"{value!r} is not FORMAT:FILE", hint)
    return form, file
