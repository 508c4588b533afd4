"""How the rows of a group trade: all of them in a random order, or in random pairs."""
