"""Links of intruders between people and released rows, and when a link is right."""
