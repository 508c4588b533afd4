"""Groups of rows that may trade: a number for each row, negative for rows in no group."""
