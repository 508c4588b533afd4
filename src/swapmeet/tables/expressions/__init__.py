"""Expressions on columns, as people write them; nothing in them is ever executed."""
