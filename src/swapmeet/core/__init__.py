"""The ground floor: base tools, tables, and releases."""
