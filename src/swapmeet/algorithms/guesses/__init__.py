"""Guesses of what is not known of a person, from rows that resemble what is known."""
