"""Clusters of rows with similar keys that are large and diverse enough."""
