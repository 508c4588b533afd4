"""Rules for who may trade and how they trade: arrays in, arrays out."""
