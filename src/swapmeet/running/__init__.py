"""What is done with a table: prepare it once, then mask, assess, protect, compare or inspect."""
