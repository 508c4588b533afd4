"""Reports: results to a plain dict to one self-contained HTML file. A report never computes."""

from swapmeet.reporting.made import Made
from swapmeet.reporting.writing import report

__all__ = ["Made", "report"]
