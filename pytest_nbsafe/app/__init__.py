"""One file a command, and beside them the static facts of a notebook and one under test."""
