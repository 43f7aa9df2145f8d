"""The kernel's adapter of requests."""

from __future__ import annotations

import io

import pytest
from adapted import fingerprint

requests = pytest.importorskip("requests")


def test_to_look_at_an_answer_reads_nothing_of_it() -> None:
    answer = requests.Response()
    answer.raw = io.BytesIO(b"text")
    assert fingerprint(answer, unknown=True) == "an answer that is not read yet is not compared"
    assert answer.raw.read() == b"text"


def test_an_answer_that_was_read_is_known_by_its_content() -> None:
    first, second = requests.Response(), requests.Response()
    for answer, text in ((first, b"one"), (second, b"two")):
        answer.raw = io.BytesIO(text)
        assert answer.content == text
    assert fingerprint(first) != fingerprint(second)
