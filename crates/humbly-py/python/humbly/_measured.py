"""A number with its n, or undefined with a reason; never one for the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn


@dataclass(frozen=True)
class Undefined:
    """No value, and why: the data do not determine one.

    It is neither a number nor a truth value: ``float()``, ``bool()`` and arithmetic raise
    :class:`TypeError` with the reason, so that ``x or 0`` cannot make a 0 of it.

    >>> float(Undefined("no_samples"))
    Traceback (most recent call last):
    TypeError: undefined (no_samples) is not a number; test `is_defined`, or read `reason`
    """

    reason: str
    """Code of the reason, as in JSON, e.g. ``no_wrong_answers``."""
    detail: str | None = None
    """More for a person."""

    def __str__(self) -> str:
        return f"undefined ({self.reason})" if self.detail is None else f"undefined ({self.reason}: {self.detail})"

    def _refuse(self, kind: str) -> NoReturn:
        raise TypeError(f"{self} is not {kind}; test `is_defined`, or read `reason`")

    def __bool__(self) -> NoReturn:
        self._refuse("a truth value")

    def __float__(self) -> NoReturn:
        self._refuse("a number")

    def __int__(self) -> NoReturn:
        self._refuse("a number")

    def _refuse_with(self, other: object) -> NoReturn:
        self._refuse("a number")

    def __round__(self, ndigits: int | None = None) -> NoReturn:
        self._refuse("a number")

    __lt__ = __le__ = __gt__ = __ge__ = _refuse_with
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse_with

    def __format__(self, spec: str) -> str:
        # Asked for as a number it still says what it is.
        return str(self)

    @property
    def is_defined(self) -> bool:
        """Always false."""
        return False


@dataclass(frozen=True)
class Interval:
    """A confidence interval and how it was made."""

    low: float
    high: float
    level: float
    method: str
    resamples: int | None = None
    seed: int | None = None
    clusters: int | None = None


@dataclass(frozen=True)
class Measured:
    """A measured number: its value, n, interval, and the reason where there is no value."""

    value: float | Undefined
    """The number, or :class:`Undefined`."""
    n: int
    """How many observations it rests on."""
    numerator: int | None = None
    """Successes, for a proportion."""
    interval: Interval | None = None
    """The confidence interval, where one was computed."""
    note: str | None = None
    """What a reader must know about this number."""

    @property
    def is_defined(self) -> bool:
        """Whether there is a value."""
        return not isinstance(self.value, Undefined)

    @property
    def undefined(self) -> Undefined | None:
        """Why there is no value, ``None`` where there is one."""
        return self.value if isinstance(self.value, Undefined) else None

    def __float__(self) -> float:
        return float(self.value)

    def __bool__(self) -> NoReturn:
        raise TypeError("a measured number is no truth value; test `is_defined`, or compare `value`")

    def __format__(self, spec: str) -> str:
        """The value alone in a format of numbers, such as ``.3f``; without one as :class:`str`."""
        return format(self.value, spec) if spec else str(self)

    def __str__(self) -> str:
        if isinstance(self.value, Undefined):
            return f"{self.value}, n={self.n}"
        ends = "" if self.interval is None else f" [{self.interval.low:.3f}, {self.interval.high:.3f}]"
        return f"{self.value:.3f}{ends}, n={self.n}"

    def _repr_html_(self) -> str:
        from html import escape

        return escape(str(self))

    def to_dict(self) -> dict[str, Any]:
        """The number as it stands in Humbly's JSON."""
        undefined = self.undefined
        return {
            "value": None if undefined is not None else self.value,
            "n": self.n,
            "numerator": self.numerator,
            "interval": None if self.interval is None else dict(self.interval.__dict__),
            "note": self.note,
            "undefined": None if undefined is None else dict(undefined.__dict__),
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Measured:
        """The number from Humbly's JSON, such as a cell of :func:`humbly.score`'s summary."""
        undefined, interval = record["undefined"], record["interval"]
        return cls(
            value=record["value"] if undefined is None else Undefined(**undefined),
            n=record["n"],
            numerator=record["numerator"],
            interval=None if interval is None else Interval(**interval),
            note=record["note"],
        )


_KEYS = {"value", "n", "numerator", "interval", "note", "undefined"}


def with_measured(record: Any) -> Any:
    """The same JSON with a :class:`Measured` for each measured number in it."""
    if isinstance(record, dict):
        if record.keys() == _KEYS:
            return Measured.from_dict(record)
        return {name: with_measured(value) for name, value in record.items()}
    if isinstance(record, list):
        return [with_measured(value) for value in record]
    return record
