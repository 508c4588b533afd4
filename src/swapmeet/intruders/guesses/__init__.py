"""Guesses of an intruder about what they do not know, and how much of that a release reveals."""
