"""An original and a release side by side, who owns which row, and figures with their intervals."""
