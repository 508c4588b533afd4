"""Intruders who want to find out who is in the file."""
