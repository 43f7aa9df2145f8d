"""The end of a kernel: whatever a program would still do then is done, if quicker."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import tiers
from makenb import write

from pytest_nbsafe.app.run import run

MODULE = """\
class Log:
    def __del__(self):
        open("module.txt", "a").write("done")

class Circle:
    def __init__(self):
        self.itself = self
    def __del__(self):
        open("circle_of_module.txt", "a").write("done")
"""
LAST_WORDS = {
    "file.txt": "held = open('file.txt', 'w')\n_ = held.write('done')",
    "atexit.txt": (
        "import atexit\n_ = atexit.register(lambda: open('atexit.txt', 'a').write('done'))"
    ),
    "finalized.txt": (
        "import weakref\nclass Kept: pass\nkept = Kept()\n"
        "_ = weakref.finalize(kept, lambda: open('finalized.txt', 'a').write('done'))"
    ),
    "deleted.txt": (
        "class Last:\n    def __del__(self):\n        open('deleted.txt', 'a').write('done')\n"
        "last = Last()"
    ),
    "circle.txt": (
        "class Box: pass\nbox = Box()\nbox.itself = box\n"
        "box.file = open('circle.txt', 'w')\n_ = box.file.write('done')"
    ),
    "circle_of_module.txt": "import ownlog\nlog = ownlog.Circle()",
    "module.txt": "import ownlog\nlog = ownlog.Log()",
    "thread.txt": (
        "import threading, time\n"
        "def late():\n    time.sleep(.3)\n    open('thread.txt', 'a').write('done')\n"
        "threading.Thread(target=late).start()"
    ),
    "piped.txt": (
        "import subprocess\n"
        "pipe = subprocess.Popen(['sh', '-c', 'cat > piped.txt'], stdin=subprocess.PIPE)\n"
        "_ = pipe.stdin.write(b'done')"
    ),
}


@pytest.mark.kernel
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends as Python does")
@pytest.mark.parametrize("name", tiers.every(2, LAST_WORDS))
def test_what_is_done_at_the_end_is_done_once(tmp_path: Path, name: str) -> None:
    (tmp_path / "ownlog.py").write_text(MODULE, encoding="utf-8")
    path = write(tmp_path / "nb.ipynb", f"# %% [1]\n{LAST_WORDS[name]}\n")
    run([path], {"runs": 1})
    assert (tmp_path / name).read_text(encoding="utf-8") == "done"
