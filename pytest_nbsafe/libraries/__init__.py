"""What is known of libraries: one data file each, in sections that the engines ask for by name."""
