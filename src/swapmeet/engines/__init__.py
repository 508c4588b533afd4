"""Where the work is done."""

from swapmeet.engines.local.engine import Local
from swapmeet.engines.spark import Spark, SparkRelease

__all__ = ["Local", "Spark", "SparkRelease"]
