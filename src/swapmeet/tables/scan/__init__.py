"""Facts of a whole table that comes piece by piece."""
