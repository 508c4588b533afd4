"""Analyses of the original and of the release, side by side."""
