"""Which rows may trade: a group number for each row, negative for rows in no group."""
