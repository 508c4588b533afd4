"""What everything stands on: base tools, tables, and releases."""
