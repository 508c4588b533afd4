"""Columns that look like a household's or person's number or a sampling weight, without the role.

Each is judged by its name first, and its values must bear the name out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.sentences import count
from swapmeet.tables.arrow import CellType
from swapmeet.tables.identifiers import split_words
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints, ShortInts
    from swapmeet.tables.frame import Table


FEW = 10
"""Fewer units, or rows, say nothing."""
LARGEST = 200
"""A unit of more rows is no household; of one person there may be more."""
SHARED = 1.05
"""Rows of a household, on average, at the least."""
PER_HOUSEHOLD = 20
"""... and at the most."""
COUNTING = 0.9
"""Of numbers that count persons inside a household, so many steps go up by one, or to the start."""
PER_PERSON = 1.2
"""Rows of a person, on average, at the least."""
HEAVY = 400.0
"""No body has this mean weight in pounds or kilograms."""
EVEN = 0.01
"""Weights that were scaled have a mean of 1, but for so much."""
NUMBERS = {CellType.INTEGER, CellType.FLOAT, CellType.DECIMAL}


@dataclass(frozen=True)
class RoleHint:
    """The role that a column looks made for, and why."""

    role: Role
    reason: str

    @property
    def sentence(self) -> str:
        """Say what there is to say about it."""
        return f"looks like {_CALLED[self.role]}: {self.reason}."


_CALLED = {
    Role.HOUSEHOLD: "the number of a household",
    Role.PERSON: "the number of a person with several rows",
    Role.WEIGHT: "a sampling weight",
}


def find_role_hint(name: str, table: Table) -> RoleHint | None:
    """The role that a column's name and values suggest, if any.

    >>> import pandas as pd
    >>> from swapmeet.tables.frame import Table
    >>> people = pd.DataFrame({"hhid": [n // 3 for n in range(90)], "age": [30] * 90})
    >>> find_role_hint("hhid", Table(people)).reason
    'its name says so, and 30 distinct values are shared by 90 rows'
    """
    if numbers_households(name) or numbers_persons(name):
        return _judge_units(name, table)
    if surely_weighs(name) or perhaps_weighs(name):
        return _judge_weight(name, table)
    return None


def count_unique_weights(numbers: Floats) -> int:
    """Count the rows that have a weight that no other row has."""
    counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)[1]
    return int((counts == 1).sum())


def tell_lonely_weights(numbers: Floats) -> str:
    """Say how many rows have a weight of their own.

    >>> tell_lonely_weights(np.array([1.0, 1.0])), tell_lonely_weights(np.array([1.0, 2.0, 2.0]))
    ('none is unique', '1 is unique')
    """
    alone = count_unique_weights(numbers)
    return f"{f'{alone:,}' if alone else 'none'} {'are' if alone > 1 else 'is'} unique"


def could_weigh(numbers: Floats, *, constant: bool = False) -> bool:
    """Return whether the numbers are finite, positive and, unless they may be `constant`, vary."""
    there = numbers[~np.isnan(numbers)]
    if len(there) < max(FEW, 0.9 * len(numbers)):
        return False
    varies = constant or there.min() < there.max()
    return bool((there > 0.0).all() and np.isfinite(there).all() and varies)


def _judge_units(name: str, table: Table) -> RoleHint | None:
    if table.family(name) not in {
        CellType.INTEGER,
        CellType.FLOAT,
        CellType.TEXT,
        CellType.CATEGORY,
    }:
        return None
    codes = table.codes(name).codes
    sizes = np.bincount(codes[codes >= 0])
    sizes = sizes[sizes > 0]
    if len(sizes) < FEW or sizes.sum() < len(codes):
        return None
    household = numbers_households(name)
    if not (_are_households(sizes) if household else _are_persons(sizes, codes)):
        return None
    rows = f"{count(len(sizes), 'distinct value')} are shared by {count(len(codes), 'row')}"
    role = Role.HOUSEHOLD if household else Role.PERSON
    return RoleHint(role, f"its name says so, and {rows}")


def _are_households(sizes: Ints) -> bool:
    return bool(SHARED <= sizes.mean() <= PER_HOUSEHOLD and sizes.max() <= LARGEST)


def _are_persons(sizes: Ints, codes: ShortInts) -> bool:
    """Numbers that count up and begin anew again and again count persons inside something else."""
    counting = (np.diff(codes) == 1) | (codes[1:] == codes.min())
    return bool(sizes.mean() >= PER_PERSON and counting.mean() < COUNTING)


def _judge_weight(name: str, table: Table) -> RoleHint | None:
    if table.family(name) not in NUMBERS:
        return None
    numbers = table.numbers(name)
    named = surely_weighs(name)
    if not could_weigh(numbers, constant=named):
        return None
    single = str(table.plain(name).type) in {"float", "halffloat"}
    why = "its name says so" if named else _tell_from_bodies(numbers, table, single=single)
    if why is None:
        return None
    alone = tell_lonely_weights(numbers)
    return RoleHint(Role.WEIGHT, f"{why}, all values are positive, and {alone}")


def _tell_from_bodies(numbers: Floats, table: Table, *, single: bool) -> str | None:
    """Say why these are not body weights; numbers of `single` precision have fewer digits."""
    there = numbers[~np.isnan(numbers)]
    whole = bool((there == np.rint(there)).all())
    if abs(there.mean() - 1.0) <= EVEN and not whole:
        return "the mean of its values is 1"
    if any(map(measures_bodies, table.names)):
        return None
    if there.mean() >= HEAVY and not whole:
        return "its values add up to far more than the number of rows"
    rounding = 6e-8 * 1000 * there if single else 1e-6
    fine = bool((np.abs(there * 1000 - np.rint(there * 1000)) > rounding).any())
    if fine and not _are_parts(there):
        return "its values have more than three decimals"
    return None


def _are_parts(numbers: Floats) -> bool:
    """Return whether all are one number over whole ones, such as 100 over the household's size."""
    parts = numbers.max() / numbers
    return bool(parts.max() <= LARGEST and (np.abs(parts - np.rint(parts)) <= 1e-6).all())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMBERS = _words(
    "id ids nr no num number numero nummer nummern key code cod identifier kennung idnr idno"
)
_HOUSEHOLDS = _words(
    "h hh hhold household households haushalt haushalts hshld menage hogar vivienda famiglia "
    "familia family familie familien dwelling logement serial"
)
_PERSONS = _words(
    "p person persons personen people pers patient patients patienten pat subject participant "
    "respondent proband probanden individual individu individuo individuum indiv member client "
    "customer student pupil user worker employee kunde kunden versicherten"
)
_SURELY_WEIGHTS = _words(
    "wgt wght fnlwgt pweight hweight dweight pspwght pspwgt anweight finalwt weights pwgt hwgt "
    "hhwgt perwt hhwt wtper hochrechnung hochrechnungsfaktor hochrechnungsgewicht gewichtung "
    "gewichtungsfaktor ponderation ponderacion fexp expansion samplingweight surveyweight "
    "sampleweight designweight hhweight householdweight personweight rake raked"
)
_PERHAPS_WEIGHTS = _words("weight gewicht wt w poids peso ponderacion pond")
_OF_SAMPLES = _words(
    "sampling sample survey design final person personal household hh haushalt haushalts base "
    "replicate calibrated post expansion factor"
)
_OF_BODIES = _words("birth body bw bwt kg lbs lb pounds kilo gramm grams height born geburts")
_PLACES = _words(
    "region regio regione nuts district province provinz provincia county canton kanton commune "
    "comune comuna muni municipality municipio gemeinde bezirk bundesland landkreis kreis "
    "departement department prefecture parish kommune governorate oblast voivodeship powiat "
    "gmina lau ags bfs kgs amphoe tambon barangay kecamatan kabupaten"
)
_PERHAPS_PLACES = _words(
    "state land country city town stadt ort village zone area plz zip zipcode postcode postal "
    "block tract wijk geo statefip"
)
_NOT_THE_HOME = _words(
    "birth born geburts geburt origin nationality citizenship father mother vater mutter work job "
    "workplace arbeits previous former business health mental marital"
)
_POSITIONS = _words(
    "relation relationship relate relhead relat reltohead hhrel hrel rela stellung "
    "haushaltsstellung verwandtschaft parente parentesco parentela lien position reltoh rel"
)
_BIRTHS = _words(
    "birthday birthdate dob dateofbirth born geburtsdatum geburtstag gebdat gebdatum "
    "geb naissance nacimiento nascita nascimento birth"
)
_TRAITS = _words("sex gender geschlecht sexe sexo sesso genre kon kjonn")
_TOTALS = _words(
    "total totals tot sum summe gesamt insgesamt all overall net netto balance saldo difference "
    "diff profit somme totale totaal"
)
_SIZES = _words("size groesse grosse persons personen members mitglieder hhsize taille tamano n")


def numbers_households(name: str) -> bool:
    """Return whether a column of this name holds the numbers of households.

    >>> [numbers_households(name) for name in ("hhid", "Haushalt_Nr", "hh_income", "serial")]
    [True, True, False, True]
    """
    return _is_numbered(name, _HOUSEHOLDS)


def numbers_persons(name: str) -> bool:
    """Return whether a column of this name holds the numbers of persons.

    >>> [numbers_persons(name) for name in ("pid", "PatientID", "persons", "person_id")]
    [True, True, False, True]
    """
    return _is_numbered(name, _PERSONS) and bool(_without_numbers(name) != "".join(_all(name)))


def names_traits(name: str) -> bool:
    """Return whether a column of this name holds what a person has for life: sex, date of birth.

    >>> [names_traits(name) for name in ("sex", "Geschlecht", "dob", "income")]
    [True, True, True, False]
    """
    return not _TRAITS.isdisjoint(_all(name)) or names_births(name)


def surely_weighs(name: str) -> bool:
    """Return whether a column of this name holds sampling weights, and not what people weigh.

    >>> [surely_weighs(name) for name in ("fnlwgt", "design_weight", "weight", "birth_weight")]
    [True, True, False, False]
    """
    words = _all(name)
    if not _OF_BODIES.isdisjoint(words):
        return False
    if any(word.endswith(("wgt", "wght")) for word in words):
        return True
    sampled = not _PERHAPS_WEIGHTS.isdisjoint(words) and not _OF_SAMPLES.isdisjoint(words)
    return sampled or not _SURELY_WEIGHTS.isdisjoint([*words, "".join(words)])


def perhaps_weighs(name: str) -> bool:
    """Return whether a column of this name holds weights of a sample or of bodies.

    >>> [perhaps_weighs(name) for name in ("weight", "gewicht2", "weightlifter")]
    [True, True, False]
    """
    words = _all(name)
    return not _PERHAPS_WEIGHTS.isdisjoint(words) and _OF_BODIES.isdisjoint(words)


def measures_bodies(name: str) -> bool:
    """Return whether a column of this name is body height; a weight beside it is a body's."""
    return not _words("height bmi groesse taille estatura altezza korpergroesse").isdisjoint(
        _all(name)
    )


def surely_a_place(name: str) -> bool:
    """Return whether a column of this name says where people live.

    >>> [surely_a_place(name) for name in ("region", "NUTS2", "birth_region", "state")]
    [True, True, False, False]
    """
    words = _all(name)
    return not _PLACES.isdisjoint(words) and _NOT_THE_HOME.isdisjoint(words)


def perhaps_a_place(name: str) -> bool:
    """Return whether a column of this name may be a place, such as state or zone."""
    words = _all(name)
    return not (_PLACES | _PERHAPS_PLACES).isdisjoint(words) and _NOT_THE_HOME.isdisjoint(words)


def names_positions(name: str) -> bool:
    """Return whether a column of this name holds positions in the household.

    >>> [names_positions(name) for name in ("relation", "hh_rel", "Stellung", "religion")]
    [True, True, True, False]
    """
    words = _all(name)
    return not _POSITIONS.isdisjoint([*words, "".join(words)])


def names_births(name: str) -> bool:
    """Return whether a column of this name holds dates of birth.

    >>> [names_births(name) for name in ("dob", "date_of_birth", "Geburtsdatum", "birth_weight")]
    [True, True, True, False]
    """
    words = _all(name)
    has_birth = not _BIRTHS.isdisjoint([*words, "".join(words)])
    return has_birth and not {"weight", "order", "country", "place", "rate"} & set(words)


def names_totals(name: str) -> bool:
    """Return whether the name of a column says that it sums others up.

    >>> [names_totals(name) for name in ("income_total", "Gesamt", "tax")]
    [True, True, False]
    """
    return not _TOTALS.isdisjoint(_all(name))


def names_sizes(name: str) -> bool:
    """Return whether a column of this name may be the number of persons in a household."""
    words = _all(name)
    return not _SIZES.isdisjoint([*words, "".join(words)])


def _all(name: str) -> list[str]:
    return split_words(name)


def _is_numbered(name: str, units: frozenset[str]) -> bool:
    """Return whether the name is a unit's, but for words that say number."""
    return _without_numbers(name) in units


def _without_numbers(name: str) -> str:
    words = [word for word in _all(name) if word not in _NUMBERS]
    left = "".join(words)
    if left in _HOUSEHOLDS | _PERSONS:
        return left
    for number in sorted(_NUMBERS, key=len, reverse=True):
        for rest in (left.removesuffix(number), left.removeprefix(number)):
            if rest != left and rest in _HOUSEHOLDS | _PERSONS:
                return rest
    return left
