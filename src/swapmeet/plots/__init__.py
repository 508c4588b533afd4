"""Pictures: one file per figure, data in and a matplotlib figure out; nothing is computed here.

Importing this package is cheap; matplotlib is loaded when something is drawn.
"""
