"""How intruders link people with released rows, and when a link is right."""
