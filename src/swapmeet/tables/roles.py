"""Roles of columns as arguments: `mask(df, method, drop=["id"], sensitive=["income"])`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypedDict, TypeVar

from swapmeet.base.options import Option
from swapmeet.errors import UsageError, did_you_mean
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from swapmeet.tables.schema import Schema

Names = Iterable[str] | str
Code = int | float | str
MissingCodes = Code | Iterable[Code] | Mapping[str, Code | Iterable[Code]]
"""Codes of all columns, or those of each column named."""
Given = ParamSpec("Given")
Result = TypeVar("Result")


ROLES = "Roles of columns (separate names by commas, or repeat the option)"
KINDS = "Kinds of columns (where the guess is wrong)"
TIES = "Columns that belong together"
PREPARING = "Preparing the table"
SETS = (
    "Columns that move as one, such as weight,height: in each row they come from one donor. More "
    "sets: repeat the option."
)
DECIDE_KIND = "Say the kinds of columns by schema=sm.Schema.infer(data).assign({name}=[...])."


def _columns(meaning: str, panel: str = ROLES) -> Option:
    return Option(meaning=meaning, metavar="NAMES", panel=panel)


class Roles(TypedDict, total=False):
    """Options about columns: their roles, and what ties them to each other.

    A field is the declaration of its option everywhere. `missing` are codes of all columns, or by
    column, and `together` sets of columns.
    """

    key: Annotated[Names, _columns(Role.KEY.meaning)]
    sensitive: Annotated[Names, _columns(Role.SENSITIVE.meaning)]
    keep: Annotated[Names, _columns(Role.KEEP.meaning)]
    place: Annotated[Names, _columns(Role.PLACE.meaning)]
    weight: Annotated[Names, _columns(Role.WEIGHT.meaning)]
    strata: Annotated[Names, _columns(Role.STRATA.meaning)]
    position: Annotated[Names, _columns(Role.POSITION.meaning)]
    household: Annotated[Names, _columns(Role.HOUSEHOLD.meaning)]
    whole_households: Annotated[
        bool,
        Option(
            meaning="Households trade as wholes, with those of the same size and positions: all "
            "members have the values of one household, column by column.",
            flags="--whole-households",
            panel=ROLES,
        ),
    ]
    person: Annotated[Names, _columns(Role.PERSON.meaning)]
    drop: Annotated[Names, _columns(Role.DROP.meaning)]
    publish: Annotated[
        Names, _columns("Publish it although it looks like a direct identifier; its role stays.")
    ]
    together: Annotated[Iterable[Names], Option(meaning=SETS, metavar="NAMES", panel=TIES)]
    derive: Annotated[
        Names,
        Option(
            meaning="A column that follows from others, such as 'total = a + b' or 'bmi = weight / "
            "height ** 2'. It is computed anew from the released values. What the original breaks "
            "is refused. More than one: repeat the option.",
            panel=TIES,
        ),
    ]
    rule: Annotated[
        Names,
        Option(
            meaning="A condition that every row obeys, such as 'age >= 18 or marital = "
            '"single"\'; rows that the method breaks are repaired. More than one: repeat the '
            "option.",
            panel=TIES,
        ),
    ]
    unrepaired: Annotated[
        str,
        Option(
            meaning="Values of rows that break a rule and cannot be repaired: suppress, or leave.",
            metavar="HOW",
            shown="suppress",
            panel=TIES,
        ),
    ]
    missing: Annotated[
        MissingCodes,
        Option(
            meaning="Codes that stand for a missing value, such as -9,99 in all columns or "
            "income:-9,-8 in one. They move as they are, and count as missing.",
            metavar="CODES",
            panel=KINDS,
        ),
    ]
    recode: Annotated[
        Names,
        Option(
            meaning="A step that runs before anything else, such as 'age: top 80' or 'birth: "
            "month'. Others: 'income: round 1000', 'age: cut 0, 18, 65', 'job: suppress rare 5', "
            "'school: group primary, lower = low'. For more steps repeat the option.",
            metavar="STEP",
            panel=PREPARING,
        ),
    ]


class Settings(Roles, total=False):
    """Roles, and kinds."""

    numeric: Annotated[Names, _columns("Numbers.", KINDS)]
    ordinal: Annotated[Names, _columns("Numbers or ordered categories; their order counts.", KINDS)]
    nominal: Annotated[Names, _columns("Categories without order.", KINDS)]


def collect_roles(asked_by: str, schema: object, roles: Roles) -> Roles:
    """The roles that were given; refused beside a schema, which has its own.

    >>> collect_roles("mask", None, {"key": (), "drop": ["id"]})
    {'drop': ['id']}
    """
    given = {name: names for name, names in roles.items() if not _is_empty(names)}
    if given and schema is not None:
        words = ", ".join(f"{name}=..." for name in given)
        raise UsageError(
            f"{asked_by}: give roles by `schema` or by {', '.join(given)}, not by both. "
            f"To add to a schema: schema.assign({words})."
        )
    return given  # type: ignore[return-value]


def check_arguments(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Refuse an argument that a function does not have, with what was probably meant."""
    parameters = signature(function).parameters.values()
    known = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    if len(known) < len(parameters):
        known += Roles.__annotations__

    @wraps(function)
    def check_and_call(*args: Given.args, **given: Given.kwargs) -> Result:
        require_known(function.__name__, given, known)
        return function(*args, **given)

    return check_and_call


def require_known(asked_by: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse arguments that are none of the `known`."""
    known = list(known)
    for name in given:
        if name not in known:
            kind = name in Settings.__annotations__ and name not in Roles.__annotations__
            hint = f". {DECIDE_KIND.format(name=name)}" if kind else did_you_mean(name, known)
            more = "" if hint != "." else f" It has {', '.join(known)}."
            raise UsageError(f"{asked_by}: there is no argument `{name}`{hint}{more}")


def list_names(names: Iterable[Any]) -> tuple[Any, ...]:
    """List names; a text is one of them, not a row of letters.

    >>> list_names("age"), list_names(["age", "sex"])
    (('age',), ('age', 'sex'))
    """
    return (names,) if isinstance(names, str) else tuple(names)


def list_missing(schema: Schema | None) -> MissingCodes:
    """The codes for missing values of a schema, by column."""
    return {c.name: c.missing for c in getattr(schema, "columns", ()) if c.missing}


def _is_empty(names: Any) -> bool:
    return (
        names is None
        or names is False
        or (isinstance(names, (str, list, tuple, set, frozenset, dict)) and not names)
    )
