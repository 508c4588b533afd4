"""Ways in which the rows of a group trade: in a random order, or in random pairs."""
