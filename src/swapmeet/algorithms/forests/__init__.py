"""Random forests (Breiman 2001) that predict classes or numbers.

With the same seed they are, to the last digit, those of scikit-learn 1.9, whose rules they follow
(BSD 3-Clause, the scikit-learn developers): how rows and columns are drawn, in which order sums are
made and which of two equally good cuts is taken. So figures do not depend on the version of a
library, and nobody needs to install it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Floats, Singles

LARGEST = np.iinfo(np.int32).max


@dataclass(frozen=True, kw_only=True)
class Forest:
    """So many trees, each of which learns from rows that are drawn with replacement.

    Each cut is the best in `looks` random columns; leaves have at least `min_leaf` rows.
    """

    trees: int
    looks: int
    min_leaf: int
    seed: int

    def predict(
        self, features: Singles, answers: npt.NDArray[Any], unseen: Singles
    ) -> npt.NDArray[Any]:
        """Learn from rows and predict the answers of others; classes are whole numbers.

        >>> features = np.arange(40, dtype=np.float32).reshape(-1, 1)
        >>> forest = Forest(trees=5, looks=1, min_leaf=5, seed=1)
        >>> forest.predict(features, np.arange(40) // 20, features[[3, 36]]).tolist()
        [0, 1]
        """
        if answers.dtype.kind == "f":
            return self._grow(features, np.asarray(answers, np.float64), 0, unseen)[:, 0]
        kinds, codes = np.unique(answers, return_inverse=True)
        shares = self._grow(features, codes.astype(np.float64), len(kinds), unseen)
        return kinds[shares.argmax(axis=1)]

    def _grow(self, features: Singles, answers: Floats, kinds: int, unseen: Singles) -> Floats:
        from swapmeet.algorithms.forests.tree import (
            Lesson,
            add_answers,
            grow_tree,
            make_scratch,
            make_tree,
        )

        columns, others = np.ascontiguousarray(features.T), np.ascontiguousarray(unseen.T)
        n, sums = len(features), np.zeros((len(unseen), max(kinds, 1)))
        for seed in np.random.RandomState(self.seed).randint(LARGEST, size=self.trees):
            drawn = np.random.RandomState(seed).randint(0, n, n)
            weights = np.bincount(drawn, minlength=n).astype(np.float64)
            start = int(np.random.RandomState(seed).randint(0, LARGEST))
            lesson = Lesson(columns, answers, weights, kinds)
            tree = make_tree(lesson, self.min_leaf)
            grow_tree(tree, lesson, make_scratch(lesson, start), self.looks, self.min_leaf)
            add_answers(tree, others, sums)
        return sums / self.trees
