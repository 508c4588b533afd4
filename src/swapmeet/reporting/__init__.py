"""Reports: results to a plain dict to one self-contained HTML file. A report never computes."""

from swapmeet.reporting.release_summary import ReleaseSummary
from swapmeet.reporting.writing import report

__all__ = ["ReleaseSummary", "report"]
