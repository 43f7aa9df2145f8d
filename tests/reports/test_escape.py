"""What cannot be seen is spelled, what a terminal would obey is gone."""

import xml.etree.ElementTree as ET

import pytest

from pytest_nbsafe.reports import escape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]never ended", "never ended"),
        ("\x1b(B\x1b7x", "x"),
        ("\x9b31mred", "red"),
        ("bell\x07", "bell\\x07"),
        ("nul\x00", "nul\\x00"),
        ("\ud800", "\\ud800"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u2028b", "a\\u2028b"),
        ("\ufffe\uffff", "\\ufffe\\uffff"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("10%\r50%\r100%\r\n", "100%\n"),
        ("10%\r100%\n", "100%\n"),
        ("日本語 é 👩‍👧", "日本語 é 👩‍👧"),
    ],
)
def test_clean(text: str, expected: str) -> None:
    assert expected == escape.clean(text)


def test_clean_text_makes_valid_xml_whatever_went_in() -> None:
    text = "".join(map(chr, [*range(0x3000), *range(0xD700, 0xE100), *range(0xFE00, 0x10010)]))
    element = ET.Element("a", b=escape.line(text))
    element.text = escape.clean(text) + "]]>"
    assert ET.fromstring(ET.tostring(element, "utf-8")).text == element.text


@pytest.mark.parametrize("text", ["x", "\x1b]", "\r", "\x1b[", "\x1b[0", "a\r"])
def test_clean_ends_on_much_text(text: str) -> None:
    # Quadratic in its length, any of these would take hours.
    assert len(escape.clean(text * 1_000_000)) <= 8_000_000


def test_line_is_one_line() -> None:
    assert escape.line("a\n\nb\tc\r\nd") == "a b c d"


def test_visible_keeps_one_piece_for_each_character() -> None:
    assert escape.visible("a\tb\x1b") == ["a", "   ", "b", "\\x1b"]


def test_encodable_replaces_only_what_no_encoding_takes() -> None:
    assert escape.encodable("a\ud800b👍") == "a\ufffdb👍"


def test_clipped_keeps_both_ends() -> None:
    text = escape.clipped("a" * 50 + "b" * 50, limit=20)
    assert text == "a" * 10 + "\n[... 80 characters left out ...]\n" + "b" * 10
    assert escape.clipped("short", limit=20) == "short"


def test_of_a_long_log_both_ends_are_shown() -> None:
    text = escape.clipped("\n".join(map(str, range(5_000)))).split("\n")
    assert (text[0], text[99], text[100]) == ("0", "99", "[... 4800 lines left out ...]")
    assert (text[101], text[-1], len(text)) == ("4900", "4999", 201)


def test_a_sentence_has_an_end() -> None:
    text = escape.sentence(f"`{'a' * 400_000}` is read\nhere", limit=100)
    assert len(text) < 160
    assert text.startswith("`aaa")
    assert text.endswith("` is read here")
    assert escape.sentence("short\x1b[31m") == "short"
