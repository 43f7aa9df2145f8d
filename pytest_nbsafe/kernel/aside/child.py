"""Who runs cells on the side: the forked child of a kernel, sealed off, answers and ends."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from .. import bootstrap
from ..adapters import answers
from ..aspects import aspects
from ..contract import MIME, SHOWN_AT_ONCE, Answer, HostQuestion, SideRun, no_answer
from . import seal

HEAD = 8
TEXT_LIMIT = 8_000_000
TOO_MUCH = "there is too much to follow in a cell"
unfollowed: set[str] = set()
"""Texts of cells with too much to follow; they run as they are."""


def keep() -> Callable[[], None]:
    """Return what gives a child back what a fork changes: the random numbers, and the files' names.

    Python seeds its random numbers again; ipykernel names the texts of cells by its process.
    """
    random = sys.modules.get("random")
    state = random.getstate() if random is not None else None
    compiler: Any = sys.modules.get("ipykernel.compiler")
    folder = compiler.get_tmp_directory() if compiler is not None else ""

    def restore() -> None:
        if random is not None:
            random.setstate(state)
        if compiler is not None:
            compiler.get_tmp_directory = lambda: folder

    return restore


def live(
    tracer: Any, asked: HostQuestion, ways: tuple[int, int], restore: Callable[[], None]
) -> None:
    """Run the cells, write the answer to the first way out, and end the process."""
    _live(tracer, lambda: asked, ways, restore)


def wait(tracer: Any, way_in: int, ways: tuple[int, int], restore: Callable[[], None]) -> None:
    """Stay what the kernel is now until a question comes in; then `live`, or end without one."""
    _live(tracer, lambda: _read(way_in), (*ways, way_in), restore)


def _live(
    tracer: Any,
    question: Callable[[], HostQuestion],
    ways: tuple[int, ...],
    restore: Callable[[], None],
) -> None:
    try:
        forked = _Forked(tracer, ways[0])
        restore()
        seal.part(ways)
        asked = question()
        seal.confine(asked["limit_s"], asked["cells"])
        seal.quiet_pools()
        forked.unlock()
        forked.live(asked)
        forked.send()
    except BaseException as error:  # nothing may go back up into the kernel's own loop
        with contextlib.suppress(BaseException):  # the parent tells that there was no answer
            _write(ways[0], no_answer(f"it could not be run: {error!r}"))
    finally:
        os._exit(0)


class Child:
    """What was seen so far of the cells that run; `restore` puts back what listening changed."""

    is_in_history = True
    """Whether the cells are numbered, and found in the history."""

    def __init__(self, tracer: Any) -> None:
        self.tracer = tracer
        self.shell = tracer.shell
        self.answer = no_answer()
        self.kept: list[tuple[dict[str, Any], str, Any]] = []
        self.fault: Exception | None = None
        self.messages: list[list[Any]] = []
        self.event: Any = None
        self.size = 0
        self.lock = threading.Lock()
        self.follower: Any = None

    # ------------------------------------------------------------ what is shown

    def listen(self) -> None:
        """Take in all that the kernel would send, and what is written to its streams.

        The streams are changed, not replaced: logging handlers and the like hold them.
        """
        senders = (self.shell.kernel, self.shell.display_pub, self.shell.displayhook)
        for sender in senders:
            if getattr(sender, "session", None) is not None:
                self._replace(sender.session, "send", self._guarded(self._sent))
        for stream in {id(s): s for s in (*bootstrap.streams, sys.stdout, sys.stderr)}.values():
            if hasattr(stream, "pub_thread"):
                for name, method in _rerouted(stream, self._guarded(self._text)).items():
                    self._replace(stream, name, method)
        self.shell.kernel._forward_input(allow_stdin=False)  # noqa: SLF001  # as when a cell runs

    def restore(self) -> None:
        """Let the kernel send and write again."""
        for attributes, name, old in reversed(self.kept):
            if old is None:
                attributes.pop(name, None)
            else:
                attributes[name] = old
        self.kept.clear()

    def _guarded(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Keep our faults from the cell that shows something; there is no answer then."""

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return method(*args, **kwargs)
            except Exception as error:
                self.fault = error

        return call

    def _replace(self, thing: Any, name: str, method: Any) -> None:
        attributes = vars(thing)
        self.kept.append((attributes, name, attributes.get(name)))
        attributes[name] = method

    def _sent(self, _stream: Any, message: Any, content: Any = None, *_: Any, **__: Any) -> Any:
        """Stand in for `Session.send`."""
        kind = message
        if isinstance(message, dict):
            kind, content = message["header"]["msg_type"], message["content"]
        if kind == "display_data" and MIME in content.get("data", {}):
            self.event = content["data"][MIME]
        else:
            self._add(str(kind), content)
        return message

    def _add(self, kind: str, content: Any) -> None:
        text = json.dumps(content, default=plain)
        with self.lock:
            self.size += len(text)
            if self.size <= TEXT_LIMIT:
                self.messages.append([kind, json.loads(text)])

    def _text(self, name: str, text: str) -> None:
        with self.lock:
            text = text[: max(0, TEXT_LIMIT - self.size)]
            self.size += len(text)
            if not text:
                return
            last = self.messages[-1] if self.messages else None
            if last is not None and last[0] == "stream" and last[1]["name"] == name:
                last[1]["pieces"].append(text)
            else:
                self.messages.append(["stream", {"name": name, "pieces": [text]}])

    # ------------------------------------------------------------ what is run

    def live(self, asked: HostQuestion) -> None:
        """Run the cells that are asked for, and take in what comes of them."""
        if asked["stir"]:
            stir()
        self.listen()
        if asked["follow"]:
            self.follow()
        seal.guard(self.refuse)
        self.run(asked["cells"])

    def follow(self) -> None:
        """Follow what the cells access below the names, if that can be done."""
        with contextlib.suppress(Exception):  # the parts alone are not known then
            from ..parts import follower

            if follower.can_follow(self.tracer):
                self.follower = follower.Follower(self.tracer, self._replace, self.follow_no_more)

    def follow_no_more(self) -> None:
        """Go on with a cell of which nothing can be told, as quickly as it can be done here."""
        from ..parts import follower

        follower.let_pass()

    def run(self, cells: list[str]) -> None:
        """Run the cells one after another, to the first that fails."""
        for source in cells:
            self.messages, self.event = [], None
            if self.follower is not None and source in unfollowed:
                self.follower.pause()
            elif self.follower is not None:
                self.follower.begin(source)
            result = self.shell.run_cell(source, store_history=self.is_in_history)
            error = result.error_before_exec or result.error_in_exec
            if error is not None and (forbidden := seal.forbidden(error)):
                self.refuse(forbidden)
            if self.fault is not None:
                raise self.fault
            self.answer["runs"].append(self._side_run(error))
            if error is not None:
                break
        if self.event is not None:
            names = {*self.event["after"], *self.event["bindings"]}
            self.answer["shown"] = shown(self.tracer.home, names)

    def _side_run(self, error: BaseException | None) -> SideRun:
        reply: dict[str, Any] = {"status": "ok"}
        if error is not None:
            reply = {
                "status": "error",
                "ename": type(error).__name__,
                "evalue": str(error),
                "traceback": list(getattr(self.shell, "_last_traceback", None) or ()),
            }
        for kind, content in self.messages:
            if kind == "stream" and "pieces" in content:
                content["text"] = "".join(content.pop("pieces"))
        return {
            "messages": self.messages,
            "reply": reply,
            "event": self.event,
            "accesses": self.follower.end() if self.follower is not None else None,
        }

    def refuse(self, cause: str) -> None:
        """Answer that a cell cannot be run on the side."""
        raise NotImplementedError(cause)


class _Forked(Child):
    """A child in a process of its own, and the way to send its answer."""

    def __init__(self, tracer: Any, way: int) -> None:
        super().__init__(tracer)
        self.way = way
        self.pid = os.getpid()

    def unlock(self) -> None:
        """Give the history locks of its own: the thread that saves may have held them."""
        history = getattr(self.shell, "history_manager", None)
        for name in ("db_input_cache_lock", "db_output_cache_lock"):
            if hasattr(history, name):
                setattr(history, name, threading.Lock())

    def follow_no_more(self) -> None:
        """End; another child runs the cell as it is, for what is followed makes loops slow."""
        if os.getpid() != self.pid or self.fault is not None:
            super().follow_no_more()
            return
        self.answer["cause"] = TOO_MUCH
        try:
            _write(self.way, self.answer)
        finally:
            os._exit(0)

    def refuse(self, cause: str) -> None:
        """Answer that a cell cannot be run on the side, and end."""
        try:
            _write(self.way, no_answer(cause))
        finally:
            os._exit(0)

    def send(self) -> None:
        """Send the answer, unless this is a child's child that came here by a fork of its own."""
        if os.getpid() == self.pid:
            _write(self.way, self.answer)


def _write(way: int, answer: Answer) -> None:
    write(way, json.dumps(answer, default=plain).encode())


def write(way: int, data: bytes) -> None:
    """Write data to a pipe, how long it is at its head."""
    left = memoryview(len(data).to_bytes(HEAD, "big") + data)
    while left:
        left = left[os.write(way, left) :]


def _read(way: int) -> HostQuestion:
    """Return the question that comes through a pipe; where there is none, end the process."""
    came = bytearray()
    while len(came) < HEAD or len(came) < HEAD + int.from_bytes(came[:HEAD], "big"):
        data = os.read(way, 1 << 16)
        if not data:
            os._exit(0)
        came += data
    question: HostQuestion = json.loads(came[HEAD:])
    return question


def shown(home: dict[str, Any], names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return a few words on what names hold now, those that are bound."""
    bound = sorted({name for name in names if name in home})[:SHOWN_AT_ONCE]
    return {name: aspects(home[name]) for name in bound}


def plain(value: Any) -> Any:
    """Return what stands for a value in JSON: pictures as Base64, the rest as text."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode("ascii")
    return str(value)


def stir() -> None:
    """Seed the usual sources of random numbers by chance."""
    random = sys.modules.get("random")
    if random is not None:
        random.seed()
    answers("stir")


def _rerouted(stream: Any, text: Any) -> dict[str, Any]:
    """Return methods that make one of the kernel's streams write to `text` alone."""
    name = str(getattr(stream, "name", "stdout"))

    def write(string: Any) -> int:
        if not isinstance(string, str):
            message = f"write() argument must be str, not {type(string)}"
            raise TypeError(message)
        text(name, string)
        return len(string)

    def writelines(lines: Iterable[str]) -> None:
        for line in lines:
            write(line)

    return {"write": write, "writelines": writelines, "flush": lambda: None}
