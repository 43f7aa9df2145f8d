"""Tables and visible text of HTML."""

import pytest
from outputcase import result

from pytest_nbsafe.trace.outputs import html_reader
from pytest_nbsafe.trace.outputs.comparison import compare


def html(rows: list[list[object]], columns: str = "price name", *, style: str = "") -> str:
    """Return a frame as HTML; the first value of a row is its label."""
    head = "".join(f"<th>{name}</th>" for name in ["", *columns.split()])
    body = "".join(
        f"<tr><th>{row[0]}</th>" + "".join(f"<td {style}>{v}</td>" for v in row[1:]) + "</tr>"
        for row in rows
    )
    return (
        f"<style>.x {{{style}}}</style><table class='dataframe'><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table><p>{len(rows)} rows</p>"
    )


ROWS: list[list[object]] = [[0, 12.5, "a b"], [1, 7, "c"], [2, 1 / 3, "d"]]


def change(old: str, new: str) -> str:
    difference = compare([result(html=old)], [result(html=new)])
    return "" if difference is None else f"{difference.form}: {difference.detail}"


def test_styles_ids_and_last_places_are_no_difference() -> None:
    assert change(html(ROWS), html(ROWS, style="id=T_a3f1_row0")) == ""
    assert change(html(ROWS), html([*ROWS[:2], [2, 0.33333333, "d"]])) == ""


def test_a_cell_is_told_by_its_row_and_column() -> None:
    other = html([[0, 13.1, "a b"], [1, 7, "c"], [2, 0.4, "e"]])
    assert (
        change(html(ROWS), other) == "table: row 0, column price: 12.5 -> 13.1 (and 2 other cells)"
    )


def test_a_digit_after_zeros_is_found() -> None:
    assert "0.130700 -> 0.130706" in change(
        html([[0, "0.130700", "a"]]), html([[0, "0.130706", "a"]])
    )


def test_a_row_that_is_gone() -> None:
    detail = change(html(ROWS), html(ROWS[:2]))
    assert detail.startswith("table: 3 rows x 2 columns -> 2 rows x 2 columns; ")


def test_rows_in_another_order_differ() -> None:
    assert "row 0, column 1: 0 -> 2" in change(html(ROWS), html(ROWS[::-1]))


def test_a_renamed_column_differs() -> None:
    assert "column name: name -> title" in change(html(ROWS), html(ROWS, "price title"))


def test_text_beside_a_table_is_compared() -> None:
    assert "3 -> 4" in change(html(ROWS), html(ROWS).replace("3 rows", "4 rows"))


LONG: list[list[object]] = [[n, n * n, "x"] for n in range(30)]
ODD: list[object] = [0, 9, "x"]


def cut(first: int, last: int) -> str:
    dots: list[object] = ["...", "...", "..."]
    rows = [*LONG[:first], dots, *LONG[30 - last :]]
    return html(rows).replace(f"<p>{len(rows)} rows</p>", "<p>30 rows</p>")


def test_tables_cut_at_other_places_are_compared_where_both_show_rows() -> None:
    assert change(cut(5, 5), cut(10, 3)) == ""
    assert change(cut(5, 5), html(LONG)) == ""
    assert change(cut(5, 5), html([ODD, *LONG[1:]])) == "table: row 0, column price: 0 -> 9"


def test_spans_fill_the_cells_they_cover() -> None:
    page = html_reader.page(
        "<table><tr><th rowspan=2>k</th><th colspan=2>a</th></tr><tr><td>1<td>2</tr></table>"
    )
    assert page.tables[0].rows == [["k", "a", ""], ["", "1", "2"]]


@pytest.mark.parametrize(
    "broken",
    ["<table>", "<td>1", "<table><td>1<table><tr><td>2", "<table><tr><td rowspan=9999999999>", "<"],
)
def test_broken_pages_are_read_as_far_as_they_go(broken: str) -> None:
    assert change(broken, broken) == ""
    assert html_reader.page(broken).has_code is False


def test_plain_text_decides_where_html_is_only_its_decoration() -> None:
    old = result("Model(depth=3)", html="<style>#a1{}</style><table><tr><td>0.1 s</table>")
    new = result("Model(depth=3)", html="<style>#b2{}</style><table><tr><td>0.2 s</table>")
    assert compare([old], [new]) is None
    other = result("Model(depth=4)", html="<p>Model</p>")
    assert compare([old], [other]) is not None


def test_what_is_embedded_is_told_by_its_address() -> None:
    old, new = (f"<iframe width={n} src='https://v.org/{n}'></iframe>" for n in (1, 2))
    assert change(old, new) == "text: line 1: https://v.org/[1 -> 2]"
    assert change(old, old.replace("width=1", "width=2")) == ""


def test_false_negative_a_picture_within_html() -> None:
    assert change("<img src='data:image/png;base64,AAA'>", "<img src='data:x,BBB'>") == ""


def test_what_scripts_draw_is_unknown() -> None:
    old, new = (result("<Figure>", html=f"<script>draw({n})</script>") for n in (1, 2))
    difference = compare([old], [new])
    assert difference is not None
    assert difference.kind == "unknown"
