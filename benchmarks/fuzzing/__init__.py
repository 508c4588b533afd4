"""Odd tables, files and texts, and what must hold of whatever comes of them."""
