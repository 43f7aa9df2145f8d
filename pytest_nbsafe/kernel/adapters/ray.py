"""ray: its connections do not live through a fork."""

MAY_BE_FORKED = False
