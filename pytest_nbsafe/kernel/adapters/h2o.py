"""h2o: its connection does not live through a fork."""

MAY_BE_FORKED = False
