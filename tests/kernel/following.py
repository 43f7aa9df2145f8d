"""Follows a text below the names, in this process: what a child does, without a kernel."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_nbsafe.kernel.parts.access_calls import rewrite
from pytest_nbsafe.kernel.parts.access_sites import HOOKS, statement_lines
from pytest_nbsafe.kernel.parts.access_tracking import Accesses
from pytest_nbsafe.kernel.parts.aliases import Aliases
from pytest_nbsafe.kernel.tracing.names import all_bound

Said = dict[str, str]


@contextmanager
def offered(accesses: Accesses) -> Iterator[None]:
    """Put the hooks where texts find them."""
    for name, hook in zip(HOOKS, accesses.hooks(), strict=True):
        setattr(builtins, name, hook)
    try:
        yield
    finally:
        for name in HOOKS:
            delattr(builtins, name)


class Page:
    """A namespace in which texts run, the last of them followed."""

    def __init__(self) -> None:
        self.home: dict[str, Any] = {"__name__": "__main__"}
        self.registry = Aliases(self.home, {"__name__", "__builtins__"})
        self.accesses = Accesses(self.registry, repr)
        self.error = ""

    def run(self, text: str) -> None:
        """Run a text; its functions are followed, too, when they are called later."""
        tree = ast.parse(text)
        lines = statement_lines(tree, int)
        self.accesses.start()
        self.accesses.bound |= all_bound(tree)
        self.accesses.opaque |= rewrite(tree, self.accesses.sites, int)
        self.accesses.lines["<cell>"] = lines
        code = compile(tree, "<cell>", "exec")
        with offered(self.accesses):
            try:
                exec(code, self.home)
            except Exception as error:  # noqa: BLE001  # whatever a text of the tests raises
                self.error = type(error).__name__

    def said(self, *, changed: bool = False, line: int = 0) -> Said:
        """Return the parts that were read or changed, by name: "['a'] ['b', 0]", "*" the whole."""
        assert self.accesses.fault == ""
        found: dict[str, set[str]] = {}
        for access in self.accesses.list_all():
            if access["changed"] == changed and line in {0, access["line"]}:
                path = "".join(f"[{key!r}]" for key in access["path"])
                found.setdefault(access["name"], set()).add(path or "*")
        return {name: " ".join(sorted(parts)) for name, parts in sorted(found.items())}


def check(
    before: str, text: str, *, reads: Said | None = None, changes: Said | None = None
) -> None:
    """Check what a text reads and changes of the names that are told of."""
    page = Page()
    page.run(before)
    page.run(text)
    read, changed = page.said(), page.said(changed=True)
    if reads is not None:
        assert reads == {name: read.get(name, "") for name in reads}
    if changes is not None:
        assert changes == {name: changed.get(name, "") for name in changes}
