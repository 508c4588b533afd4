"""Risks of a release: what an intruder can do with it."""
