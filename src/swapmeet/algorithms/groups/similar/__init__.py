"""Groups of similar rows on mixed columns, and blocks of groups near in space."""
