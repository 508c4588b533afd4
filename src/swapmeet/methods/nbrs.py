"""Neighbourhood-based random swapping (Matloff and Tendick 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from swapmeet.algorithms.encode import Space
from swapmeet.algorithms.neighbors import Neighborhood, Rule
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Fraction, Number, Tries, Weights
from swapmeet.base.seeds import Streams
from swapmeet.errors import ParameterError
from swapmeet.intruders.evidence import Evidence, Likelihood
from swapmeet.methods.description import (
    REAL_VALUES,
    Description,
    PublicSetting,
    describe_chance,
    floor_share,
    round_up,
)
from swapmeet.methods.neighbourhood import (
    NearColumns,
    NeighborhoodMethod,
    OwnDistance,
    attack_chosen,
    attack_neighborhoods,
    draw_bits,
    find_wide_ball,
    note_exactness,
    note_suppressed,
    prepare,
    refuse_beside_function,
)
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata

FEWEST = 50
"""Of fewer records it is no wonder that all are far from each other."""
NEARLY_ALL = 0.95
"""If more of the chosen records are suppressed, there is hardly a release left."""
LEFT = 0.9
"""The share of the records that the ball which is proposed leaves."""
NOT_CHOSEN = "Records that are not chosen (1 - q of them) are released as they are."
CAUTIONS = (
    (
        "That a record was suppressed shows that it had no neighbour; where balls hold one "
        "or two records, little is hidden."
    ),
    REAL_VALUES,
)


@dataclass(frozen=True, kw_only=True)
class NBRS(NeighborhoodMethod):
    """A chosen record redraws each of its values from the records nearer than eps.

    Exactly a share `q` of the records is chosen. A larger `eps` hides and blurs more; a chosen
    record that has no neighbour is suppressed: all its masked values become missing. Distances are
    taken on columns of standard deviation 1, times their `weights`, or by a `distance` of your own
    (see RWN).

    Unlike the paper, which redraws the dummies of a nominal column one by one and so can invent
    impossible combinations, a nominal column is one column here.

    Reference: Matloff, Tendick (2018), section 2.

    >>> import swapmeet as sm
    >>> release = sm.mask(sm.datasets.load("diabetes"), sm.NBRS(eps=4.0, weights=0.2), seed=1)
    >>> release.data.shape
    (442, 11)
    """

    name = "nbrs"
    title = "redrawing records within a ball"
    summary = "chosen records redraw every value within a ball; lonely ones vanish"
    remedy = "The less a column weighs in the distance, the more it changes."
    grows = ("eps", "q")

    eps: Annotated[
        float,
        Number(above=True),
        "neighbours are the records nearer than this",
        Tries(0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0),
    ]
    q: Annotated[
        float, Fraction(), "share of the records that are redrawn", Tries(0.25, 0.5, 0.75, 1.0)
    ] = 1.0
    weights: Annotated[
        float | dict[str, float],
        Weights(),
        "weight of columns in the distance: column=weight pairs, or one number for all nominal "
        "columns",
        Tries(0.05, 0.2, 1.0),
    ] = 1.0
    near: NearColumns = None
    distance: OwnDistance = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.distance is not None:
            refuse_beside_function(self, "weights")

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        draw = prepare(data, self.space, streams, workers)
        chosen = streams.stream("chosen").permutation(data.own) < floor_share(self.q, data.own)
        words = draw_bits(data, streams, workers)
        words[~chosen] = -1
        beyond = draw(self.rule, words).beyond
        donors = DonorMap(words, data.n)
        lonely = int(donors.suppressed.any(axis=1).sum())
        self._refuse_empty_release(data, lonely, int(chosen.sum()), workers)
        facts = () if data.reach is None else note_exactness(beyond, data.own)
        return Outcome(donors, facts=facts, notes=note_suppressed(donors, data.own))

    def _refuse_empty_release(
        self, data: Microdata, lonely: int, chosen: int, workers: Workers
    ) -> None:
        """Refuse a ball that leaves hardly anybody, with one that would leave most.

        A block of a table does not show what becomes of the whole.
        """
        is_block = any(variable.whole is not None for variable in data.variables)
        if is_block or chosen < FEWEST or lonely <= NEARLY_ALL * chosen:
            return
        enough = round_up(find_wide_ball(data, self.space, workers, LEFT))
        raise ParameterError(
            f"nbrs: {lonely:,} of {chosen:,} records have no neighbour within eps = {self.eps:g}, "
            f"and would be suppressed. With eps = {enough} about {LEFT:.0%} of the records have "
            "one; smaller weights, or fewer columns, bring rows closer."
        )

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """A record that was not chosen stays; a chosen one has values of members of its ball."""
        parts = attack_neighborhoods(seen, self.space, self.rule, lambda _: 0.0)
        return attack_chosen(seen, parts, self.q)

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people=self._words_for_people(),
            analysts="Values are drawn with replacement: one may occur more or less often than it "
            "did. Where a record has no neighbour its values are removed, and such gaps are not at "
            "random.",
            settings=(PublicSetting("a record is chosen", describe_chance(self.q)),),
            cautions=CAUTIONS if self.q == 1.0 else (NOT_CHOSEN, *CAUTIONS),
        )

    def _words_for_people(self) -> str:
        if self.q == 0.0:
            return "With its settings, the method chooses no record for masking."
        return (
            f"A record is chosen for masking {describe_chance(self.q)}, and each value of a chosen "
            "one is replaced by that of a similar person; where there is none, the values are "
            "removed."
        )

    @property
    def neighborhood(self) -> Neighborhood | None:
        return Neighborhood(self.space, self.rule) if self.distance is None else None

    @property
    def space(self) -> Space:
        """In which records are near or far."""
        return Space("zscore", self.weights, self.near or (), self.distance)

    @property
    def rule(self) -> Rule:
        """Return the rule for who is a neighbour."""
        return Rule(eps=self.eps, open_ball=True)
