"""pytorch_lightning: its models learn by an interface of their own."""

LEARNERS_WATCHED = False
