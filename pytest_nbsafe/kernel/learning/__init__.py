"""Watching what learns: which rows a model was fitted on, and which it is judged on."""
