"""The lock file: written for what passed, and compared when a later run fails."""

from __future__ import annotations

import json
from pathlib import Path

import makenb
import pytest

from pytest_nbsafe.app import lock
from pytest_nbsafe.app.run import run
from pytest_nbsafe.cli import MISUSE, main
from pytest_nbsafe.environment import LOCK, Entry, Environment
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import NotebookReport, Status

RAN_IN = Environment("3.11.7", "Linux x86_64", (Entry("pandas", "2.2.3"),), seeds=("seed(1)",))
READS = """
# %% [1]
import json, numpy
price = float(open("price.txt").read())
# %% [2]
print(price)
#> 3.0
# %% [3]
def dear():
    assert price == 3
dear()
"""


def report(
    path: Path, environment: Environment | None = RAN_IN, status: Status = "passed"
) -> NotebookReport:
    return NotebookReport(str(path), 2, (), status, 0.1, environment=environment)


def test_what_passed_is_kept_with_what_is_still_there(tmp_path: Path) -> None:
    a, b = (makenb.write(tmp_path / name) for name in ("a.ipynb", "b.ipynb"))
    lines = [*lock.write([report(a), report(b)], Path())]
    assert lines == [f"{tmp_path / LOCK} holds 2 notebooks"]
    first = (tmp_path / LOCK).read_text(encoding="utf-8")
    b.unlink()
    again = [*lock.write([report(a, status="failed")], Path())]
    assert again == [f"{tmp_path / LOCK} holds 1 notebook; a.ipynb did not pass"]
    assert (tmp_path / LOCK).read_text(encoding="utf-8") == first, "nothing passed: as it was"
    list(lock.write([report(a)], Path()))
    assert lock.of(a) == RAN_IN
    (tmp_path / LOCK).unlink()
    none = [*lock.write([report(a, status="failed")], Path())]
    assert none == [f"{tmp_path / LOCK} is not written; a.ipynb did not pass"]
    assert not (tmp_path / LOCK).exists()
    list(lock.write([report(a)], Path()))
    assert lock.of(b) is None


def test_a_line_of_the_file_is_a_package(tmp_path: Path) -> None:
    list(lock.write([report(makenb.write(tmp_path / "a.ipynb"))], Path()))
    lines = (tmp_path / LOCK).read_text(encoding="utf-8").splitlines()
    assert '        "pandas": "2.2.3"' in lines


@pytest.mark.parametrize(
    "text",
    [
        "<<<<<<< HEAD\n{}",
        "[]",
        "{}",
        '{"version": 2, "notebooks": {}}',
        '{"version": 1, "notebooks": {"x.ipynb": {"python": 3}}}',
        '{"version": 1, "notebooks": []}',
        "[" * 100_000,
        "\0",
    ],
)
def test_a_broken_lock_is_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = makenb.write(tmp_path / "x.ipynb")
    (tmp_path / LOCK).write_text(text, encoding="utf-8")
    assert main(["run", str(path)]) == MISUSE
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert LOCK in complaint
    assert "--lock" in complaint


def test_a_folder_that_is_called_so_is_told(tmp_path: Path) -> None:
    (tmp_path / LOCK).mkdir()
    with pytest.raises(NbsafeError, match="it is a folder"):
        lock.of(tmp_path / "x.ipynb")


@pytest.mark.kernel
@pytest.mark.corpus
def test_a_later_failure_names_what_has_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = makenb.write(tmp_path / "x.ipynb", READS)
    price = tmp_path / "price.txt"
    price.write_text("3", encoding="utf-8")
    assert main(["run", "--lock", str(path)]) == 0
    assert capsys.readouterr().err == f"nbsafe: {tmp_path / LOCK} holds 1 notebook\n"
    document = json.loads((tmp_path / LOCK).read_text(encoding="utf-8"))
    document["notebooks"]["x.ipynb"]["packages"]["numpy"] = "1.0"
    (tmp_path / LOCK).write_text(json.dumps(document), encoding="utf-8")
    price.write_text("4", encoding="utf-8")
    findings = run([path], {}).findings
    assert [(f.code, f.location.cell, f.severity) for f in findings] == [
        ("NBS402", 2, "error"),
        ("NBS401", 3, "error"),
    ]
    for finding in findings:
        assert f"since {LOCK} was written: numpy 1.0 -> " in finding.message
        assert finding.message.endswith("; price.txt changed")
        assert finding.remedy.startswith(f"bring back what {LOCK} names")
    price.write_text("3", encoding="utf-8")
    assert run([path], {}).findings == ()
