"""Trades inside groups, chosen so that the relations between columns stay what they were."""

from swapmeet.algorithms.exchange.matched.features import Features, Keeping, encode_features
from swapmeet.algorithms.exchange.matched.matching import Groups, Matching, match_within_groups

__all__ = ["Features", "Groups", "Keeping", "Matching", "encode_features", "match_within_groups"]
