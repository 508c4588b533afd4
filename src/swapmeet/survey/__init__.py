"""What is known of a whole table that comes piece by piece."""

from swapmeet.survey.survey import Survey

__all__ = ["Survey"]
