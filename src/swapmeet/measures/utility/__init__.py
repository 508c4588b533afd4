"""Losses of an analyst with a release."""
