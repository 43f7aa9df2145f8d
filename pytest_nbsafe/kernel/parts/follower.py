"""Follows the cells of a child below the names: the fine-grained second pass.

Texts that the child compiles are changed as they are (`rewrite`); functions that cells have defined
before get code of the same text, changed in the same way. It is done where a suspicion is tried, in
a process that is thrown away. A fault in here, or a function that cannot be followed, means that
nothing is said of the run's parts; what the cell does stays the same.

Source: Macke et al. 2021, section 3; the two passes are the design's.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
import types
from collections.abc import Callable
from typing import Any

from ..contract import Access
from ..functions.reach import FUTURE, codes_by_place, reachable
from ..functions.stand_in import is_ours
from ..tracing import bytecode_readers, instrument
from ..tracing.cell_positions import TIMED
from ..tracing.names import all_bound
from ..tracing.offered import offer
from .access_calls import rewrite
from .access_sites import AT, HOOKS, KEY, statement_lines
from .access_tracking import Accesses
from .aliases import Aliases


def can_follow(tracer: Any) -> bool:
    """Tell whether texts can be followed: nobody else reads functions, or rewrites the cells."""
    if sys.hexversion < 0x3090000:  # a kernel may be older than we; subscripts differ there
        return False
    if not tracer.trace or tracer.shell.ast_transformers:
        return False
    return not tracer.bytecode_readers.were_met()


class Follower:
    """What follows the runs of one child; `replace` changes an attribute of the kernel for it.

    `stopped` is called when nothing can be told of a run any more. `failed`: there was a fault of
    ours, and nothing is said any more. `paused`: the run is not followed.
    """

    def __init__(
        self,
        tracer: Any,
        replace: Callable[[Any, str, Any], None],
        stopped: Callable[[], object],
    ) -> None:
        self.tracer = tracer
        self.failed = self.paused = False
        self.swapped: list[tuple[types.FunctionType, types.CodeType]] = []
        self.codes = functools.lru_cache(None)(self._compiled)
        self.opaque: set[str] = set()
        self.known = len(tracer.recorder.flags)
        registry = Aliases(tracer.home, tracer.shell.user_ns_hidden)

        def fingerprint(value: Any) -> str:
            return str(tracer.snapshot.fingerprint(value)["hash"])

        self.accesses = Accesses(registry, fingerprint)
        self.accesses.stopped = stopped
        self.hooks = dict(zip(HOOKS, self.accesses.hooks()))  # noqa: B905  # not before 3.10
        offer(self.hooks)
        replace(tracer.shell, "transform_ast", self._changing(tracer.shell.transform_ast))

    def begin(self, text: str) -> None:
        """Take note that a cell is about to run."""
        if self.failed:
            return
        if self.tracer.bytecode_readers.may_be_met(text):
            self.pause()
            return
        self.paused = False
        try:
            offer(self.hooks)
            self.accesses.start()
            self._swap(text)
            self.accesses.opaque |= self.opaque
        except Exception:
            self.failed = True

    def pause(self) -> None:
        """Take note that a cell is about to run which is not followed."""
        self.paused = True
        for function, code in self.swapped:
            function.__code__ = code
        self.swapped.clear()
        let_pass()

    def end(self) -> list[Access] | None:
        """Return what the last run accessed; None where that is not known."""
        recorder = self.tracer.recorder
        try:
            entered = {*recorder.hits, *recorder._called}  # noqa: SLF001  # it is the tracer's
            is_followed = all(hook >= self.known for hook in entered)
            known = not (self.failed or self.paused or self.accesses.fault)
            if is_followed and known:
                return self.accesses.list_all()
        except Exception:
            self.failed = True
        return None

    # ------------------------------------------------------------ texts of the child

    def _changing(self, original: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return what stands in for the last of what rewrites a text before it is compiled."""

        def transform_ast(node: Any) -> Any:
            tree = original(node)
            try:
                if not (self.failed or self.paused) and isinstance(tree, ast.Module):
                    self._change(tree)
            except Exception:
                self.failed = True
            return tree

        return transform_ast

    def _change(self, tree: ast.Module) -> None:
        """Change a text that is about to be compiled."""
        accesses = self.accesses
        source = self.tracer.sources[-1] if self.tracer.sources else None
        if source is None or source.shift is None or bytecode_readers.imports_compiler(tree):
            accesses.fault = "a text of the cell cannot be followed"
            return
        line_of, file = source.line_of, source.file
        if source.followed:  # %%time and %time compile their own text
            file = TIMED[0]
            run, line_of = self.tracer.places.files.get(file, (0, _unknown))
            line_of = line_of if run == self.tracer.runs else _unknown
        source.followed = True
        lines = statement_lines(tree, line_of)
        accesses.bound |= all_bound(tree)
        accesses.opaque |= rewrite(tree, accesses.sites, line_of)
        if line_of is _unknown:
            accesses.lines.pop(file, None)
        else:
            accesses.lines[file] = lines

    # ------------------------------------------------------------ functions of earlier cells

    def _swap(self, text: str) -> None:
        """Give the functions that a text may call code that tells of its accesses."""
        for function in reachable(text, self.tracer.home):
            code = function.__code__
            if code.co_filename not in self.tracer.places.files or is_ours(code):
                continue
            codes = self.codes(code.co_filename, code.co_flags & FUTURE)
            other = codes.get((code.co_name, code.co_firstlineno))
            if other is not None and _is_alike(code, other) and self.tracer.texts.text_of(code):
                self.swapped.append((function, code))
                function.__code__ = other

    def _compiled(self, file: str, future: int) -> dict[tuple[str, int], types.CodeType]:
        """Return the codes of a cell's functions, by name and first line, hooks and all."""
        tracer = self.tracer
        text = "".join(linecache.getlines(file))
        if not text:
            return {}
        run, line_of = tracer.places.files[file]
        flags = future | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        tree = compile(text, file, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
        if bytecode_readers.imports_compiler(tree):
            return {}
        monitored = tracer.monitor.alive
        plan = instrument.plan(
            tree, tracer.recorder, run, line_of, direct=True, monitored=monitored
        )
        tracer.put_in(plan)
        self.opaque |= rewrite(tree, self.accesses.sites, line_of, module=False)
        whole = compile(tree, file, "exec", flags, dont_inherit=True)
        if monitored and plan.entries:
            tracer.monitor.watch(whole, {}, plan.entries)
        return codes_by_place(whole)


def let_pass() -> None:
    """Let values pass without a look at them: what is followed no more shall not be slow."""
    passing: dict[str, Callable[..., Any]] = dict.fromkeys(HOOKS, lambda _, value: value)
    passing[AT] = lambda _, __, value: value
    passing[KEY] = lambda _, __, ___, value: value
    offer(passing)


def _unknown(_line: int) -> int:
    """Return that it is not known which line of the cell it is: who calls the text will tell."""
    return 0


def _is_alike(code: types.CodeType, other: types.CodeType) -> bool:
    """Return whether a function that has one code can have the other."""
    return all(
        getattr(code, name) == getattr(other, name)
        for name in ("co_freevars", "co_cellvars", "co_varnames", "co_argcount", "co_flags")
    )
