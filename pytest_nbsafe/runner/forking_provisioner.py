"""How jupyter_client starts our kernels: forked where that is safe, else as ever.

It is found by its name, an entry point of this package.
"""

from __future__ import annotations

from typing import Any

from jupyter_client.connect import KernelConnectionInfo  # noqa: TID253  # which loads this
from jupyter_client.provisioning import LocalProvisioner  # noqa: TID253
from traitlets import Integer

from pytest_nbsafe.runner.forked_kernels import Launch, fork


class ForkingProvisioner(LocalProvisioner):  # type: ignore[misc]  # untyped base
    """Starts a kernel as `Launch` says; `slot` is its."""

    slot = Integer(0)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the process of a kernel."""
        environ, cwd, log = kwargs["env"], kwargs["cwd"], kwargs["stdout"].name
        process = fork(Launch(cmd, environ, cwd, log, self.slot))
        if process is None:
            return await super().launch_kernel(cmd, **kwargs)
        self.process = process
        self.pid = self.pgid = process.pid
        self.cwd = cwd
        return self.connection_info
