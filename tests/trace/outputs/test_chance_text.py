"""What no two runs or machines print alike, and what is data though it looks like that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.trace.outputs.chance_text import lines
from pytest_nbsafe.trace.outputs.terminal import rendered

PROFILE = (
    "  14 function calls (12 primitive calls) in 0.002 seconds\n\n   Ordered by: name\n"
    "   List reduced from 22 to 5 due to restriction <5>\n"
    "      5/1    0.000    0.000    0.001    0.000 cell.py:4(<listcomp>)\n"
)
SAME_IN_ALL_MODES = [
    ("<f at 0x7f12ab34cd>", "<f at 0x55aa00bb11>"),
    ("<function chi...x7fd75d431b20>", "<function chi...x7fd75d27c400>"),  # as `reprlib` cuts it
    ("&lt;function chi...x7fd75d431b20&gt;", "&lt;function chi...x7fd75d27c400&gt;"),
    ("id 140234567890123", "id 139872345678901"),
    ("run 6fa459ea-ee8a-3ca4-894e-db77e160355e", "run 16fd2706-8baf-433b-82eb-8c7fada847da"),
    ("<Job 3f2a9c1b7d ready>", "<Job 9b8c7d6e5f ready>"),
    ("in /tmp/tmpab12cd3_/x", "in /tmp/tmpzz99yy8w/x"),
    ("pid: 4711", "pid: 815"),
    ("at http://127.0.0.1:8787/status", "at http://127.0.0.1:40123/status"),
    ("took 3.2s", "took 12.01 s"),
    ("Training time: 0.53 seconds", "Training time: 1.2 seconds"),
    ("fitted, elapsed 0:00:03.123456", "fitted, elapsed 0:01:13.003456"),
    ("12.3 ms ± 1.2 ms", "9 ms ± 300 µs"),
    ("10/10 [=====] - 1s 3ms/step - loss: 0.5", "10/10 [=====] - 2s 13ms/step - loss: 0.5"),
    ("Epoch 1 - 0.98s/step - loss: 0.5", "Epoch 1 - 1.25s/step - loss: 0.5"),
    ("a\r\nb", "a\nb"),
    ("a  \nb", "a\nb"),
    ("\x1b[31mred\x1b[0m", "red"),
    (" 10%|█   | 1/10 [00:03<00:12, 5.1it/s]", "100%|████| 10/10 [00:01<00:00, 7it/s]"),
    ("\r 1/3\r 2/3\r 3/3 done", " 3/3 done"),
    ("ab\b\bxy", "xy"),
    ("Wall time: 3 ms", ""),
    (PROFILE, "   Ordered by: name\n"),
    ("Writing src/tools.py", "Overwriting src/tools.py"),
    (
        "The autoreload extension is already loaded. To reload it, use:\n  %reload_ext autoreload",
        "",
    ),
    ("Populating the interactive namespace from numpy and matplotlib", ""),
    ("%pylab is deprecated, use %matplotlib inline and import the required libraries.", ""),
    ('File "<ipython-input-2-0123456789ab>", line 3', 'File "/tmp/ipykernel_4711/81.py", line 3'),
    ("(/tmp/ipykernel_1/2.py:3)", "(C:\\Temp\\ipykernel_4711\\81.py:3)"),
    ("    a[1] + b\n    ~^^^\nIndexError", "    a[1] + b\nIndexError"),
    ("Using matplotlib backend: MacOSX", "Using matplotlib backend: module://inline"),
]
SAME_IN_LENIENT_MODE = [
    ("/home/ann/data/a.csv", "/srv/b/a.csv"),
    ("C:\\data\\a.csv", "/srv/b/a.csv"),
    ("dtype: int32", "dtype: int64"),
    ("Index(['a'], dtype='object')", "Index(['a'], dtype='str')"),
    ("[np.float64(1.5)]", "[1.5]"),
    ("np.True_", "True"),
    ("dtype('O')", "<StringDtype(na_value=nan)>"),
    ("dtype='interval[int64]')", "dtype='interval[int64, right]')"),
    ("set([3, 1])", "{3, 1}"),
    ("[1 ..., 3]", "[1 ... 3]"),
]
DIFFERENT = [
    (
        "function calls\n 1 0.125 0.250 0.500 0.750 x",
        "function calls\n 2 0.125 0.250 0.500 0.750 x",
    ),
    ("time  a\n  1  0.125  0.250  0.500  0.750  x", "time  a\n  1  0.125  0.250  0.500  0.125  x"),
    ("/home/ann/data/a.csv", "/home/ann/data/b.csv"),
    ("lasts 12.5 minutes", "lasts 13.5 minutes"),
    ("2019-01-01 00:00:03.123456", "2019-01-01 00:00:04.123456"),
    ("sha256 9b8c7d6e5f", "sha256 3f2a9c1b7d"),
    ("dtype: int64", "dtype: float64"),
    ("24:00:00", "25:00:00"),
    ("10%", "20%"),
    ("The filename extension is already loaded. Reload it", ""),
    ("dtype('O')", "dtype('int64')"),
    ("0x1f", "0x2f"),
    ("[]", ""),
    ("x^y", ""),
    ("[...]", "[]"),
    ("<a ...x7fd75d43>", "<a ...x7fd75d44 b>"),
    ("Writing a.py", "Overwriting b.py"),
    ("Overwriting 3 rows", "Writing 3 rows"),
    ("took 3 turns by 4 players", "took 3 turns by 5 players"),
]


@pytest.mark.parametrize(("saved", "new"), SAME_IN_ALL_MODES)
def test_what_no_two_runs_print_alike(saved: str, new: str) -> None:
    assert lines(saved, "exact") == lines(new, "exact")
    assert lines(saved) == lines(new)


@pytest.mark.parametrize(("saved", "new"), SAME_IN_LENIENT_MODE)
def test_what_no_two_machines_print_alike(saved: str, new: str) -> None:
    assert lines(saved) == lines(new)
    assert lines(saved, "exact") != lines(new, "exact")


@pytest.mark.parametrize(("saved", "new"), DIFFERENT)
def test_what_is_data(saved: str, new: str) -> None:
    assert lines(saved) != lines(new)


def test_a_terminal_overwrites_and_keeps_what_is_longer() -> None:
    assert rendered("100%\r 5") == " 500%"[1:] or rendered("100%\r 5") == " 50%"
    assert rendered("abc\b\bX") == "aXc"


@given(st.text(st.sampled_from("a0 .:/\\\r\n\b\x1b[]()<>%|=x-_"), max_size=80))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = lines(text)
    assert lines("\n".join(once)) == once
