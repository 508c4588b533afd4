"""Random forests (Breiman 2001) that predict classes or numbers.

With the same seed they are, to the last digit, those of scikit-learn 1.9, whose rules they follow
(BSD 3-Clause, the scikit-learn developers): how rows and columns are drawn, in which order sums are
made and which of two equally good cuts is taken. So figures do not depend on the version of a
library, and nobody needs to install it.
"""

from __future__ import annotations

from swapmeet.algorithms.forests.forest import Forest

__all__ = ["Forest"]
