"""NBS407: what install commands of every form leave without a version."""

from __future__ import annotations

import pytest
from rulecase import facts_of

from pytest_nbsafe.analysis import installs
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.rules import evaluate

ONLY = Config(select=("NBS407",))


def findings(cell: str) -> tuple[Finding, ...]:
    return evaluate(facts_of(f"# %% [1]\n{cell}\n", ONLY))


def loose(cell: str) -> list[str]:
    """Return "line:column-column names" of each finding."""
    return [
        f"{f.location.line}:{f.location.column}-{f.location.end_column} {f.message.split(' ')[0]}"
        for f in findings(cell)
    ]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("!pip install shap", ["1:14-18 `shap`"]),
        ("  !pip3 install -q shap", ["1:20-24 `shap`"]),
        ("pip install shap", ["1:13-17 `shap`"]),
        ("%pip install --user 'shap[plots]>=0.4'", ["1:21-39 `shap`"]),
        ("%conda install -y -c conda-forge shap", ["1:34-38 `shap`"]),
        ("!mamba install conda-forge::shap", ["1:16-33 `shap`"]),
        ("!uv pip install shap", ["1:17-21 `shap`"]),
        ("!{sys.executable} -m pip install shap", ["1:34-38 `shap`"]),
        ("!/opt/bin/pip3.9 install shap", ["1:26-30 `shap`"]),
        ("out = !pip install shap", ["1:20-24 `shap`"]),
        ("!cd x && pip install shap | tail -1", ["1:22-26 `shap`"]),
        ("!pip install \\\n  a==1 \\\n  shap", ["3:3-7 `shap`"]),
        ("%%bash\ncd x\npip install shap # plots\n", ["3:13-17 `shap`"]),
        ("%%capture\n!pip install shap", ["2:14-18 `shap`"]),
        ("try:\n    import shap\nexcept ImportError:\n    !pip install shap", ["4:18-22 `shap`"]),
        ("!pip install shap > /dev/null 2>&1", ["1:14-18 `shap`"]),
        ("!pip install shap>=0.4", ["1:14-23 `shap`"]),
        ("!pip install -U pip shap", ["1:21-25 `shap`"]),
        ("!pip install git+https://host/me/shap.git", ["1:14-42 `shap`"]),
        ("!pip install shap@git+https://host/me/s@main", ["1:14-45 `shap`"]),
        ("!pip install 'shap[x] @ git+https://host/me/s.git'", ["1:14-51 `shap`"]),
        ("!pip install https://host/me/shap/archive/master.zip", ["1:14-53 `master.zip`"]),
        ("import os\nos.system('pip install shap')", ["2:11-29 `shap`"]),
        (
            "import subprocess as s, sys\ns.run([sys.executable, '-m', 'pip', 'install', 'shap'])",
            ["2:48-54 `shap`"],
        ),
        ("import pip\npip.main(['install', 'shap'])", ["2:22-28 `shap`"]),
    ],
)
def test_without_a_version(cell: str, expected: list[str]) -> None:
    assert loose(cell) == expected


@pytest.mark.parametrize(
    "cell",
    [
        "!pip install shap==0.4",
        "!pip install 'shap === 0.4'",
        "!pip install shap == 0.4",
        "!pip install 'shap>=0.4,<1' shap~=1.4",
        "!pip install -r requirements.txt",
        "!pip install shap -c constraints.txt",
        "!pip install -e . && pip install ../shap ./x.whl x.tar.gz",
        "!pip install --upgrade pip setuptools wheel",
        "!pip install -q {package} $package",
        "!pip install --index-url https://host/simple shap==1",
        "!pip install git+https://host/me/shap@v1.2",
        "!pip install git+https://host/me/shap.git@0a1b2c#egg=shap",
        "!pip install 'shap @ git+https://host/me/shap@0a1b2c'",
        "!pip install https://host/shap-0.4-py3-none-any.whl",
        "!conda install shap=0.4 python=3.8 \"numpy[version='1.2']\"",
        "!conda install --file spec.txt -n env",
        "# !pip install shap",
        "%%bash\n# pip install shap",
        "!echo pip install shap",
        "!apt-get install -y graphviz",
        "!npm install vega",
        "!pip uninstall shap\n!pip list",
        "print('run pip install shap')",
        "import os\nos.system(f'pip install {name}')",
        "import subprocess\nsubprocess.run(['pip', 'install', name])",
        "def install(name): ...\ninstall('shap')",
    ],
)
def test_nothing_to_say(cell: str) -> None:
    assert loose(cell) == []


def test_packages_of_one_command_are_told_together() -> None:
    (two,) = findings("!pip install a b==1 c a")
    assert two.message == "`a` and `c` are installed without a fixed version"
    (many,) = findings("!pip install a b c d e f")
    assert many.message == "`a`, `b`, `c` and 3 more are installed without a fixed version"


def test_the_saved_output_tells_the_version() -> None:
    text = """\
# %% [1]
!pip install shap my_plots
#> Requirement already satisfied: shap>=0.1 in /usr/lib/python3 (from x) (0.41.0)
#> Successfully installed my-plots-1.2.post1 other-3.0
"""
    (found,) = evaluate(facts_of(text, ONLY))
    assert found.remedy.endswith("`shap==0.41.0 my_plots==1.2.post1`")


def test_what_is_installed_has_a_name() -> None:
    text = "# %%\n!pip install a==1 'B[x]' git+https://host/me/c.git@v1#egg=c ./d -r e.txt"
    graph = facts_of(text).graph
    assert installs.names(installs.of(graph)) == {"a", "B", "c"}


def test_false_negative_a_command_in_a_name() -> None:
    assert loose("import os\ncommand = 'pip install shap'\nos.system(command)") == []
