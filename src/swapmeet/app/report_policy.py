"""Temporary."""


def find_policy(page: str) -> str:
    """Temporary."""
    return "default-src 'none'; style-src 'unsafe-inline'"
