"""Trades inside groups, chosen so that the relations between columns stay what they were."""

from swapmeet.methods.matched_swap.trading.features import Features, Keeping, encode_features
from swapmeet.methods.matched_swap.trading.matching import Groups, Matching, match_within_groups

__all__ = ["Features", "Groups", "Keeping", "Matching", "encode_features", "match_within_groups"]
