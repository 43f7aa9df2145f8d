"""A session whose kernel stays up when all has run, to be asked what it holds."""

from __future__ import annotations

from pytest_nbsafe.kernel.contract import Fetched
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.runner.live_kernel import LiveKernel


class KeptSession(KernelSession):
    """A session that does not end when it is closed, but by `end`."""

    def close(self) -> None:
        """Leave the kernel as it is."""

    def end(self) -> None:
        """Stop the kernel; safe to call twice."""
        super().close()

    def fetch(self, expression: str) -> Fetched:
        """Return what an expression gives in the kernel, the list of the names for ""."""
        assert isinstance(self.kernel, LiveKernel), "nothing is reused where values are asked for"
        return self.kernel.fetch(expression)
