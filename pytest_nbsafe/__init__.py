"""pytest-nbsafe: tests for the safety and reproducibility of Jupyter notebooks."""

__all__ = ["__version__"]
__version__ = "0.1.0"
