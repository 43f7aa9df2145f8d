"""What a kernel prints and shows during one run, kept within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.outputs.shown import CUT_NOTE
from pytest_nbsafe.trace.updated_displays import Displays, shown_instead

STREAM_LIMIT = 1_000_000
DISPLAY_LIMIT = 5_000_000
OUTPUTS_LIMIT = 2_000


class Collector:
    """The outputs of one run, in order, as a front end would show them at its end.

    Text of one stream that follows on itself is joined. Beyond `STREAM_LIMIT` characters of
    stream text, `DISPLAY_LIMIT` characters of one display or `OUTPUTS_LIMIT` outputs, the rest is
    dropped and a note says so. What a widget catches is shown in the widget, and no output of the
    cell. A display that bears the id of others is from then on shown in their places, too: those of
    this run are changed here, those of earlier runs by who reads `displays`.
    """

    def __init__(self) -> None:
        self._outputs: list[Output] = []
        self._texts: dict[int, list[str]] = {}
        self._displays: dict[str, list[int]] = {}
        self._updates: dict[str, Output] = {}
        self._catching: list[str] = []
        self._clear_next = False
        self._size = 0
        self._dropped = 0

    def add(self, kind: str, content: Mapping[str, Any]) -> None:
        """Take in one message of the output channel; kinds that show nothing are ignored."""
        if kind == "comm_msg":
            self._note_catching(content)
            return
        if self._catching and kind != "update_display_data":
            return
        if kind == "clear_output":
            self._clear_next = bool(content.get("wait"))
            if not self._clear_next:
                self._clear()
            return
        if kind == "update_display_data":
            self._update(content)
            return
        if kind not in {"stream", "display_data", "execute_result", "error"}:
            return
        if self._clear_next:
            self._clear_next = False
            self._clear()
        if kind == "stream":
            self._stream(_text(content.get("name")) or "stdout", _text(content.get("text")))
        else:
            self._show(output_of(kind, content), _display_id(content))

    def outputs(self) -> tuple[Output, ...]:
        """Return what is shown now."""
        shown = [
            Output("stream", name=output.name, text="".join(self._texts[index]))
            if index in self._texts
            else output
            for index, output in enumerate(self._outputs)
        ]
        if self._dropped:
            note = f"{CUT_NOTE}{self._dropped:,} more characters of output were not kept]\n"
            shown.append(Output("stream", name="stderr", text=note))
        return tuple(shown)

    def displays(self) -> Displays:
        """Return the displays that have an id, and what is shown now wherever one of an id was."""
        own = {each: tuple(indexes) for each, indexes in self._displays.items()}
        return Displays(own, dict(self._updates))

    def _note_catching(self, content: Mapping[str, Any]) -> None:
        """Note that a widget begins to catch what is shown, or ends: it names the request, or none.

        Several may be open, one in the other; the innermost catches.
        """
        data = content.get("data")
        state = data.get("state") if isinstance(data, Mapping) else None
        if not isinstance(state, Mapping) or "msg_id" not in state:
            return
        widget = _text(content.get("comm_id"))
        if state["msg_id"]:
            self._catching.append(widget)
        elif widget in self._catching:
            self._catching.remove(widget)

    def _clear(self) -> None:
        for held in (self._outputs, self._texts, self._displays):
            held.clear()
        self._size = self._dropped = 0

    def _stream(self, name: str, text: str) -> None:
        kept = text[: max(0, STREAM_LIMIT - self._size)]
        self._size += len(kept)
        self._dropped += len(text) - len(kept)
        if not kept:
            return
        last = len(self._outputs) - 1
        if last not in self._texts or self._outputs[last].name != name:
            last += 1
            self._outputs.append(Output("stream", name=name))
            self._texts[last] = []
        self._texts[last].append(kept)

    def _show(self, output: Output, display_id: str) -> None:
        size = len(output.text) + sum(len(v) for v in output.data.values() if isinstance(v, str))
        if size > DISPLAY_LIMIT or len(self._outputs) >= OUTPUTS_LIMIT:
            self._dropped += size
            return
        if display_id:
            self._replace(display_id, output)
            self._displays.setdefault(display_id, []).append(len(self._outputs))
        self._outputs.append(output)

    def _update(self, content: Mapping[str, Any]) -> None:
        if display_id := _display_id(content):
            self._replace(display_id, output_of("display_data", content))

    def _replace(self, display_id: str, output: Output) -> None:
        self._updates[display_id] = output
        for index in self._displays.get(display_id, ()):
            self._outputs[index] = shown_instead(self._outputs[index], output)


def output_of(kind: str, content: Mapping[str, Any]) -> Output:
    """Return the display, result or error that a message's content describes."""
    if kind == "error":
        return Output(
            "error",
            ename=_text(content.get("ename")),
            evalue=_text(content.get("evalue")),
            traceback=tuple(_text(line) for line in content.get("traceback") or ()),
        )
    data = {str(mime): value for mime, value in (content.get("data") or {}).items()}
    plain = _text(data.pop("text/plain", ""))
    shown = "execute_result" if kind == "execute_result" else "display_data"
    return Output(shown, text=plain, data=data)  # type: ignore[arg-type]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _display_id(content: Mapping[str, Any]) -> str:
    return _text((content.get("transient") or {}).get("display_id"))
