"""Columns that look like direct identifiers of people, by their values and their names.

Measurements are unique, too, and identify nobody directly: numbers with a fractional part, sums of
money, dates. What gives a number away as an identifier is that it was given out: no two rows share
it, and all of them run on with few gaps, or in the order of the rows.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from swapmeet.tables.arrow import CellType, family_of, to_dictionary

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Numbers = npt.NDArray[np.integer[Any]]

JUDGED_ROWS = 1 << 16
"""Columns are judged by this many rows at most, the first ones."""
FEW = 10
"""Uniqueness says nothing of fewer rows."""
MOSTLY = 0.9
"""Values are nearly unique if a larger share of them is distinct."""
ROWS_PER_PERSON = 10
"""Numbers of people may come back in this many rows each."""
LOOKED_AT = 1000
"""So many distinct texts tell what all are like."""
WORDS = 5
"""Texts of so many words on average are free text."""
DENSE = 0.5
"""Numbers run on if this share of those between the least and the largest is there."""
AGREEING = 5.0
"""That none agree says something only where chance would make this many pairs agree."""
LARGEST = 2.0**63
"""Doubles up to here are whole numbers that an integer holds, though beyond 2**53 not each is."""
LONG = 9
"""Numbers with this many digits, all with as many, are codes."""

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_CODE = re.compile(
    r"\d{3}-\d{2}-\d{4}|756\.?\d{4}\.?\d{4}\.?\d{2}|[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]"
    r"|\d{6}[-+]\d{4}|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]"
    r"|[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?"
    r"|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)
_PHONE = re.compile(r"(\+|0|\()[\d ()/.-]{8,}|\d{3}[-. ]\d{3}[-. ]\d{4}")
_DATE = re.compile(
    r"(\d{4}([-./ ]\d{1,2}){2}|(\d{1,2}[-./ ]){2}\d{2}(\d{2})?)([ T].*)?"
    r"|\d{1,2}[-./ ]{0,2}[A-Za-z]{3,9}[-./ ]{0,2}\d{2,4}"
)
_DAY_AND_MONTH = re.compile(r"(\d{1,2})([-./ ])(\d{1,2})\2\d{2,4}\b")
_FRACTION = re.compile(r"[-+]?\d*[.,]\d+([eE][-+]?\d+)?")
_SEPARATED = re.compile(
    r"[-+]?\d{1,3}((\.\d{3})+(,\d+)?|(,\d{3})+(\.\d+)?|(['\u2019]\d{3})+([.,]\d+)?"
    r"|([ \u00a0\u202f]\d{3})+([.,]\d+)?)"
)
_SHORT = re.compile(r"[-+]?\d{1,3}([.,]\d{1,2})?")
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}")


def find_identifier(name: str, column: Any) -> str | None:
    """Say why a column (an Arrow array, None if types are mixed) looks like a direct identifier.

    None if it does not. Values are never told.

    >>> import pyarrow as pa
    >>> find_identifier("x", pa.array(range(100, 200)))
    '100 distinct whole numbers in 100 rows, given out in sequence'
    >>> find_identifier("income", pa.array([i * 12.5 for i in range(100)]))
    """
    family = family_of(column, ordered=False)
    if family in {CellType.TEXT, CellType.CATEGORY}:
        return _judge_texts(name, column[:JUDGED_ROWS])
    if family in {CellType.INTEGER, CellType.FLOAT, CellType.DECIMAL}:
        numbers = _whole_numbers(column[:JUDGED_ROWS], family)
        return None if numbers is None else _judge_numbers(name, numbers)
    return None


def _judge_texts(name: str, column: Any) -> str | None:
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_dictionary(column.type):
        if isinstance(column.type.value_type, pa.BaseExtensionType):
            return None
        if family_of(column.dictionary, ordered=False) is not CellType.TEXT:
            return find_identifier(name, column.cast(column.type.value_type))
    texts = _Texts.of(column)
    looked_at = [text.strip() for text in texts.distinct[:LOOKED_AT].to_pylist()]
    if _mostly(_WHOLE, looked_at, MOSTLY):
        return _judge_numbers(name, texts.parse())
    distinct = len(texts.distinct)
    return _judge_patterns(name, looked_at, distinct) or _judge_counts(
        name, looked_at, distinct, len(texts.places)
    )


class _Texts(NamedTuple):
    """Texts that are not missing: each once, and which of them each row has.

    Those of a dictionary are never repeated row by row: long ones would take all memory.
    """

    distinct: Any
    places: Any

    @classmethod
    def of(cls, column: Any) -> _Texts:
        import pyarrow as pa
        import pyarrow.compute as pc

        encoded = to_dictionary(column)
        words = encoded.dictionary.cast(pa.large_string())
        distinct = words.take(encoded.indices.unique().drop_null()).unique().drop_null()
        places = pc.index_in(words, value_set=distinct).take(encoded.indices).drop_null()
        return cls(distinct, places)

    def parse(self) -> Numbers:
        """The whole numbers that the rows' texts stand for; other texts are left out."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = pc.utf8_trim_whitespace(self.distinct)
        is_whole = pc.match_substring_regex(texts, f"^({_WHOLE.pattern})$")
        numbers = pc.if_else(is_whole, texts, pa.scalar(None, texts.type)).cast("int64")
        return np.asarray(numbers.take(self.places).drop_null().to_numpy(zero_copy_only=False))


def _judge_patterns(name: str, texts: list[str], distinct: int) -> str | None:
    """Judge by what the texts, or the column's name, say they are."""
    if distinct > 2 and _mostly(_EMAIL, texts):
        return "e-mail addresses"
    if distinct > 2 and _mostly(_CODE, texts):
        return "codes such as a register or a bank gives to a person"
    if distinct > FEW and _mostly(_PHONE, texts) and not _are_measured(texts):
        return "telephone numbers"
    if distinct > FEW and names_people(name):
        return "its name says that it holds names of people"
    if distinct > FEW and reaches_people(name):
        return "its name says that it holds addresses or telephone numbers"
    return None


def _judge_counts(name: str, texts: list[str], distinct: int, rows: int) -> str | None:
    """Judge by how many of the texts are distinct."""
    reason = f"{distinct:,} distinct texts in {rows:,} rows"
    if _are_measured(texts) or rows <= FEW:
        return None
    if distinct > FEW and distinct * ROWS_PER_PERSON >= rows and numbers_people(name):
        return f"{reason}, and its name says that they stand for people"
    if 2 * distinct > rows and sum(len(text.split()) for text in texts) >= WORDS * len(texts):
        return f"free text, {reason}"
    return reason if distinct > MOSTLY * rows and not is_shared(name) else None


def _judge_numbers(name: str, numbers: Numbers) -> str | None:
    rows, distinct = len(numbers), len(np.unique(numbers))
    reason = f"{distinct:,} distinct whole numbers in {rows:,} rows"
    if distinct <= FEW:
        return None
    if distinct * ROWS_PER_PERSON >= rows and numbers_people(name):
        return f"{reason}, and its name says that they stand for people"
    if distinct > MOSTLY * rows and (labels_rows(name) or reaches_people(name)):
        return f"{reason}, and its name says that they are no measurement"
    if _are_given_out(numbers, distinct) and not is_shared(name):
        return f"{reason}, given out in sequence"
    if distinct > MOSTLY * rows and _are_long_codes(numbers):
        return f"{reason}, all of them long and of the same length"
    return None


def _are_given_out(numbers: Numbers, distinct: int) -> bool:
    """Return whether they have few gaps, or follow the order of the rows but for chance.

    The step may be another than 1.
    """
    rows = len(numbers)
    if distinct < rows:
        return False
    ordered = np.sort(numbers)
    room = (int(ordered[-1]) - int(ordered[0])) // int(np.gcd.reduce(np.diff(ordered))) + 1
    runs_on = room <= rows / DENSE or bool((numbers == ordered).all())
    return runs_on and rows * (rows - 1) / 2 / room >= AGREEING


def _are_long_codes(numbers: Numbers) -> bool:
    """Return whether all have the same large number of digits and are not Unix times."""
    texts = [str(abs(int(number))) for number in numbers[:LOOKED_AT]]
    length = len(texts[0])
    if length < LONG or any(len(text) != length for text in texts):
        return False
    return length not in {10, 13, 16, 19} or any(text[0] != "1" for text in texts)


def _whole_numbers(column: Any, family: CellType) -> Numbers | None:
    """The numbers that are not missing, if all of them are whole; SPSS stores all as doubles."""
    import pyarrow as pa

    column = column.drop_null()
    if family is CellType.INTEGER:
        return np.asarray(column.to_numpy(zero_copy_only=False))
    numbers = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    numbers = numbers[~np.isnan(numbers)]
    whole = (np.abs(numbers) < LARGEST) & (numbers == np.rint(numbers))
    return numbers.astype(np.int64) if whole.all() else None


def are_dates(texts: list[str]) -> bool:
    """Return whether the texts are dates."""
    return bool(texts) and _mostly(_DATE, texts, MOSTLY)


def describe_order(texts: list[str]) -> str:
    """Describe how dates such as 12/31/2024 or 31.12.2024 are written, if their numbers show it.

    >>> describe_order(["12/31/2024", "01/02/2024"]), describe_order(["31.12.2024"])
    (' (month/day/year)', ' (day.month.year)')
    >>> describe_order(["01/02/2024"]), describe_order(["2024-12-31"])
    ('', '')
    """
    parts = [match for match in map(_DAY_AND_MONTH.match, texts) if match]
    if len(parts) < MOSTLY * len(texts):
        return ""
    first, second = (max(int(match[place]) for match in parts) for place in (1, 3))
    if (first > 12) == (second > 12):
        return ""
    order = ("day", "month", "year") if first > second else ("month", "day", "year")
    return f" ({parts[0][2].join(order)})"


def have_separators(texts: list[str]) -> bool:
    """Return whether the texts are numbers whose thousands are set apart, such as 1.234.567.

    >>> have_separators(["1,234", "987", "12,345"]), have_separators(["12", "345"])
    (True, False)
    >>> have_separators([*map(str, range(900)), "1,234"])
    True
    """
    written = [text for text in texts if _SEPARATED.fullmatch(text)]
    short = [text for text in texts if _SHORT.fullmatch(text)]
    whole = len(written) + sum(text.isdecimal() for text in short)
    many = len(written) > len(texts) / 5 or (written and whole > MOSTLY * len(texts))
    return bool(many) and len(written) + len(short) > MOSTLY * len(texts)


def _are_measured(texts: list[str]) -> bool:
    """Return whether the texts are dates, fractions, or numbers with thousands separators."""
    fractions = _mostly(_FRACTION, texts, MOSTLY)
    return are_dates(texts) or fractions or have_separators(texts)


def _mostly(pattern: re.Pattern[str], texts: list[str], share: float = 0.5) -> bool:
    return sum(map(bool, map(pattern.fullmatch, texts))) > share * len(texts)


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
