"""Ties in a table: sums, ratios, dependencies, orders."""
