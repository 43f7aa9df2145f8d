"""Values kept in files, and restored from them."""
