"""What an engine knows of its own course, besides the games: which collection it is in, under which settings."""

from typing import Any

from ..contracts.policy import Policy


class Course:
    """Where an engine stands in its run.

    Args:
        policy: The policy that the engine was made with.

    Attributes:
        requested: The policy with what `Engine.set` has set, for the next collection.
        active: The same for the collection under way, or for the last one.
        sweep: The number of the collection, which says which slot comes first; -1 before the first.
        collecting: Whether a collection has begun whose batch nobody has.
        weights_generation: How often `Engine.weights_updated` was called.
        outdated: The players (None for all) whose networks changed since the last collection began.
    """

    def __init__(self, policy: Policy):
        self.requested = self.active = policy
        self.sweep = -1
        self.collecting = False
        self.weights_generation = 0
        self.outdated: set[int | None] = set()

    def request(self, settings: dict[str, Any]) -> None:
        """Set schedulable parameters; raises as `changed`."""
        self.requested = changed(self.requested, settings)

    def begin(self) -> None:
        """Begin a collection."""
        self.active = self.requested
        self.sweep += 1  # no slot is always the first to be admitted
        self.collecting = True

    def header(self) -> dict[str, Any]:
        """Return what a snapshot keeps of it."""
        return {
            "settings": current(self.requested),
            "active": current(self.active),
            "sweep": self.sweep,
            "collecting": self.collecting,
            "weights_generation": self.weights_generation,
        }

    @classmethod
    def restored(cls, policy: Policy, header: Any) -> "Course":
        """Return the course whose `header` this is.

        Raises:
            ValueError: If the policy refuses its settings.
        """
        course = cls(policy)
        try:
            course.requested = changed(policy, header["settings"])
            course.active = changed(policy, header["active"])
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"invalid EngineSnapshot: its settings are refused: {error}") from error
        course.sweep, course.collecting = header["sweep"], header["collecting"]
        course.weights_generation = header["weights_generation"]
        return course


def changed(policy: Policy, settings: dict[str, Any]) -> Policy:
    """Return a policy with other values of its schedulable parameters.

    Raises:
        TypeError: For a parameter that is not schedulable, or a value of another type.
        ValueError, OverflowError: As the policy's constructor.
    """
    for name in settings:
        if name not in policy.schedulable:
            listed = ", ".join(policy.schedulable) or "none"
            raise TypeError(
                f"{type(policy).__name__} has no schedulable parameter {name!r}; those that may change "
                f"during a run are: {listed}"
            )
    other = type(policy)(**{**policy.parameters, **settings})
    if other.record.dtype != policy.record.dtype:
        raise TypeError(f"{settings} would change the layout of {policy!r}; give values of the same types")
    return other


def current(policy: Policy) -> dict[str, Any]:
    """Return the values of a policy's schedulable parameters."""
    return {name: policy.parameters[name] for name in policy.schedulable}
