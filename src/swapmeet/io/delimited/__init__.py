"""Delimited text (csv, tsv, txt), perhaps packed with gzip."""
