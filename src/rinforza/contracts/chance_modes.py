"""How a search treats chance nodes; the played game always samples."""

from .arguments import LARGEST_BUDGET, integer
from .component import Component
from .registry import Registry

ALWAYS_RESAMPLE, COMMITTED, EXPAND_ALL = range(3)  # the `kind` of each mode, for compiled code
LARGEST_FAN = 1 << 20  # outcomes that one chain of chance nodes may fan out to


class ChanceMode(Component):
    """The base of the chance modes.

    Attributes:
        kind: `ALWAYS_RESAMPLE`, `COMMITTED` or `EXPAND_ALL`.
        samples: Outcomes to which a chance node commits; 0 for the other modes.
    """

    kind: int
    samples: int = 0


class AlwaysResample(ChanceMode):
    """Draw an outcome at each visit of a chance node; children are kept per outcome and reused."""

    name = "always_resample"
    kind = ALWAYS_RESAMPLE

    def __init__(self):
        super().__init__({}, {"kind": ALWAYS_RESAMPLE})


class Committed(ChanceMode):
    """Draw outcomes once, when a chance node is made, and keep to them, each as likely as the others.

    Args:
        samples: Outcomes to draw, with replacement, 1 to 2**20.

    Raises:
        ValueError: For samples out of range.
        OverflowError: For negative samples.
        TypeError: If samples is no int.

    Example:
        >>> import rinforza as rf
        >>> rf.chance_modes.Committed(samples=4)
        Committed(samples=4)
    """

    name = "committed"
    kind = COMMITTED
    samples: int

    def __init__(self, samples: int = 1):
        samples = integer("samples", samples, 0, LARGEST_BUDGET)
        if samples < 1:
            raise ValueError(f"samples must be >= 1, got {samples}")
        super().__init__({"samples": samples}, {"kind": COMMITTED})


class ExpandAll(ChanceMode):
    """Follow every outcome, and weigh what lies behind by its probability: the exact expectation.

    A search stops with ValueError at a chain of chance nodes with more than 2**20 outcomes, and at a node
    whose outcomes can only be drawn.
    """

    name = "expand_all"
    kind = EXPAND_ALL

    def __init__(self):
        super().__init__({}, {"kind": EXPAND_ALL})


REGISTRY = Registry("chance mode", ChanceMode, __name__)
registered, make, register = REGISTRY.registered, REGISTRY.make, REGISTRY.register
