"""The engine that works in the memory of one machine."""
