"""What is in a table before it is masked."""
