"""What can be known of the cells without running them."""
