"""NBS406: what is a path of one machine, and what is only a text that looks like one."""

from __future__ import annotations

import pytest
from rulecase import facts_of

from pytest_nbsafe.config import Config
from pytest_nbsafe.rules import evaluate

ONLY = Config(select=("NBS406",))
IMPORTS = "import os, re, glob, sys, requests\nimport pandas as pd\nfrom pathlib import Path\n"


def told(*cells: str) -> list[str]:
    """Return "cell:line:column-column" of each finding and of its steps."""
    text = "".join(f"# %%\n{cell}\n" for cell in (IMPORTS, *cells))
    return [
        f"{f.location.cell}:{f.location.line}:{f.location.column}-{f.location.end_column}"
        + "".join(f" {s.cell}:{s.line}" for s in f.steps)
        for f in evaluate(facts_of(text, ONLY))
    ]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("pd.read_csv('/home/ana/x.csv')", "2:1:13-30"),
        ("open(r'C:\\data\\x.csv')", "2:1:6-22"),
        ("open('D:/x.csv')", "2:1:6-16"),
        (r"open('\\\\server\\share\\x.csv')", "2:1:6-32"),
        ("df.to_csv('/data/run/x.csv')", "2:1:11-28"),
        ("load_everything('/Users/ana/x')", "2:1:17-31"),
        ("pd.read_csv('~/x.csv')", "2:1:13-22"),
        ("open(os.path.expanduser('~/x'))", "2:1:25-30"),
        ("open(os.path.join('/mnt/disk', name))", "2:1:19-30"),
        ("open(f'/home/ana/{name}')", "2:1:6-25"),
        ("x = Path('/home/ana/x').read_text()", "2:1:10-23"),
        ("x = Path.home() / 'data' / 'x.csv'", "2:1:5-16"),
        ("x = os.path.join(os.path.expanduser('~'), 'data')", "2:1:18-41"),
        ("sys.path.append('/home/ana/lib')", "2:1:17-32"),
        ("sys.path.insert(0, '/opt/lib/x')", "2:1:20-32"),
        ("os.environ['DATA'] = '/home/ana/x'", "2:1:22-35"),
        ("base = '/home/ana'\npath = base + '/x'\nopen(path)", "2:1:8-19"),
        ("base = '/data/run'\nopen(os.path.join(base, 'x'))", "2:1:8-19"),
        ("base = '/home/ana'\nos.environ['X'] = base", "2:1:8-19"),
        ("cfg = {'d': '/home/ana/x'}\nload(cfg['d'])", "2:1:13-26"),
        ("base = '/home/ana'\n!ls {base}", "2:1:8-19"),
        ("base = '/home/ana'\n%cd $base", "2:1:8-19"),
        ("%cd /home/ana/x", "2:1:5-16"),
        ("!cat '/Users/ana/x'", "2:1:7-19"),
        ("%%bash\n# ls /home/me/x\nls /home/ana/x", "2:3:4-15"),
        ("%run /data/tools/x.py", "2:1:6-22"),
    ],
)
def test_a_path_of_one_machine(cell: str, expected: str) -> None:
    assert told(cell) == [expected]


@pytest.mark.parametrize(
    "cell",
    [
        "open('data/x.csv')",
        "open('/tmp/x.csv')",
        "open('/dev/null'), open('/etc/hosts'), open('/usr/share/dict/words')",
        "pd.read_csv('/content/drive/MyDrive/x.csv')",
        "pd.read_csv('/kaggle/input/x/x.csv')",
        "pd.read_csv('https://host/home/ana/x.csv')",
        "pd.read_csv('file:///x')",
        "open(os.path.expanduser('~/.netrc'))",
        "x = Path.home() / '.cache'",
        "x = Path.home()",
        "pd.read_csv('/path/to/x.csv')",
        "open('/nonexistent/x.csv')",
        "open('/data/no_such_file.csv')",
        "open('/home/username/x')",
        "print('/home/ana/x')",
        "raise ValueError('/home/ana/x is missing')",
        "re.match('/home/ana/x', y)",
        "re.compile(r'C:\\d+')",
        "p.replace('/home/ana/', '')",
        "p.startswith('/Users/ana')",
        "if host == '/home/ana/x': pass",
        "path = '/home/ana/x'",
        "path = '/home/ana/x'\nprint(path)",
        "requests.get(url + '/home/ana/x')",
        "spark.read.csv('/mnt/lake/x')",
        "@app.route('/data/x')\ndef f(): ...",
        "x.strftime('%d/%m')",
        "pd.read_hdf('x.h5', '/data/x')",
        "HTML('<a href=\"/home/ana/x\">')",
        "'''Reads /home/ana/x'''",
        "# open('/home/ana/x')",
        "x = a /home/ ana",
        "f('/api/v1')",
        "!pip install x > /dev/null",
        "!mkdir -p ~/.kaggle",
        "!scp host:/home/ana/x .",
        "!echo /home/ana/x",
        "%cd ..",
        "'lm ~ x', '~', 'a:/b'",
    ],
)
def test_no_path_of_one_machine(cell: str) -> None:
    assert told(cell) == []


def test_one_finding_for_each_folder_of_a_user() -> None:
    cells = ["open('/home/ana/x')", "open('/home/ana/y/z'); open('/home/bo/x')", "f('D:/x')"]
    assert told(*cells) == ["2:1:6-19 3:1", "3:1:29-41", "4:1:3-9"]


def test_many_places_are_counted() -> None:
    text = "# %%\n" + "open('/home/ana/x')\n" * 9
    (found,) = evaluate(facts_of(text, ONLY))
    assert found.message.endswith("(one of 9 places that use `/home/ana`)")
    assert len(found.steps) == 5


def test_a_suppression_hides_one_place() -> None:
    assert told("open('/home/ana/x')  # nbsafe: ignore[NBS406]\nopen('/home/ana/x')") == [
        "2:2:6-19"
    ]


def test_a_path_of_a_loop_or_a_default() -> None:
    assert told("for path in ['/home/ana/x']:\n    open(path)") == ["2:1:14-27"]
    assert told("[open(path) for path in ['/home/ana/x']]") == ["2:1:26-39"]
    assert told("def f(path='/home/ana/x'):\n    return open(path)") == ["2:1:12-25"]


def test_false_negative_a_path_that_a_function_returns() -> None:
    assert told("def base():\n    return '/home/ana/x'\nopen(base() + 'y')") == []


def test_false_positive_a_key_that_looks_like_a_path() -> None:
    assert told("lookup('/home/ana/x')") == ["2:1:8-21"]
