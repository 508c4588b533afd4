"""Risks that remain in every release, whatever the method."""

from __future__ import annotations

GENERAL = (
    (
        "Attributes can be inferred from relations. What the release shows about people like "
        "somebody it also shows about that person, whether or not they are in the data."
    ),
    (
        "Releases of the same people add up. A second release of this table, or of an overlapping "
        "one, can be compared with the first, and must be judged together with it."
    ),
    (
        "The figures are about the intruder described above. One who knows more, or other "
        "columns, may find more people."
    ),
    "Seed and audit record undo the masking. They must stay apart from the release.",
)
