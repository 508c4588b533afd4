"""Steps that prepare a table before it is masked: top codes, rounding, groups, coarser dates."""
