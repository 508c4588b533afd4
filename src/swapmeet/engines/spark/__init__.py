"""Masking on a Spark cluster."""

from swapmeet.engines.spark.engine import Spark
from swapmeet.engines.spark.release import SparkAudit, SparkRelease

__all__ = ["Spark", "SparkAudit", "SparkRelease"]
