"""SQLite, by its ADBC driver."""
