"""What a run has set that no name shows, known by the part of its text that may set anything.

Another import, text to print or constant beside `pd.set_option(...)` leaves the option as it was,
and so the cells below. That part has to be all that the settings hang on: a run that has found
anything else, or whose statements mention what cells above have made, is known by its entry alone.
"""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Collection, Iterator, Sequence

from pytest_nbsafe.kernel.contract import ALL_VARIABLES, CHANGED, CellRun, Inputs
from pytest_nbsafe.resume import questions
from pytest_nbsafe.resume.bound_names import IMPORTS, bound, name_of, statements_of
from pytest_nbsafe.resume.state import LOOKUPS, State
from pytest_nbsafe.resume.text_patterns import reads_all
from pytest_nbsafe.resume.words import words_of
from pytest_nbsafe.store.list_hash import hashed
from pytest_nbsafe.values import dataclass

MARK = "="
"""How what stands for settings begins, where it hangs on a text and on no entry."""
_REDIRECTS = frozenset({"stdout", "stderr", "displayhook"})
"""Words of texts after which to print may do something else."""
_OF_CELLS = ("module:", "descriptors", "streams", "sys.addaudithook")
"""How settings begin that hold what cells have made, or that nobody can look at."""
_TOLD = frozenset({"int", "float", "complex", "bool", "str", "bytes", "NoneType", "module"})
"""Kinds of values from cells above of which a hash tells all that settings made of them hang on."""
_PLAIN = (
    *(ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.BinOp),
    *(ast.unaryop, ast.operator, ast.expr_context, ast.JoinedStr, ast.FormattedValue),
)
"""What expressions are made of that nobody has a say in."""


@dataclass(frozen=True, slots=True)
class SettingText:
    """The statements of a text that may set something, as one text, and the names they mention."""

    text: str
    mentioned: frozenset[str]


def maker_of_settings(source: str, event: CellRun, state: State) -> str:
    """Return what stands for what a run has set, "" where that is its entry alone.

    It is the same for all runs with the same statements that may set anything, which found the same
    settings, files and variables of the environment, and left the same where that is compared.
    """
    inputs = event["inputs"]
    if inputs is None or event["raised"] or not _hangs_on_text(inputs):
        return ""
    before = {name: held.maker for name, held in state.items() if name.startswith("<")}
    before.pop(LOOKUPS, None)
    is_told = all(maker.startswith(MARK) for maker in before.values())
    part = setting_text(source) if is_told else None
    if part is None:
        return ""
    found = {name: state[name] for name in part.mentioned & state.keys()}
    if not all(held.hash and held.kind in _TOLD for held in found.values()):
        return ""
    told = (
        before,
        {name: held.hash for name, held in found.items()},
        {file["path"]: file["hash"] for file in inputs["files"] if file["hash"]},
        {name: value for name, value in inputs["variables"].items() if value},
        inputs["folders"],
        inputs["states"],
    )
    return MARK + hashed(part.text, json.dumps(told, sort_keys=True))


def _hangs_on_text(inputs: Inputs) -> bool:
    """Return whether a run found, and did, nothing that its text and the world do not tell."""
    used = inputs["modules"], inputs["kept_results"], inputs["unexpected"]
    did = inputs["written"], inputs["hindrances"], inputs["looked_up"]
    return (
        not any((*used, *did))
        and ALL_VARIABLES not in inputs["variables"]
        and inputs["open_figures"] != CHANGED
        and all(inputs["states"].values())
        and not any(place.startswith(_OF_CELLS) for place in inputs["settings"])
    )


@functools.lru_cache(maxsize=256)
def setting_text(source: str) -> SettingText | None:
    """Return what of a text may set anything; None where all of it may, or nothing does."""
    tree = statements_of(source)
    if tree is None or reads_all(source) or questions.asks_history(source):
        return None
    try:
        return _found_in(tree.body, words_of(source))
    except RecursionError:  # it is too deep to be gone through
        return None


def _found_in(body: Sequence[ast.stmt], words: Collection[str]) -> SettingText | None:
    """Return what of the statements of a text with these words may set anything."""
    bound_by = [frozenset(bound(statement)) for statement in body]
    imported = frozenset(n for each in body if isinstance(each, IMPORTS) for n in bound(each))
    if "get_ipython" in words or "*" in imported:
        return None
    may_print = _REDIRECTS.isdisjoint(words) and not any("print" in names for names in bound_by)
    sets_nothing = functools.partial(_sets_nothing, imported=imported, may_print=may_print)
    kept = {place for place, each in enumerate(body) if not sets_nothing(each)}
    mentioned, needed = frozenset[str](), kept
    while needed:
        kept |= needed
        mentioned = frozenset(name for place in kept for name in _mentioned(body[place]))
        needed = {place for place, names in enumerate(bound_by) if names & mentioned} - kept
    statements = [body[place] for place in sorted(kept)]
    if all(isinstance(statement, IMPORTS) for statement in statements):
        return None
    text = "\n".join(ast.unparse(_of_names(statement, mentioned)) for statement in statements)
    return SettingText(text, mentioned | {"print"})


def _sets_nothing(statement: ast.stmt, imported: frozenset[str], *, may_print: bool) -> bool:
    """Return whether a statement does nothing but to bind names, or to show constants.

    What it imports does not count either: nor does it in a cell of its own.
    """
    if isinstance(statement, ast.ImportFrom):
        return statement.module != "__future__"
    if isinstance(statement, ast.Expr):
        value = statement.value
        if isinstance(value, ast.Constant):
            return not (isinstance(value.value, str) and value.value.startswith("%"))
        return may_print and _prints(value, imported)
    if isinstance(statement, ast.Assign):
        names = all(isinstance(target, ast.Name) for target in statement.targets)
        return names and _is_plain(statement.value)
    if isinstance(statement, ast.FunctionDef):
        return _only_defines(statement)
    return isinstance(statement, (ast.Import, ast.Pass))


def _prints(value: ast.expr, imported: frozenset[str]) -> bool:
    """Return whether an expression prints constants, and versions of libraries."""
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "print"
        and not value.keywords
        and all(_is_plain(each, imported) for each in value.args)
    )


def _is_plain(node: ast.AST, imported: frozenset[str] = frozenset()) -> bool:
    """Return whether an expression is made of constants, and of versions of what is `imported`."""
    if isinstance(node, ast.Attribute):
        held = node.value
        return node.attr == "__version__" and isinstance(held, ast.Name) and held.id in imported
    inner = ast.iter_child_nodes(node)
    return isinstance(node, _PLAIN) and all(_is_plain(each, imported) for each in inner)


def _only_defines(function: ast.FunctionDef) -> bool:
    """Return whether a function is only made: nothing of it is evaluated but plain defaults."""
    arguments = function.args
    annotated = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    notes = [each.annotation for each in (*annotated, arguments.vararg, arguments.kwarg) if each]
    defaults = [value for value in (*arguments.defaults, *arguments.kw_defaults) if value]
    return (
        not function.decorator_list
        and not any((*notes, function.returns))
        and all(map(_is_plain, defaults))
    )


def _mentioned(statement: ast.stmt) -> Iterator[str]:
    """Yield the names in a statement, those within functions and texts too; none of an import."""
    if isinstance(statement, IMPORTS):
        return
    yield from bound(statement)
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            yield from node.names
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from words_of(node.value)  # which a library may look up


def _of_names(statement: ast.stmt, names: frozenset[str]) -> ast.stmt:
    """Return a statement, of an import what binds these names."""
    if not isinstance(statement, IMPORTS):
        return statement
    found = [alias for alias in statement.names if name_of(alias) in names] or statement.names
    if isinstance(statement, ast.Import):
        return ast.Import(found)
    return ast.ImportFrom(statement.module, found, statement.level)
