"""What runs gave, kept on disk so that it need not be run again."""
