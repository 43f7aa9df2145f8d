"""The rules: an explicit table, one file a rule."""
