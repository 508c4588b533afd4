"""Records of what a method did to a table: donors, outcome, release, and audit record."""
