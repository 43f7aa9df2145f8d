"""The kernels that are installed, and whether one may start as a fork."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pytest_nbsafe.runner.jupyter_folders import of_ipython

FORKING = "nbsafe-forking"
"""The name under which jupyter_client finds `ForkingProvisioner`, an entry point."""
_installed: set[tuple[str, ...]] = set()
"""Kernels that were found, each with the folders in which it was looked for."""


class NoSuchKernel(Exception):  # noqa: N818  # it completes "raise NoSuchKernel"
    """No kernel of this name is installed; `available` are those that are."""

    def __init__(self, name: str, available: tuple[str, ...]) -> None:
        super().__init__(f"no kernel {name!r}; there are: {', '.join(available) or 'none'}")
        self.name = name
        self.available = available


class KernelStartFailed(Exception):  # noqa: N818  # it completes "raise KernelStartFailed"
    """The kernel is installed but did not come up; the message says why."""


def kernel_specs() -> Any:
    """Return what knows the kernels that are installed, where Jupyter and IPython look for them."""
    from jupyter_client.kernelspec import KernelSpecManager

    return KernelSpecManager(kernel_dirs=_folders(), log=quiet())


def quiet() -> Any:
    """Return a log that says nothing: Jupyter's own would repeat what is in the results."""
    import logging  # where nothing runs, it is not needed

    log = logging.getLogger("pytest_nbsafe.kernel")
    log.disabled = True
    return log


def _folders() -> list[str]:
    from jupyter_core.paths import jupyter_path

    return [*jupyter_path("kernels"), str(of_ipython() / "kernels")]


def let_fork(manager: Any, slot: int) -> None:
    """Let a kernel be forked, if it starts as kernels do, and our provisioner is installed."""
    from jupyter_client.provisioning import KernelProvisionerFactory

    spec = manager.kernel_spec
    if "kernel_provisioner" in spec.metadata:
        return
    forking = {"provisioner_name": FORKING, "config": {"slot": slot}}
    spec.metadata["kernel_provisioner"] = forking
    if not KernelProvisionerFactory.instance().is_provisioner_available(spec):
        del spec.metadata["kernel_provisioner"]


def check_installed(name: str) -> None:
    """Look for a kernel.

    Raises:
        NoSuchKernel: no kernel of that name is installed.

    """
    manager = kernel_specs()
    place = name, *manager.kernel_dirs
    if place not in _installed:
        _found(manager, name)
        _installed.add(place)


def _found(manager: Any, name: str) -> Any:
    """Return what is installed of a kernel.

    Raises:
        NoSuchKernel: no kernel of that name is installed.

    """
    from jupyter_client.kernelspec import NoSuchKernel as Unknown

    try:
        return manager.get_kernel_spec(name)
    except (Unknown, ValueError) as error:
        raise NoSuchKernel(name, tuple(sorted(manager.find_kernel_specs()))) from error


def described(name: str) -> tuple[str, str]:
    """Return the program that a kernel starts with, "" where it is not known, and how it starts.

    That is its command, as it is installed, with the variables that it is given, as a text. Of one
    that says just `python`, jupyter_client starts the Python that it runs in itself.

    Raises:
        NoSuchKernel: no kernel of that name is installed.

    """
    spec = _spec(name)
    if spec is None:
        spec = _found(kernel_specs(), name).to_dict()
    command = _with_own_python(spec["argv"])
    how = json.dumps([spec["argv"], spec.get("env")], sort_keys=True)
    if not command or Path(command[0]).is_absolute():
        return command[0] if command else "", how
    import shutil  # seldom needed

    return shutil.which(command[0]) or "", how


def command_of(name: str) -> list[str]:
    """Return the command of a kernel that starts in the environment that it is given, else none."""
    spec = _spec(name)
    return _with_own_python(spec["argv"]) if spec is not None and not spec.get("env") else []


def _spec(name: str) -> dict[str, Any] | None:
    """Return what is installed of a kernel, None where it takes Jupyter itself to tell.

    Where all runs of a notebook are known no kernel is started, and to load Jupyter's client would
    take longer than all the rest.
    """
    for folder in _folders():
        try:
            spec = json.loads(Path(folder, name, "kernel.json").read_text(encoding="utf-8"))
        except OSError:
            continue
        except ValueError:
            return None
        command = spec.get("argv") if isinstance(spec, dict) else None
        is_command = isinstance(command, list) and all(isinstance(part, str) for part in command)
        if not is_command or "kernel_provisioner" in str(spec.get("metadata")):
            return None
        found: dict[str, Any] = spec
        return found
    return None


def _with_own_python(command: list[str]) -> list[str]:
    """Return how jupyter_client starts a command that says just `python`: by its own Python."""
    version = sys.version_info
    own = {"python", f"python{version[0]}", f"python{version[0]}.{version[1]}"}
    return [sys.executable, *command[1:]] if command and command[0] in own else command
