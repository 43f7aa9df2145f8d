"""tensorflow: its threads do not live through a fork."""

MAY_BE_FORKED = False
LEARNERS_WATCHED = False
