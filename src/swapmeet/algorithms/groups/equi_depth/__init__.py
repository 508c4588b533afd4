"""Groups of k near rows, from the two rows farthest apart (MEDS)."""
