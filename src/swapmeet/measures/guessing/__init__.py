"""How often an intruder guesses what they do not know, and how much of that a release tells."""
