from __future__ import annotations

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.runner.outputs import OUTPUTS_LIMIT, STREAM_LIMIT, Collector


def said(text: str, name: str = "stdout") -> dict[str, str]:
    return {"name": name, "text": text}


def test_text_of_one_stream_is_joined() -> None:
    collector = Collector()
    for name, text in [("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")]:
        collector.add("stream", said(text, name))
    assert [(o.name, o.text) for o in collector.outputs()] == [
        ("stdout", "ab"),
        ("stderr", "c"),
        ("stdout", "d"),
    ]


def test_clearing() -> None:
    collector = Collector()
    collector.add("stream", said("a"))
    collector.add("clear_output", {"wait": True})
    assert [o.text for o in collector.outputs()] == ["a"]
    collector.add("stream", said("b"))
    assert [o.text for o in collector.outputs()] == ["b"]
    collector.add("clear_output", {"wait": False})
    assert collector.outputs() == ()


def test_a_display_is_updated() -> None:
    collector = Collector()
    shown = {"data": {"text/plain": "a"}, "transient": {"display_id": "1"}}
    collector.add("display_data", shown)
    collector.add("update_display_data", {**shown, "data": {"text/plain": "b", "text/html": "h"}})
    collector.add("update_display_data", {"data": {}, "transient": {"display_id": "other"}})
    assert (Output("display_data", text="b", data={"text/html": "h"}),) == collector.outputs()


def displayed(text: str, display_id: str) -> dict[str, object]:
    return {"data": {"text/plain": text}, "transient": {"display_id": display_id}}


def test_a_display_of_an_id_is_shown_wherever_the_id_stands() -> None:
    collector = Collector()
    collector.add("display_data", displayed("a", "1"))
    collector.add("display_data", displayed("b", "1"))
    collector.add("update_display_data", displayed("c", "earlier"))
    assert [o.text for o in collector.outputs()] == ["b", "b"]
    displays = collector.displays()
    assert displays.own == {"1": (0, 1)}
    assert {k: o.text for k, o in displays.updates.items()} == {"1": "b", "earlier": "c"}


def catches(widget: str, request: str) -> dict[str, object]:
    return {"comm_id": widget, "data": {"method": "update", "state": {"msg_id": request}}}


def test_what_a_widget_catches_is_no_output_of_the_cell() -> None:
    collector = Collector()
    collector.add("stream", said("a"))
    for widget, request in [("w", "1"), ("v", "1"), ("v", "")]:
        collector.add("comm_msg", catches(widget, request))
        collector.add("stream", said("caught"))
    collector.add("clear_output", {"wait": False})
    collector.add("comm_msg", {"comm_id": "w", "data": {"state": {"value": 3}}})
    collector.add("comm_msg", catches("w", ""))
    collector.add("stream", said("b"))
    assert [o.text for o in collector.outputs()] == ["ab"]


def test_errors_and_results() -> None:
    collector = Collector()
    collector.add("error", {"ename": "E", "evalue": "v", "traceback": ["t"]})
    collector.add("execute_result", {"data": {"text/plain": "1"}, "execution_count": 1})
    collector.add("comm_open", {"data": {}})
    assert collector.outputs() == (
        Output("error", ename="E", evalue="v", traceback=("t",)),
        Output("execute_result", text="1"),
    )


def test_limits() -> None:
    collector = Collector()
    collector.add("stream", said("x" * (STREAM_LIMIT + 5)))
    collector.add("stream", said("more"))
    first, note = collector.outputs()
    assert len(first.text) == STREAM_LIMIT
    assert note == Output(
        "stream", name="stderr", text="[nbsafe: 9 more characters of output were not kept]\n"
    )
    collector = Collector()
    for _ in range(OUTPUTS_LIMIT + 3):
        collector.add("display_data", {"data": {"text/plain": "ab"}})
    assert len(collector.outputs()) == OUTPUTS_LIMIT + 1
