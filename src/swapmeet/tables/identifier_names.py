"""Names of columns that hold identifiers: numbers of people, or their names."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PEOPLE = _words(
    "person people patient subject participant respondent interviewee client customer member "
    "employee worker student pupil user individual resident citizen taxpayer insured applicant "
    "mother father child spouse parent household family hh personal versicherten patienten "
    "personen haushalts kunden pat subj resp indiv pers case"
)
_NUMBERS = _words("id ids nr no num number key code identifier uuid guid")
_REGISTERED = _words(
    "ssn sin nino nhs mrn ahv avs nir pesel cpr bsn personnummer passport iban pid hid hhid uid "
    "idnr idno socialsecurity"
)
_LABELS = _NUMBERS - _words("num code") | _words("case rowid rownames")
_NAMES = _words(
    "name names fullname firstname lastname surname forename givenname familyname middlename "
    "maidenname nachname vorname familienname nom prenom apellido apellidos cognome"
)
_CONTACTS = _words(
    "email mail phone telephone tel mobile fax address addresses street streetaddress "
    "homeaddress telefon handy adresse strasse"
)
_COMMON = _words(
    "zip zipcode postcode postal postalcode plz date day year month time datum birth birthday "
    "birthdate dob timestamp"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def split_words(name: str) -> list[str]:
    """The words of a column's name, in small letters and without accents.

    >>> split_words("PatientID"), split_words("prénom_2"), split_words("case.nr")
    (['patient', 'id'], ['prenom'], ['case', 'nr'])
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return [word.lower() for word in _WORD.findall(plain)]


def numbers_people(name: str) -> bool:
    """Return whether a column of this name holds the numbers of people or households.

    >>> [numbers_people(name) for name in ("person_id", "hhid", "AHV-Nr", "idp", "region_id")]
    [True, True, True, False, False]
    >>> [numbers_people(name) for name in ("PATID", "subj_no", "caseid", "compatid", "perspex")]
    [True, True, True, False, False]
    """
    words = split_words(name)
    pairs = ["".join(pair) for pair in pairwise(words)]
    return any(word in _REGISTERED or _is_compound(word, _NUMBERS) for word in [*words, *pairs])


def labels_rows(name: str) -> bool:
    """Return whether a column of this name holds numbers of something, if they are unique.

    >>> [labels_rows(name) for name in ("id", "case_nr", "idea", "kidney", "no_children")]
    [True, True, False, False, False]
    """
    words = split_words(name)
    return bool(words) and (words[-1] in _LABELS or words[0] in {"id", "case"})


def names_people(name: str) -> bool:
    """Return whether a column of this name holds names of people.

    >>> [names_people(name) for name in ("Last name", "patient.name", "drug_name", "rename")]
    [True, True, False, False]
    """
    whole = "".join(split_words(name))
    return whole in _NAMES or _is_compound(whole, _words("name names"))


def reaches_people(name: str) -> bool:
    """Return whether a column of this name holds addresses or telephone numbers.

    >>> [reaches_people(name) for name in ("E-Mail", "home_phone", "phone_minutes")]
    [True, True, False]
    """
    words = split_words(name)
    return bool(words) and (words[-1] in _CONTACTS or "".join(words[-2:]) in _CONTACTS)


def is_shared(name: str) -> bool:
    """Return whether many people share values of such a column, such as dates and postcodes."""
    return not _COMMON.isdisjoint(split_words(name))


def _is_compound(word: str, ends: Iterable[str]) -> bool:
    """Return whether it is a word for people and one of the ends: personid, patientsnr."""
    return any(
        word.endswith(end) and not _PEOPLE.isdisjoint({front, front.removesuffix("s")})
        for end in ends
        if (front := word.removesuffix(end))
    )
