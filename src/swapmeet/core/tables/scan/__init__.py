"""What is known of a whole table that comes piece by piece."""
