"""Notebooks of other languages: run, their errors, outputs and times told, their text not read."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from makenb import write

from pytest_nbsafe.cli import main

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform == "win32", reason="its interrupt is one of POSIX"),
]

KERNEL = """
    import signal, time
    from ipykernel.kernelapp import IPKernelApp
    from ipykernel.kernelbase import Kernel

    class Toy(Kernel):
        implementation, implementation_version, banner = "toy", "1", "toy"
        language_info = {"name": "toy", "mimetype": "text/plain", "file_extension": ".toy"}

        def do_execute(self, code, silent, *_, **__):
            word, _, rest = code.partition(" ")
            if word == "say":
                content = {"name": "stdout", "text": rest + chr(10)}
                self.send_response(self.iopub_socket, "stream", content)
            if word == "wait":
                try:
                    time.sleep(60)
                except KeyboardInterrupt:
                    word, rest = "fail", "interrupted"
            if word == "fail":
                content = {"ename": "ToyError", "evalue": rest, "traceback": [rest]}
                self.send_response(self.iopub_socket, "error", content)
                return {"status": "error", "execution_count": self.execution_count, **content}
            return {"status": "ok", "execution_count": self.execution_count, "payload": [],
                    "user_expressions": {}}

    IPKernelApp.launch_instance(kernel_class=Toy)
    """


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "jupyter" / "kernels" / "toy"
    folder.mkdir(parents=True)
    (folder / "toy.py").write_text(dedent(KERNEL))
    command = [sys.executable, str(folder / "toy.py"), "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "Toy", "language": "toy"}
    (folder / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"), prepend=os.pathsep)


def run(path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    target = path.with_suffix(".json")
    code = main(["run", "--format", "json", "--output", str(target), *options, str(path)])
    report: dict[str, Any] = json.loads(target.read_text())
    return code, report


@pytest.mark.usefixtures("toy")
def test_it_is_run_and_not_analysed(tmp_path: Path) -> None:
    text = """
        # kernel: toy
        # language: toy
        # %% [2]
        say hello
        #> hello
        # %% [1]
        y <- x ( [
        """
    code, report = run(write(tmp_path / "nb.ipynb", text))

    assert report["findings"] == []
    (notebook,) = report["notebooks"]
    assert notebook["status"] == "passed"
    assert notebook["note"] == "run, but not analysed: its language is toy, not Python"
    assert code == 0


@pytest.mark.corpus
@pytest.mark.usefixtures("toy")
def test_errors_outputs_and_timeouts_are_told(tmp_path: Path) -> None:
    text = """
        # kernel: toy
        # language: toy
        # %% [1]
        say one
        #> two
        # %% [2]
        fail badly
        # %% [3]
        wait
        """
    code, report = run(write(tmp_path / "nb.ipynb", text), "--timeout", "2")

    findings = [(f["code"], f["cell"]) for f in report["findings"]]
    assert findings == [("NBS402", 1), ("NBS401", 2), ("NBS904", 3)]
    assert code == 1


def test_without_its_kernel_one_note_says_so(tmp_path: Path) -> None:
    text = "# kernel: nowhere\n# language: toy\n# %% [1]\nsay one\n"
    code, report = run(write(tmp_path / "nb.ipynb", text))

    assert report["findings"] == []
    (notebook,) = report["notebooks"]
    assert notebook["status"] == "not-analysed"
    assert notebook["note"].endswith("not run: its kernel 'nowhere' is not installed")
    assert code == 0
