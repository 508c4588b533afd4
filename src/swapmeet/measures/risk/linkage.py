"""Re-identification by the worst of a family of intruders, some of whom know the method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from swapmeet.base.params import OneOf
from swapmeet.base.sentences import count_in_100
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.score import Score, Undefined
from swapmeet.comparison.table_size import warn_if_small
from swapmeet.intruders.links.evidence import Gaps
from swapmeet.intruders.links.family import try_everybody
from swapmeet.intruders.links.intruder import Intruder
from swapmeet.measures.base import GROWS_WITH_PEOPLE, Coverage, RiskMeasure

HUNDRED = 100


@dataclass(frozen=True, kw_only=True)
class Linkage(RiskMeasure):
    """The share of people whom the worst intruder of a stated family finds in the release.

    Intruders know the keys of the person sought, the keys of everybody, or everything of everybody
    (`Comparison.level` says which level counts; all are shown). Within a level the worst counts,
    and someone who knows more may do what those do who know less, so that more knowledge never
    means less risk. Intruders who know everybody also know how the table was masked, and weigh each
    row by the likelihood that the method's own file states.

    A link of a person to a row is right if the row is in their place, or if most of the cells that
    the intruder does not know came from the person (of all masked cells, where nothing is left to
    know). Where there are many people, random ones are sought among all rows. Where the release
    ties the rows of households together, there are also intruders who look for a whole household,
    whose members' keys they know, and in it for the person. Where the keys decide the sampling
    weight, which is published as it is, someone who knows them also knows the weight.
    """

    name = "linkage"
    growth = GROWS_WITH_PEOPLE
    question = "How many people does the worst intruder find?"
    coverage = Coverage.SAMPLE
    sample_rows = 1_000_000
    in_sample = (
        ", in which many of each person's neighbours are missing; someone who has the whole file "
        "may find more people than this"
    )
    hidden_in_sample = True
    by_pairs = True

    effort: Annotated[
        str,
        OneOf(("full", "quick")),
        "all intruders, or only the cheap ones and fewer people, as a first look",
    ] = "full"

    @property
    def first_look(self) -> Linkage:
        return replace(self, effort="quick")

    def score(self, comparison: Comparison) -> Score:
        gaps = Gaps()
        intruders = [*try_everybody(comparison, gaps, thorough=self.effort == "full")]
        if not intruders:
            raise Undefined(gaps.words or "the columns that the intruder knows distinguish nobody")
        worst = {level: _worst(intruders, level) for level in Knowledge}
        decisive, omniscient = worst[comparison.level], worst[Knowledge.EVERYTHING]
        return self.make_score(
            decisive.share,
            _say(comparison, decisive, omniscient) + _say_gaps(gaps),
            interval=decisive.interval if self.effort == "full" else None,
            finding=_say_found(decisive),
            finding_in=HUNDRED,
            beside="" if omniscient is decisive else _say_found(omniscient),
            hidden=gaps.words,
            records=decisive.hits if len(decisive.hits) == comparison.n else None,
            details={
                "intruder": decisive.to_dict(),
                "by level": {str(level): one.to_dict() for level, one in worst.items()},
                "intruders": [one.to_dict() for one in intruders],
                "blind": 1.0 / comparison.n,
            },
        )


def _worst(intruders: list[Intruder], level: Knowledge) -> Intruder:
    """The worst of a level; someone who knows more may do what those do who know less."""
    order = list(Knowledge)
    able = [one for one in intruders if order.index(one.level) <= order.index(level)]
    return max(able or intruders, key=lambda one: one.share)


def _say(comparison: Comparison, worst: Intruder, omniscient: Intruder) -> str:
    low, high = worst.interval
    parts = [
        f"{_capitalize(_say_found(worst))} ({count_in_100(low)} to {count_in_100(high)})",
        f"a blind guess finds {count_in_100(1.0 / comparison.n)}",
    ]
    if omniscient is not worst:
        parts.append(f"{_say_found(omniscient)}")
    return f"{'; '.join(parts)}.{warn_if_small(comparison.n)}"


def _say_gaps(gaps: Gaps) -> str:
    return f" {_capitalize(gaps.words)}." if gaps.words else ""


def _say_found(one: Intruder) -> str:
    return f"{one.words} finds {count_in_100(one.share)} of 100 people"


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
