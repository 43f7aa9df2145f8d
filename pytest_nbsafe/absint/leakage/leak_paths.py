"""The path of a leak: where rows are from, what learned of them, what parted them, the score."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import CodeSite, Dep, Eval, ModelFit
from pytest_nbsafe.absint.leakage.memory import Notes
from pytest_nbsafe.absint.leakage.rows import Division
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.values import dataclass

Steps = tuple[tuple[int, int, str], ...]
_LONGEST = 60
"""A longer call is shortened to its function."""
_MANY = 3
"""So many sources are named; of more the path would say little."""


@dataclass(frozen=True, slots=True)
class Page:
    """What the words of a path are taken from: the code, and what a pass has noted.

    `text` gives the text of a place, "" where it has several lines.
    """

    text: Callable[[CodeSite], str]
    notes: Notes


def page_of(notes: Notes, graph: Graph) -> Page:
    """Return what a pass over a notebook tells of its places."""

    def text(site: CodeSite) -> str:
        span = site.span
        lines = graph.notebook.cell(site.cell).source.split("\n")
        if span.line != span.end_line or span.line > len(lines):
            return ""
        part = lines[span.line - 1].encode()[span.column - 1 : span.end_column - 1]
        return part.decode(errors="replace")

    return Page(text, notes)


@dataclass(frozen=True, slots=True)
class Story:
    """One leak: `dep` was learned, or the model itself did (`fitted`) at `site`.

    `rows` and `what` are words for its message, `chosen` is where the best score was kept.
    """

    code: str
    score: Eval
    site: CodeSite
    certain: bool
    rows: str = ""
    what: str = ""
    dep: Dep | None = None
    fitted: bool = False
    chosen: CodeSite | None = None


def steps(page: Page, story: Story) -> Steps:
    """Return the links of the path, in the order in which they happened."""
    learned = story.dep.rows if story.dep is not None else story.score.fit.rows
    links = [*_learned(page, story), *_division(page, story)]
    times = [page.notes.times.get(site, -1) for site, _ in links]
    if -1 not in times:  # else they stay as they mostly are: learning, split
        links = [links[i] for i in sorted(range(len(links)), key=lambda i: (times[i], i))]
    links = [*_sources(page, learned or story.score.rows), *links]
    links.append((story.score.site, _end(page, story)))
    if story.chosen is not None:
        links.append((story.chosen, "the best score is kept"))
    return tuple(dict.fromkeys((site.cell, site.span.line, cause) for site, cause in links))


def of_search(page: Page, fit: ModelFit, site: CodeSite) -> Steps:
    """Return the path of a best score that is given as the result: where it was searched."""
    call = _call(page, fit.site, f"{fit.what}.fit({fit.data})")
    links = [(fit.site, f"{call} keeps the best of its candidates"), (site, "its score is given")]
    return tuple((place.cell, place.span.line, cause) for place, cause in links)


def _sources(page: Page, rows: sets.Rows) -> Iterator[tuple[CodeSite, str]]:
    keys = sorted({atom.source for atom in rows} & page.notes.places.keys(), key=repr)
    for key in keys if len(keys) <= _MANY else ():
        site, name = page.notes.places[key]
        what = key[0] if isinstance(key, tuple) and isinstance(key[0], str) else ""
        call = page.text(site)
        pattern = r"[\w.]+\(" if what in _VAGUE else rf"[\w.]*\b{re.escape(what)}\("
        if not re.match(pattern, call) or len(call) > _LONGEST:
            call = f"{what}()" if what not in _VAGUE else ""
        if call:
            yield site, f"{name} = all rows of {call}" if name else f"all rows of {call}"


_VAGUE = frozenset({"", "table", "made", "declared", "unknown", "list", "random"})
"""Marks of sources that are not the name of a function."""


def _learned(page: Page, story: Story) -> Iterator[tuple[CodeSite, str]]:
    dep, score = story.dep, story.score
    if dep is not None:
        call = _call(page, dep.site, f"{dep.what}({dep.name})")
        says = _SAYS[dep.kind].format(call=call, rows=_extent(page, dep.rows, dep.name, score))
        yield dep.site, says
    if story.fitted:
        fit = score.fit
        call = _call(page, fit.site, f"{fit.what}.fit({fit.data})")
        if story.code == "NBS322":
            yield fit.site, f"{call} stops by {score.name or 'the test rows'}"
        elif story.site != fit.site:
            yield story.site, f"this column is made from {story.what or 'the target'}"
            yield fit.site, f"{call} learns from it"
        elif story.code == "NBS341":
            yield fit.site, f"{call}: {story.what or 'the target'} is among the features"
        else:
            yield fit.site, f"{call} learns from {_extent(page, fit.rows, fit.data, score)}"


_SAYS = {
    "fitted": "{call} learns from {rows}",
    "statistic": "{call} is computed from {rows}",
    "correlation": "{call} is computed from {rows}",
    "selection": "{call} looks at the target in {rows}",
    "target": "{call} learns from the target of {rows}",
    "resample": "{call} makes more rows from {rows}",
    "join": "{call} joins them",
    "ahead": "{call} takes later rows",
    "tuned": "{call} chooses parameters by its score on {rows}",
    "time": "{call} dates the rows",
    "dated": "{call} dates the rows",
    "sorted": "{call} dates the rows",
}


def _extent(page: Page, rows: sets.Rows, name: str, score: Eval) -> str:
    """Return which rows these are, in words."""
    if not any(atom.steps for atom in rows):
        has_sources = any(True for _ in _sources(page, rows))
        return "all of them" if has_sources else f"all rows of {name}" if name else "all rows"
    if not score.cv and sets.within(rows, score.rows):
        return "the test rows"
    return f"{name}, with test rows in it" if name else "rows that are tested on"


def _division(page: Page, story: Story) -> Iterator[tuple[CodeSite, str]]:
    """Yield the step that made the rows a part of their table."""
    score = story.score
    step = _dividing(page, story)
    if step is None or score.cv:
        return
    site, part = page.notes.places.get((step.key, step.part), (score.site, ""))
    whole = by = ""
    if step.key in page.notes.splits:
        site, whole, _, _ = page.notes.splits[step.key]
        by = f"{_function(page, site)}: "
    part = score.name or part or "the test rows"
    verb = "are" if part == "the test rows" else "is"
    if (site.cell, site.span.line) == (story.site.cell, story.site.span.line) and story.dep is None:
        if story.code == "NBS331":
            yield site, f"{_function(page, site)}: rows in order of time go to either side"
        elif story.code == "NBS332":
            yield (
                site,
                f"{_function(page, site)}: rows of one group ({story.what}) go to either side",
            )
        return
    if "fold" in sets.kinds(score.rows):
        part, verb = "the test rows of each fold", "are"
    yield site, f"{by}{part} {verb} part of {whole or 'them'}"


def _dividing(page: Page, story: Story) -> Division | None:
    """Return the first division by which the scored rows are others than those fitted on."""
    if story.code in {"NBS331", "NBS332"}:
        known = (
            step
            for atom in story.score.rows
            for step in atom.steps
            if step.key in page.notes.splits and page.notes.splits[step.key][0] == story.site
        )
        return next(known, None)
    fitted = {step for atom in story.score.fit.rows for step in atom.steps}
    for atom in sorted(story.score.rows, key=repr):
        for step in atom.steps:
            is_known = step.key in page.notes.splits or (step.key, step.part) in page.notes.places
            if is_known and step not in fitted:
                return step
    return None


def _end(page: Page, story: Story) -> str:
    score = story.score
    model = score.fit.what
    call = _call(page, score.site, "")
    if score.predicted:
        return f"{call or model} predicts {_ends(story).removeprefix('on ')}"
    ends = "cross-validates" if score.cv else "evaluates"
    says = f"{call} {ends}" if call else f"{model} is {'cross-validated' if score.cv else 'scored'}"
    return f"{says} {_ends(story)}"


def _ends(story: Story) -> str:
    if story.code in _ENDS:
        return _ENDS[story.code]
    in_folds = story.code == "NBS305" or (story.score.cv and story.code in _SEEN)
    rows, dep = "folds" if in_folds else "rows", story.dep
    if dep is not None and dep.is_statistic:
        return f"on {rows} of which {dep.what} was taken"
    if dep is not None and dep.kind == "fitted":
        return f"on {rows} that {dep.what} was fitted on"
    return f"on {rows} it learned from"


_SEEN = frozenset({"NBS301", "NBS302", "NBS306"})
_ENDS = {
    "NBS303": "on rows whose labels chose the features",
    "NBS311": "on rows of which there are copies in the training rows",
    "NBS314": "on the training rows, and nothing else does",
    "NBS321": "on the rows by which the choice was made",
    "NBS322": "on the rows it stopped by",
    "NBS323": "a second model on the same rows",
    "NBS331": "on rows between those it learned from",
    "NBS332": "on groups it learned from",
    "NBS333": "with features that know later rows",
    "NBS341": "with the target among the features",
    "NBS342": "on rows whose labels are in the features",
}


def _call(page: Page, site: CodeSite, otherwise: str) -> str:
    """Return the text of a call, its function alone where it is long."""
    text = page.text(site)
    if not text.endswith(")"):
        return otherwise
    if len(text) <= _LONGEST:
        return text
    function = _name(text)
    return f"{function}(...)" if function and _is_one(text) else otherwise


def _is_one(text: str) -> bool:
    """Return whether a text is one call, not a chain of them: its first bracket is closed last."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            return place == len(text) - 1
    return False


def _function(page: Page, site: CodeSite) -> str:
    return _name(page.text(site)).rpartition(".")[2] or "split"


def _name(text: str) -> str:
    match = re.match(r"[\w.]+(?=\()", text)
    return match[0] if match else ""
