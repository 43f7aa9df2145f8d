"""Modules of the project that cells import: read as if their text stood in cells of its own."""
