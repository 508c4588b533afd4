"""Names of columns in surveys: households, persons, weights, places, positions."""

from __future__ import annotations

from swapmeet.tables.identifiers import split_words


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
