"""Runs: a file, a method and where the release goes, as a file that repeats them."""
