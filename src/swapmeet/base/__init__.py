"""Tools that know nothing of tables: parameters, seeds, parallel work, files."""
