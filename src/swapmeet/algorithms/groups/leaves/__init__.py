"""Leaves of classification and regression trees."""
