"""cudf: its device does not live through a fork."""

MAY_BE_FORKED = False
