"""Two sides measured in turn, so that whatever else the machine does meets both alike."""

import statistics
from collections.abc import Callable
from typing import Any, NamedTuple

Line = dict[str, Any]


class Comparison(NamedTuple):
    """What both sides printed, run by run.

    Attributes:
        first: The lines of the one side.
        second: The lines of the other, each measured right after its partner in `first`.
        work: The count whose speed is compared.
    """

    first: list[Line]
    second: list[Line]
    work: str

    @property
    def speeds(self) -> tuple[list[float], list[float]]:
        """The speed of each run, for both sides."""
        return per_second(self.first, self.work), per_second(self.second, self.work)

    @property
    def ratio_of_medians(self) -> float:
        """The first side's median speed over the second's."""
        first, second = self.speeds
        return statistics.median(first) / statistics.median(second)

    @property
    def ratios(self) -> list[float]:
        """The first side's speed over the second's, pair by pair."""
        return [one / other for one, other in zip(*self.speeds, strict=True)]

    @property
    def processor_ratios(self) -> list[float]:
        """The same per processor second: steadier when other programs run, and blind to idle cores."""
        first, second = (per_second(lines, self.work, "cpu_seconds") for lines in (self.first, self.second))
        return [one / other for one, other in zip(first, second, strict=True)]


def in_turn(first: Callable[[], Line], second: Callable[[], Line], work: str, repeats: int) -> Comparison:
    """Measure A B A B ..., `repeats` times each."""
    pairs = [(first(), second()) for _ in range(repeats)]
    return Comparison([pair[0] for pair in pairs], [pair[1] for pair in pairs], work)


def per_second(lines: list[Line], count: str, clock: str = "seconds") -> list[float]:
    """Return a count of each line per second of a clock."""
    return [line[count] / line[clock] for line in lines]
