"""What tells one environment from another without starting it."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_nbsafe.resume import environment_key


def test_another_python_or_package_is_another_environment(tmp_path: Path) -> None:
    packages = tmp_path / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    (tmp_path / "pyvenv.cfg").write_text("include-system-site-packages = false\n")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "python"
    program.write_bytes(b"3.12.1")
    os.utime(program, ns=(0, 10**18))

    first = environment_key.key(str(program))
    assert first is not None
    assert environment_key.key(str(program)) == first
    (packages / "numpy-2.0.dist-info").mkdir()
    second = environment_key.key(str(program))
    program.write_bytes(b"3.12.2")  # as large
    third = environment_key.key(str(program))
    assert len({first, second, third}) == 3
