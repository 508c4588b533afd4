"""What a release is measured by: risk, utility, and analyses side by side."""
