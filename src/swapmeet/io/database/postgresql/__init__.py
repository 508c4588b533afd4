"""PostgreSQL, by its ADBC driver."""
