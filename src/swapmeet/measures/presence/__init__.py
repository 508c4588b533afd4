"""Whether an intruder can tell who is in the file."""
