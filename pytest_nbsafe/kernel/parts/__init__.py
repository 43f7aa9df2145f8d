"""Following accesses below the names: attributes, keys, columns."""
