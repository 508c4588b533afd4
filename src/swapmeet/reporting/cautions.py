"""What no release is protected against, whatever the method."""

from __future__ import annotations

GENERAL = (
    (
        "Attributes can be inferred from relations: what the release shows about people like "
        "somebody, it shows about that person, too, whether or not they are in the data."
    ),
    (
        "Releases of the same people add up: a second release of this table, or of an overlapping "
        "one, can be compared with the first, and each needs to be judged together with the "
        "others."
    ),
    (
        "The figures are about the intruder described above. One who knows more, or other "
        "columns, may do better."
    ),
    "Seed and audit record undo the masking. They must stay apart from the release.",
)
