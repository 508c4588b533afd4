"""Groups of k alike rows, formed from the outskirts inwards (MDAV)."""
