"""Watches the libraries that learn, from the moment they are imported.

A function is watched by giving it other code, which calls us; the function itself stays the same
object. So whoever imported it before is watched too, `is`, `super()`, signatures, pickles and
references by name all stay as they were, and taking the watch off is giving the code back.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .calls import Handler
    from .contract import Copies, Evaluation
    from .lessons import Lessons
    from .watch import Watch

OURS = "<_nbsafe importlib._bootstrap>"
"""The file of our frames: `warnings` takes those of the import system out of its count."""

_MARK = "_nbsafe_call"
_BASE = "sklearn.base"
_LEFT = frozenset({"keras", "tensorflow", "torch", "pytorch_lightning", "lightning", "pyspark"})
_NO_LEARNERS = frozenset({"data", "model"})  # of their own interface: nobody knows the arguments
_FUNCTIONS = frozenset({"split", "resample", "shuffle", "cv", "cv_curve"})
_EVERYWHERE = frozenset({"metric", "fitted"})
_FRAMES = frozenset({"pandas.concat", "pandas.DataFrame.sample"})
_INNER = 1_000


class Desk:
    """Where hooks report.

    `busy`: a watched call is running, and what it calls is its own affair.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.on = True
        self.lessons: Lessons | None = None
        self.busy = False
        self.thread = threading.get_ident()
        self.inner: list[weakref.ref[Any]] = []
        self.watched: list[tuple[FunctionType, CodeType]] = []
        self.undo: list[Callable[[], object]] = []

    def start(self) -> None:
        """Take note that a run begins: whatever happens in other threads is not the notebook's."""
        self.thread, self.busy = threading.get_ident(), False
        if self.lessons is not None:
            try:
                self.lessons.start()
            except Exception as error:
                self.fail(error)

    def report(self) -> tuple[list[Evaluation], list[Copies]]:
        """Return what was seen in this run."""
        try:
            return self.lessons.take() if self.lessons is not None else ([], [])
        except Exception as error:
            self.fail(error)
            return [], []

    def leave(self) -> None:
        """Put everything back as it was, and never watch again."""
        self.on = False
        for function, code in self.watched:
            function.__code__ = code
        for put_back in self.undo:
            put_back()
        self.watched.clear()
        self.undo.clear()
        self.lessons = None

    def fail(self, error: BaseException) -> None:
        """Tell a fault of ours, and leave."""
        self.on, doing = False, "watching what learns"
        with contextlib.suppress(Exception):
            self.leave()
        try:
            self.watch.fault(error, doing)
        except Exception:
            self.watch.lost = doing


class Hook:
    """Stands in a function's code; calls what it had been.

    In another process, where nobody is at the desk, a copy is a `functools.partial` of the
    original, whose `func` is just that.
    """

    __slots__ = ("desk", "handler", "name", "original")

    def __init__(self, desk: Desk, original: FunctionType, name: str, handler: Handler) -> None:
        self.desk, self.original, self.name, self.handler = desk, original, name, handler

    def func(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the original, with an eye on what goes in and what comes out."""
        desk = self.desk
        if desk.busy or not desk.on or threading.get_ident() != desk.thread:
            if desk.busy and self.name == "fit" and args and len(desk.inner) < _INNER:
                try:
                    _note_inner(desk, args[0])
                except Exception as error:
                    desk.fail(error)
            return self.original(*args, **kwargs)
        caller = sys._getframe(2).f_code.co_filename  # noqa: SLF001  # above it is the stand-in
        if "-packages" in caller:  # what a library does inside is its own affair
            return self.original(*args, **kwargs)
        desk.busy = True
        try:
            try:
                steps, changed = _begin(self, args, kwargs)
            except Exception as error:
                desk.fail(error)
                steps, changed = None, None
            result = self.original(*(args if changed is None else changed.args), **kwargs)
            try:
                _end(self, steps, result)
            except Exception as error:
                desk.fail(error)
            if changed is None:
                return result
            kept = result[: len(result) - changed.extra]
            return kept[0] if len(kept) == changed.extra == 1 else kept
        finally:
            desk.busy = False
            desk.inner.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial, (self.original,)


def _note_inner(desk: Desk, estimator: Any) -> None:
    with contextlib.suppress(TypeError):
        desk.inner.append(weakref.ref(estimator))


def _begin(hook: Hook, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Return the steps of a handler and the arguments that it changes, None for none of them."""
    from .calls import Call
    from .rowids import Unknown

    desk = hook.desk
    if desk.lessons is None:
        return None, None
    try:
        steps = hook.handler(desk.lessons, Call(hook.name, args, kwargs, desk.inner))
        return steps, next(steps)
    except Unknown:
        return None, None


def _end(hook: Hook, steps: Any, result: Any) -> None:
    if steps is None or not hook.desk.on:
        return
    from .rowids import Unknown

    with contextlib.suppress(StopIteration, Unknown):
        steps.send(result)


# ------------------------------------------------------------------ other code for functions


def put_on(desk: Desk, function: Any, name: str, handler: Handler) -> None:
    """Give a function code that calls the desk; leave alone what is no plain function."""
    if not isinstance(function, FunctionType) or not desk.on or is_ours(function.__code__):
        return
    code = function.__code__
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return
    original = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    original.__kwdefaults__ = function.__kwdefaults__
    original.__qualname__, original.__module__ = function.__qualname__, function.__module__
    original.__doc__, original.__dict__ = function.__doc__, function.__dict__.copy()
    original.__annotations__ = function.__annotations__
    hook = Hook(desk, original, name, handler)
    ours = _standin(code)
    if ours is None or len(ours.co_freevars) != len(code.co_freevars):
        return
    consts = tuple(hook if const == _MARK else const for const in ours.co_consts)
    names: dict[str, Any] = {"co_name": code.co_name}
    if sys.version_info >= (3, 11):
        names["co_qualname"] = code.co_qualname
    function.__code__ = ours.replace(co_consts=consts, **names)
    function.__dict__.setdefault("__wrapped__", original)
    desk.watched.append((function, code))


def is_ours(code: CodeType) -> bool:
    """Return whether code is a part of the watch."""
    return code.co_filename == OURS


def code_of(function: FunctionType) -> CodeType:
    """Return a function's own code, also where another stands in for it."""
    original = _original(function)
    return function.__code__ if original is None else original.__code__


def attributes_of(function: FunctionType) -> dict[str, Any]:
    """Return a function's own attributes, without what another code needs."""
    original = _original(function)
    if original is None:
        return function.__dict__
    return {name: value for name, value in function.__dict__.items() if value is not original}


def _original(function: FunctionType) -> FunctionType | None:
    if not is_ours(function.__code__):
        return None
    hooks = (const for const in function.__code__.co_consts if isinstance(const, Hook))
    return next((hook.original for hook in hooks), None)


def _standin(code: CodeType) -> CodeType | None:
    """Return code that takes the same arguments and passes them to what stands at the mark.

    None where a name cannot be written in a text: the compiler's own are such.
    """
    count = code.co_argcount + code.co_kwonlyargcount
    stars = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    names = code.co_varnames[
        : count
        + bool(code.co_flags & inspect.CO_VARARGS)
        + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    ]
    if not all(map(str.isidentifier, (*names, *code.co_freevars))):
        return None
    generator = bool(code.co_flags & inspect.CO_GENERATOR)
    return _made(
        names, code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount, stars,
        code.co_freevars, generator,
    )  # fmt: skip


@functools.cache
def _made(
    names: tuple[str, ...],
    positional: int,
    plain: int,
    keyword: int,
    stars: int,
    free: tuple[str, ...],
    generator: bool,  # noqa: FBT001  # a key of the cache
) -> CodeType:
    """Return the code of a function of these arguments and free names."""
    rest = list(names[plain + keyword :])
    star = rest.pop(0) if stars & inspect.CO_VARARGS else ""
    taken, passed = list(names[:plain]), list(names[:plain])
    if positional:
        taken.insert(positional, "/")
    if star or keyword:
        taken.append("*" + star)
    if star:
        passed.append("*" + star)
    for name in names[plain : plain + keyword]:
        taken.append(name)
        passed.append(f"{name}={name}")
    if rest:
        taken.append("**" + rest[0])
        passed.append("**" + rest[0])
    give = "return (yield from " if generator else "return ("
    inside = [f"def f({', '.join(taken)}):"]
    inside.append(f"    {give}{_MARK!r}.func({', '.join(passed)}))")
    inside.append(f"    ({', '.join([*free, ''])})" if free else "    pass")
    lines = [f"def outer({', '.join(free)}):", *(f"    {line}" for line in inside), "    return f"]
    scope: dict[str, Any] = {}
    exec(compile("\n".join(lines), OURS, "exec"), scope)  # noqa: S102  # made of names only
    outer = scope["outer"]
    code: CodeType = outer(*free).__code__
    return code


# ------------------------------------------------------------------ classes


def watch_class(desk: Desk, kind: type) -> None:
    """Watch the methods of a class that learns, wherever it has them from."""
    from .calls import METHODS

    for name, handler in METHODS.items():
        for base in kind.__mro__:
            found = base.__dict__.get(name)
            if found is not None:
                put_on(desk, _function(found), name, handler)


def _function(found: Any) -> Any:
    """Return the function behind what stands in a class: a method that is there only at times."""
    if isinstance(found, (classmethod, staticmethod)):
        return found.__func__
    return found if isinstance(found, FunctionType) else getattr(found, "fn", None)


def watch_subclasses(desk: Desk, base: Any) -> None:
    """Watch the subclasses of a class, those that are there and those that will be made."""
    own = base.__dict__.get("__init_subclass__")

    def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:  # noqa: N807  # it stands for it
        if own is not None:
            own.__func__(cls, **kwargs)
        else:
            super(base, cls).__init_subclass__(**kwargs)
        if desk.on:
            try:
                watch_class(desk, cls)
            except Exception as error:
                desk.fail(error)

    __init_subclass__.__code__ = __init_subclass__.__code__.replace(co_filename=OURS)
    base.__init_subclass__ = classmethod(__init_subclass__)
    if own is None:
        desk.undo.append(lambda: delattr(base, "__init_subclass__"))
    else:
        desk.undo.append(lambda: setattr(base, "__init_subclass__", own))
    for kind in [base, *_below(base)]:
        watch_class(desk, kind)


def _below(kind: type) -> Iterator[type]:
    below: list[type] = type.__subclasses__(kind)
    for each in below:
        yield each
        yield from _below(each)


# ------------------------------------------------------------------ imports


class Finder:
    """Finds nothing itself: it looks on while others import the modules that are wanted."""

    def __init__(self, desk: Desk, wanted: Mapping[str, Callable[[Any], None]]) -> None:
        self.desk, self.wanted = desk, wanted

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return what the other finders find, with an eye on a module that is wanted."""
        if name not in self.wanted or not self.desk.on:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                try:
                    self._look_on(spec, name)
                except Exception as error:
                    self.desk.fail(error)
                return spec
        return None

    def _look_on(self, spec: Any, name: str) -> None:
        loader = spec.loader
        execute = getattr(loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module: Any) -> None:
            loader.__dict__.pop("exec_module", None)
            execute(module)
            if self.desk.on:
                try:
                    self.wanted[name](module)
                except Exception as error:
                    self.desk.fail(error)

        with contextlib.suppress(AttributeError):  # a built-in loader: nothing there learns
            loader.exec_module = exec_module


def install(learning: Mapping[str, Any], shell: Any, watch: Watch) -> Desk:
    """Watch what `learning` names: classes by their role, functions by their effect."""
    desk = Desk(watch)
    try:
        _install(desk, learning, shell)
    except Exception as error:
        desk.fail(error)
    return desk


def _install(desk: Desk, learning: Mapping[str, Any], shell: Any) -> None:
    wanted = _wanted(learning, desk, Spot(desk.watch))
    for name in list(wanted):
        module = sys.modules.get(name)
        if module is not None:
            wanted[name](module)
    sys.meta_path.insert(0, finder := Finder(desk, wanted))
    desk.undo.append(lambda: sys.meta_path.remove(finder))
    for method in (Hook.func, Finder.find_spec):
        method.__code__ = method.__code__.replace(co_filename=OURS)
    watch_tracebacks(desk, shell)


class Spot:
    """Where we are. In the body of a magic, lines are those of the body."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    @property
    def run(self) -> int:
        """The current run."""
        return self.watch.run

    def line(self) -> int:
        """Return the line of the current run's cell that is executing."""
        return next((line for run, line in reversed(self._lines()) if run == self.run), 0)

    def place(self) -> tuple[int, int]:
        """Return the run and line of the innermost text of a cell: be it that of a helper."""
        return next(iter(self._lines()), (self.run, 0))

    def _lines(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        files = self.watch.places.files
        frame: FrameType | None = sys._getframe()  # noqa: SLF001  # what else tells the line
        while frame is not None and not (found and frame.f_code.co_name == "run_cell_magic"):
            known = files.get(frame.f_code.co_filename)
            if known is not None:
                found.append((known[0], known[1](frame.f_lineno)))
            frame = frame.f_back
        return found


def _wanted(
    learning: Mapping[str, Any], desk: Desk, spot: Spot
) -> dict[str, Callable[[Any], None]]:
    """Return the modules to look at, and what is done with each when it has been imported."""
    functions: dict[str, dict[str, str]] = {}
    for name, effect in learning["functions"].items():
        module, path = _cut(name)
        ours = name in _FRAMES or effect in _EVERYWHERE
        if ours or (effect in _FUNCTIONS and module.startswith("sklearn")):
            functions.setdefault(module, {})[path] = effect
    classes: dict[str, set[str]] = {}
    for name, role in learning["classes"].items():
        module, path = _cut(name)
        if role not in _NO_LEARNERS and module.partition(".")[0] not in _LEFT:
            classes.setdefault(module, set()).add(path)

    def look(module: Any) -> None:
        if "numpy" not in sys.modules:
            return
        if desk.lessons is None:
            from .lessons import Lessons

            desk.lessons = Lessons(learning["classes"], spot)
        name = module.__name__
        if name == _BASE:
            watch_subclasses(desk, module.BaseEstimator)
        _watch_functions(desk, module, functions.get(name, {}))
        _watch_classes(desk, module, classes.get(name, set()), learning["classes"])

    left = {name for name in (*functions, *classes) if name.partition(".")[0] in _LEFT}
    return dict.fromkeys({_BASE, *functions, *classes} - left, look)


def _cut(name: str) -> tuple[str, str]:
    """Return the module of a dotted name, and the path in it: a class begins with a capital."""
    words = name.split(".")
    at = next((i for i, word in enumerate(words[:-1]) if word[:1].isupper()), len(words) - 1)
    return ".".join(words[:at]), ".".join(words[at:])


def _watch_functions(desk: Desk, module: Any, functions: Mapping[str, str]) -> None:
    from .calls import FUNCTIONS

    for path, effect in functions.items():
        handler = FUNCTIONS.get(effect)
        *outer, name = path.split(".")
        holder = module.__dict__.get(outer[0]) if outer else module
        if handler is not None and holder is not None:
            found = _function(inspect.getattr_static(holder, name, None))
            put_on(desk, found, name, handler)


def _watch_classes(desk: Desk, module: Any, paths: set[str], roles: Mapping[str, str]) -> None:
    from .calls import folds

    for path in paths:
        kind = module.__dict__.get(path)
        if not isinstance(kind, type):
            continue
        if roles[f"{module.__name__}.{path}"] == "splitter":
            for base in kind.__mro__:
                put_on(desk, base.__dict__.get("split"), "split", folds)
        else:
            watch_class(desk, kind)


# ------------------------------------------------------------------ tracebacks


def trim(error: BaseException | None) -> None:
    """Take our frames out of an exception's traceback, and of those that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        before: TracebackType | None = error.__traceback__
        while before is not None:
            after = before.tb_next
            while after is not None and is_ours(after.tb_frame.f_code):
                after = after.tb_next
            if after is not before.tb_next:
                before.tb_next = after
            before = after
        error = error.__cause__ or error.__context__


def watch_tracebacks(desk: Desk, shell: Any) -> None:
    """Take our frames out of every traceback that is about to be shown."""
    shown: Any = traceback.TracebackException
    original = shown.__init__

    @functools.wraps(original)
    def __init__(self: Any, exc_type: Any, exc_value: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        with contextlib.suppress(Exception):
            trim(exc_value)
        original(self, exc_type, exc_value, *args, **kwargs)

    shown.__init__ = __init__
    desk.undo.append(lambda: setattr(shown, "__init__", original))
    asked = getattr(shell, "_get_exc_info", None)
    if asked is None:
        return

    def _get_exc_info(*args: Any, **kwargs: Any) -> Any:
        found = asked(*args, **kwargs)
        with contextlib.suppress(Exception):
            trim(found[1])
        return found

    shell._get_exc_info = _get_exc_info  # noqa: SLF001  # all that IPython shows passes here
    desk.undo.append(lambda: delattr(shell, "_get_exc_info"))
