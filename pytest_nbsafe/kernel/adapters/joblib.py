"""joblib: it shares work out to processes."""

LENDS_PROCESSES = True
