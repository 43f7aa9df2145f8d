"""What a run showed: pure functions over the kernel's events."""
