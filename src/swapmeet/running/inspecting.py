"""inspect(): what is in a table, and what in it could give people away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from swapmeet.base.progress import Progress, silent
from swapmeet.engines import choose_engine
from swapmeet.inspecting.table import Inspection, look_at
from swapmeet.running.masking import plan_of
from swapmeet.running.preparation import prepare
from swapmeet.tables.roles import Roles, check_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.io.document import Document
    from swapmeet.tables.frame import Frame
    from swapmeet.tables.schema import Schema


@check_arguments
def inspect(
    data: Frame | Document,
    schema: Schema | None = None,
    *,
    labels: Mapping[str, Mapping[Any, str]] | None = None,
    titles: Mapping[str, str] | None = None,
    progress: Progress = silent,
    **roles: Unpack[Roles],
) -> Inspection:
    """Look at each column, and at how many rows a combination of key columns singles out.

    `data` is a table, or a document as `read` returns it, which brings its labels.
    Roles may be given in place of a `schema`: columns that an intruder cannot know are no keys.
    `labels` are those of values, by column, as a statistical file has them: they tell which codes
    stand for a missing value. `titles` are those of columns: they tell what a column is about.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": ["f", "f", "m", "m"], "town": ["A", "A", "A", "B"]})
    >>> inspect(people).all_keys
    KeyUniqueness(columns=('sex', 'town'), unique=2, small=4)
    """
    plan = plan_of("inspect", schema, roles)
    prepared = prepare(
        plan,
        data,
        choose_engine(data),
        asked_by="inspect",
        schema=schema,
        examine=False,
        weigh=False,
    )
    return look_at(
        prepared.data, prepared.schema, document=prepared.document, labels=labels, titles=titles,
        progress=progress,
    )  # fmt: skip
