"""The code that a run executes, and what it asks for and sets by the names that stand in it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, ValuesView
from types import CodeType
from typing import Any, NamedTuple

from .. import audit
from ..contract import StatementEvent
from ..functions.reach import FUNCTION, inside, names_of_code
from ..parts.access_sites import HOOKS
from ..tracing.cell_positions import CellPositions
from .callers import OURS, Callers
from .hindrances import Hindrances
from .mentions import Mention, mentions, states_in
from .module_uses import ModuleUses
from .setting_places import SettingPlace, setting_places
from .text_lookups import TextLookups, texts_of

_HOOKS = frozenset(HOOKS)
_WORDS = {
    "clock": "it looks at the clock",
    "input": "it asks its user",
    "unseeded": "it asks a database for random numbers",
    "native": "it uses descriptors of the system",
}


class Function(NamedTuple):
    """A function of a cell of a run, and what stands in it."""

    run: int
    name: str
    mentions: list[Mention]
    names: tuple[str, ...]
    texts: tuple[str, ...]


class ExecutedCode:
    """The code that the current run has executed, of cells, of texts, and of modules of the user.

    `called` are the words of the functions of cells that it has called, and of what it looked up;
    `called_functions` the names of those functions; `sought` what it may have looked up by a text;
    `sets` the settings that its text says it sets, `puts` where it puts something into a
    module, `states` the libraries whose random numbers it sets, or asks where they stand. What
    hinders that the run is reused is noted.
    """

    def __init__(
        self,
        callers: Callers,
        positions: CellPositions,
        modules: ModuleUses,
        hindrances: Hindrances,
        home: dict[str, Any],
    ) -> None:
        self._callers, self._positions, self._modules = callers, positions, modules
        self._hindrances, self._home = hindrances, home
        self._lookups = TextLookups(callers, home)
        self._functions: dict[tuple[int, int], list[Function]] = {}
        self._forget()

    def _forget(self) -> None:
        self._codes: dict[int, CodeType] = {}
        self.called: set[str] = set()
        self.called_functions: set[str] = set()
        self.sought: set[str] = set()
        self.sets: set[str] = set()
        self.puts: set[str] = set()
        self.states: set[str] = set()

    def install(self) -> None:
        """Listen from now on."""
        audit.listen(self._executed, ["exec"])
        self._lookups.install()

    def start(self) -> None:
        """Forget the last run, but for the functions that it has defined."""
        self._forget()
        self._lookups.start()

    def stop(self) -> None:
        """Take no more notes of what is looked up."""
        self._lookups.stop()

    @property
    def codes(self) -> ValuesView[CodeType]:
        """What was executed."""
        return self._codes.values()

    @property
    def files(self) -> set[str]:
        """The files of what was executed."""
        return {code.co_filename for code in self.codes}

    def look(
        self, run: int, text: str, statements: Iterable[StatementEvent], met: Collection[str]
    ) -> set[str]:
        """Note what the code of a run of a text mentions, and return all names that stand in it.

        `met` are the libraries whose settings came in the run.
        """
        told = setting_places(text, self._home, met)
        names, in_functions = self._look_at_codes(run, text, told)
        at_once = (place for place in told if place not in in_functions)
        self.note((Mention("setting", *place[:2]) for place in at_once), int)
        texts = self._look_at_called(run, statements)
        words = names | self.called
        self.note(states_in(map(self._home.get, words), self._home), int)
        self.sought = self._lookups.words(self.codes, self.called, texts)
        self.called |= self.sought
        return words

    def _look_at_codes(
        self, run: int, text: str, told: Collection[SettingPlace]
    ) -> tuple[set[str], set[SettingPlace]]:
        """Note what is executed at once, know what functions mention; return the names in all.

        And which of the settings that are `told` to be set are set by functions.
        """
        names: set[str] = set()
        in_functions: set[SettingPlace] = set()
        for code in self._plain_codes(text):
            line_of, home = self._line_of(code), self._modules.home_of(code.co_filename)
            if home is None:
                names.update(code.co_names)
                if code.co_filename not in self._positions.files:  # made of a text
                    self.called.update(code.co_names)
            self.note(mentions(code, home or self._home), line_of)
            for inner in inside(code) if home is None else ():
                found = mentions(inner, self._home)
                if inner.co_name.startswith("<") or not inner.co_flags & FUNCTION:
                    names.update(inner.co_names)
                    self.note(found, line_of)
                else:
                    found = [mention._replace(line=line_of(mention.line)) for mention in found]
                    lines = {line_of(line) for *_, line in inner.co_lines() if line}
                    first = line_of(inner.co_firstlineno)
                    within = [place for place in told if _is_within(place, lines, first)]
                    found += [Mention("setting", *place[:2]) for place in within]
                    in_functions.update(within)
                    self._know(run, inner, lines, found)
        return names, in_functions

    def _know(self, run: int, code: CodeType, lines: set[int], found: list[Mention]) -> None:
        """Know a function of these lines of a run's cell, and what stands in it."""
        about = tuple(names_of_code(code)), tuple(texts_of(code))
        function = Function(run, code.co_name, found, *about)
        for line in lines:
            self._functions.setdefault((run, line), []).append(function)

    def _look_at_called(self, run: int, statements: Iterable[StatementEvent]) -> list[str]:
        """Note what the functions of cells mention that were called, and return their texts."""
        texts: list[str] = []
        for place in (place for each in statements for place in each["called"]):
            for function in self._functions.get((place["run"], place["line"]), ()):
                self.called_functions.add(function.name)
                self.called.update(function.names)
                texts += function.texts
                self.note(function.mentions, int if function.run == run else nowhere)
        return texts

    def _plain_codes(self, text: str) -> list[CodeType]:
        """Return the code that ran; where each step of it was followed, what the text says."""
        codes = [*self._codes.values()]
        followed = [code for code in codes if not _HOOKS.isdisjoint(code.co_names)]
        if not followed:
            return codes
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        try:
            plain = compile(text, followed[0].co_filename, "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError):
            self._hindrances.add("native", "it runs code that cannot be read", 0)
            return codes
        return [plain, *(code for code in codes if code not in followed)]

    def _executed(self, _: str, args: tuple[Any, ...]) -> None:
        """Take note of code that is executed: a module's, or what a cell makes of a text."""
        code = args[0]
        if not isinstance(code, CodeType):
            return
        file = code.co_filename
        if file.startswith(OURS) or (file[:1] != "<" and not self._callers.is_users_file(file)):
            return
        is_cells = file in self._positions.files
        if not is_cells and self._callers.is_users_file(file):
            self._modules.codes[file] = code
        elif not is_cells and not self._callers.is_users(self._callers.beyond_python()):
            return
        self._codes[id(code)] = code

    def note(self, found: Iterable[Mention], line_of: Callable[[int], int]) -> None:
        """Take note of what code mentions; `line_of` gives the cell's line of each of its lines."""
        for mention in found:
            if mention.kind == "setting":
                self.sets.add(mention.name)
            elif mention.kind == "put":
                self.puts.add(mention.name)
            elif mention.kind == "state":
                self.states.add(mention.name)
            else:
                self._hindrances.add(mention.kind, _WORDS[mention.kind], line_of(mention.line))

    def _line_of(self, code: CodeType) -> Callable[[int], int]:
        known = self._positions.files.get(code.co_filename)
        return known[1] if known is not None else nowhere


def _is_within(place: SettingPlace, lines: Collection[int], first: int) -> bool:
    """Return whether something is set where a function of these lines runs, not where it is made.

    A function with decorators begins with the line of the `first` of them.
    """
    return place.line in lines and not (place.decorates and place.line == first)


def nowhere(_: int) -> int:
    """Return the line of what stands in another cell."""
    return 0
