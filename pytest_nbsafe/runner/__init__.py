"""Running plans in kernels."""
