"""Saved outputs against new ones: the first difference that a person would call one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.outputs import (
    chance_text,
    clocks,
    documents,
    drawings,
    part_changes,
    pictures,
    shown,
    tables,
    tokens,
    wording,
)
from pytest_nbsafe.trace.outputs.difference import Change, Difference, Form, Mode, Part
from pytest_nbsafe.trace.outputs.sanitizers import Sanitizer, sanitized
from pytest_nbsafe.trace.outputs.volatility import NOTHING, Volatile, groups_of
from pytest_nbsafe.values import dataclass, replace

_PRINTED, _WARNED, _ERROR = "printed text", "standard error", "error"


@dataclass(frozen=True, slots=True)
class Settings:
    """How outputs are compared: `now` is when the new ones were made, None where dates are data."""

    mode: Mode = "lenient"
    sanitizers: tuple[Sanitizer, ...] = ()
    now: datetime | None = None


LENIENT = Settings()


@dataclass(frozen=True, slots=True)
class _Compared:
    """How one output compares: what differs, or why that is unknown."""

    place: str
    form: Form
    changes: Sequence[Change] = ()
    kind: str = "changed"
    detail: str = ""


def compare(
    saved: Sequence[Output],
    new: Sequence[Output],
    settings: Settings = LENIENT,
    volatile: Volatile = NOTHING,
) -> Difference | None:
    """Return the first difference between saved and new outputs, None where there is none.

    What cannot be judged is `unknown`, and told only where nothing else differs. Each display is
    judged by the richest form that both have. Standard error is compared in `exact` mode alone:
    warnings come and go with versions and paths.
    """
    unknown = None
    for each in _compared(saved, new, settings, volatile):
        if each.kind == "unknown":
            unknown = unknown or _told(each)
        elif each.kind != "changed" or each.changes or each.detail:
            return _told(each)
    return unknown


def volatile(
    first: Sequence[Output], second: Sequence[Output], settings: Settings = LENIENT
) -> Volatile:
    """Return what differs between the outputs of two runs of the same."""
    groups: dict[str, frozenset[str]] = {}
    for each in _compared(first, second, settings, NOTHING):
        if each.kind in {"missing", "new", "other kind"}:
            return Volatile(is_all=True)
        if each.changes or each.detail:
            groups[each.place] = groups_of(each.changes)
    return Volatile(groups)


def _told(each: _Compared) -> Difference:
    first = each.changes[0] if each.changes else Change(None, None)
    before, after = (part.text if part is not None else "" for part in first)
    detail = each.detail or wording.detail(each.changes, each.form)
    return Difference(each.kind, each.form, each.place, detail, before, after)  # type: ignore[arg-type]


def _compared(
    saved: Sequence[Output], new: Sequence[Output], settings: Settings, varying: Volatile
) -> Iterator[_Compared]:
    """Yield how each output compares; those that vary as a whole are left out."""
    if varying.is_all:
        return
    before, after = shown.of(saved), shown.of(new)
    if after.is_cut:
        yield _Compared("output", "text", (), "unknown", "the run shows more than is kept of it")
        return
    streams = [(_PRINTED, before.printed, after.printed)]
    if settings.mode == "exact":
        streams.append((_WARNED, before.warned, after.warned))
    raised = ("\n".join(f"{o.ename}: {o.evalue}" for o in s.errors) for s in (before, after))
    for place, old, now in (*streams, (_ERROR, *raised)):
        yield from _texts(place, old, now, settings, varying)
    yield from _displays(before.displays, after.displays, settings, varying)


def _texts(
    place: str, saved: str, new: str, settings: Settings, varying: Volatile
) -> Iterator[_Compared]:
    """Yield how two texts compare, one of which may be missing."""
    form: Form = "error" if place == _ERROR else "text"
    if saved == new:
        return
    old, now = (sanitized(text, settings.sanitizers).split("\n") for text in (saved, new))
    above, behind = part_changes.ends(old, now)  # most of a long text needs no closer look
    before, after = (_lines(side[above : len(side) - behind], settings) for side in (old, now))
    is_shared = any(line.strip() for line in (*old[:above], *old[len(old) - behind :]))
    if bool(before) != bool(after) and not is_shared:
        part = Part("line 1", (before or after)[0])
        change = Change(part, None) if before else Change(None, part)
        kind = "missing" if before else "new"
        yield _Compared(place, form, (change,), kind, wording.count(before or after))
        return
    changes = part_changes.of_lines(before, after, _same(settings), settings.mode, above)
    if changes and varying.holds(place):
        sides = _lines(old, settings), _lines(now, settings)
        changes = _stable_changes(place, *sides, settings, varying)
    yield _Compared(place, form, changes)


def _lines(raw: Sequence[str], settings: Settings) -> list[str]:
    return chance_text.lines("\n".join(raw), settings.mode)


def _stable_changes(
    place: str,
    before: Sequence[str],
    after: Sequence[str],
    settings: Settings,
    varying: Volatile,
) -> list[Change]:
    """Return the lines that differ besides those that vary.

    Where all new lines vary, none is compared. A saved line may be another draw of those that vary,
    though it is not like one of them.
    """
    stable = [varying.stable(place, [Part("", line) for line in side]) for side in (before, after)]
    old, now = ([part.text for part in parts] for parts in stable)
    changes = part_changes.of_lines(old, now, _same(settings), settings.mode) if now else []
    left = (len(after) - len(now)) - (len(before) - len(old))
    is_by_chance = len(changes) <= left and all(change.new is None for change in changes)
    return [] if is_by_chance else changes


def _same(settings: Settings) -> part_changes.Same:
    return partial(_is_same, settings=settings)


def _is_same(saved: str, new: str, settings: Settings) -> bool:
    if tokens.same(saved, new, settings.mode):
        return True
    if settings.now is None:
        return False
    return tokens.same(*clocks.masked(saved, new, settings.now), settings.mode)


# -- displays and results --------------------------------------------------------------------------


def _displays(
    saved: Sequence[Output], new: Sequence[Output], settings: Settings, varying: Volatile
) -> Iterator[_Compared]:
    """Yield how displays compare; where one is gone, those above and below it are still paired."""
    if len(saved) == len(new):
        for number, (old, now) in enumerate(zip(saved, new, strict=True), 1):
            yield _display(_place(now, number), old, now, settings, varying)
        return

    def is_same(old: Output, now: Output) -> bool:
        each = _display("", old, now, settings, NOTHING)
        return each.kind == "changed" and not each.changes and not each.detail

    most = min(len(saved), len(new))
    first = next((i for i in range(most) if not is_same(saved[i], new[i])), most)
    rest = range(most - first)
    behind = next((i for i in rest if not is_same(saved[-1 - i], new[-1 - i])), len(rest))
    longer = saved if len(saved) > len(new) else new
    extra = len(longer) - behind - 1 if len(rest) > behind else first
    kind = "missing" if longer is saved else "new"
    detail = wording.count_of_displays(len(saved), len(new))
    place, part = _place(longer[extra], extra + 1), Part("", longer[extra].text)
    change = Change(part, None) if kind == "missing" else Change(None, part)
    yield _Compared(place, _form(longer[extra]), (change,), kind, detail)


def _place(output: Output, number: int) -> str:
    return "result" if output.kind == "execute_result" else f"display {number}"


def _form(output: Output) -> Form:
    kinds = shown.forms(output)
    reading = shown.read_as(shown.richest([*kinds])) if kinds else "text"
    return "table" if reading == "html" else reading


def _display(
    place: str, saved: Output, new: Output, settings: Settings, varying: Volatile
) -> _Compared:
    """Return how two displays compare, by the richest form that both have."""
    old, now = shown.forms(saved), shown.forms(new)
    both = sorted(old.keys() & now.keys())
    if not both:
        kinds = [shown.richest([*each]) if each else "nothing" for each in (old, now)]
        detail = " -> ".join(kinds)
        return _Compared(place, _form(new), (), "other kind", detail)
    kind = shown.richest(both)
    before, after = old[kind], now[kind]
    if before == after:
        return _Compared(place, _form(new))
    reading = shown.read_as(kind)
    if reading == "data" and isinstance(before, str) and kind != "application/json":
        reading = "code"  # a library's own kind may be called JSON and hold a script
    if reading == "picture":
        return _pictures(place, before, after, settings, varying)
    if reading == "data":
        is_figure = kind != "application/json"
        leaves = [documents.parts(each, is_figure=is_figure) for each in (before, after)]
        return _parts(place, "data", leaves[0], leaves[1], settings, varying)
    if not (isinstance(before, str) and isinstance(after, str)):
        return _Compared(place, "data", (), "unknown", f"{kind} is not text")
    before, after = (sanitized(text, settings.sanitizers) for text in (before, after))
    if reading == "drawing":
        parts = drawings.parts(before), drawings.parts(after)
        return _parts(place, "drawing", *parts, settings, varying)
    if reading == "html":
        plain = [each.get("text/plain") for each in (old, now)]
        return _pages(place, (before, after), plain, settings, varying)
    compared = _plain(place, before, after, settings, varying)
    if reading == "code" and compared.changes:
        return _Compared(place, "code", (), "unknown", f"{kind} differs, which draws what is seen")
    return compared


def _plain(place: str, saved: str, new: str, settings: Settings, varying: Volatile) -> _Compared:
    return next(_texts(place, saved, new, settings, varying), _Compared(place, "text"))


def _pictures(
    place: str, saved: object, new: object, settings: Settings, varying: Volatile
) -> _Compared:
    if varying.holds(place):
        return _Compared(place, "picture")
    seen = pictures.compared(saved, new, settings.mode)
    kind = "unknown" if seen.same is None else "changed"
    return _Compared(place, "picture", (), kind, seen.detail)


def _parts(
    place: str,
    form: Form,
    saved: Sequence[Part],
    new: Sequence[Part],
    settings: Settings,
    varying: Volatile,
) -> _Compared:
    """Return how two outputs compare whose parts have places."""
    if varying.holds(place):
        saved, new = (varying.stable(place, parts) for parts in (saved, new))
    lenient = form == "drawing" and settings.mode == "lenient"
    same = drawings.same if lenient else _same(settings)
    return _Compared(place, form, part_changes.of_parts(saved, new, same))


def _pages(
    place: str,
    html: tuple[str, str],
    plain: Sequence[object],
    settings: Settings,
    varying: Volatile,
) -> _Compared:
    """Return how two pieces of HTML compare: by tables and visible text, else by plain text."""
    old, new = plain
    is_told = isinstance(old, str) and isinstance(new, str)
    if is_told and chance_text.is_call(str(old)) and chance_text.is_call(str(new)):
        return _plain(place, str(old), str(new), settings, varying)
    from pytest_nbsafe.trace.outputs.html_reader import page

    before, after = map(page, html)
    if not (before.tables or after.tables):
        if is_told:
            return _plain(place, str(old), str(new), settings, varying)
        if before.lines or after.lines:
            visible = ["\n".join(seen.lines) for seen in (before, after)]
            return _plain(place, visible[0], visible[1], settings, varying)
        return _drawn_by_code(place, has_code=before.has_code or after.has_code)
    if len(before.tables) != len(after.tables):
        detail = f"{len(before.tables)} -> {len(after.tables)} tables"
        return _Compared(place, "table", (), "changed", detail)
    pairs = list(zip(before.tables, after.tables, strict=True))
    cells = [tables.paired(old, new) for old, new in pairs]
    sides = [
        [
            *(part for pair in cells for part in _normal(pair[side], settings.mode)),
            *_normal((Part("text", line) for line in page.lines), settings.mode),
        ]
        for side, page in enumerate((before, after))
    ]
    compared = _parts(place, "table", sides[0], sides[1], settings, varying)
    sizes = [
        f"{tables.size(old)} -> {tables.size(new)}"
        for (old, new), parts in zip(pairs, cells, strict=True)
        if len(parts[0]) != len(parts[1])
    ]
    if not compared.changes or not sizes:
        return compared
    return replace(compared, detail=f"{sizes[0]}; {wording.detail(compared.changes, 'table')}")


def _normal(parts: Iterable[Part], mode: Mode) -> Iterator[Part]:
    return (part._replace(text=chance_text.normal(part.text, mode)) for part in parts)


def _drawn_by_code(place: str, *, has_code: bool) -> _Compared:
    if not has_code:
        return _Compared(place, "text")
    return _Compared(place, "code", (), "unknown", "the scripts differ, which draw what is seen")
