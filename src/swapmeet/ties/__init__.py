"""What belongs together in a table: sums, ratios, dependencies, orders."""
