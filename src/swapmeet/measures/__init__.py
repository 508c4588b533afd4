"""Measures of a release: risk, utility, and analyses side by side."""
