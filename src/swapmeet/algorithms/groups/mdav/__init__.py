"""Groups of k alike rows, formed from the outside in (MDAV)."""
