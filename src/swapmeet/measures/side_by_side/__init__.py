"""What an analyst finds in the original and in the release, side by side."""
