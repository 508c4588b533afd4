"""Objects that hold a secret and so refuse to become a pickle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from swapmeet.errors import UsageError

if TYPE_CHECKING:
    from typing import NoReturn, SupportsIndex


class HoldsSecret:
    """Something with the seed or the donors in it: no pickle, which travels unseen, is made of it.

    `instead` says what to do. A copy is another name for the same secret.
    """

    instead: ClassVar[str] = ""

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise UsageError(
            f"{type(self).__name__}: holds the seed, so no pickle is made of it: whoever gets the "
            f"seed can undo the masking. {self.instead}"
        )

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self
