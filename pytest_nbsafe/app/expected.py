"""Which saved outputs of a notebook are compared, as its cells and the configuration say."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pytest_nbsafe import files
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.notebook import markers
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.trace.outputs import sanitizers
from pytest_nbsafe.trace.outputs.expectations import Expectations
from pytest_nbsafe.trace.outputs.sanitizers import Sanitizer


def expectations(notebook: Notebook, config: Config) -> Expectations:
    """Return how the outputs of a notebook that runs now are compared with the saved ones."""
    own = ((cell.number, markers.output_mode(cell)) for cell in notebook.code_cells)
    return Expectations(
        config.output,
        {number: mode for number, mode in own if mode is not None},
        sanitizers_of(config),
        datetime.now(),  # noqa: DTZ005 - outputs show the time of this place
    )


def sanitizers_of(config: Config) -> tuple[Sanitizer, ...]:
    """Return what the user says is no difference, in the configuration and in its file.

    Raises:
        NbsafeError: an expression is none, or the file cannot be read.

    """
    source = "sanitizers"
    try:
        own = sanitizers.of(config.sanitizers)
        if config.sanitize_with is None:
            return own
        source = config.sanitize_with
        return (*own, *sanitizers.of_file(files.read_bytes(Path(source)).decode("utf-8")))
    except OSError as error:
        raise NbsafeError(
            "bad-sanitizer", f"cannot read {source}: {error.strerror or error}"
        ) from error
    except ValueError as error:
        hint = "each section has a line regex: and a line replace:, as nbval has it"
        hint = hint if source != "sanitizers" else "mend the expression"
        raise NbsafeError("bad-sanitizer", f"{source}: {error}", hint) from error
