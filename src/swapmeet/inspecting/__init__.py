"""A look at a table before it is masked."""
