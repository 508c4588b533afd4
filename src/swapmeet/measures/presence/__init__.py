"""Whether an intruder can find out who is in the file."""
