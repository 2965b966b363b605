"""How a search treats chance nodes; the played game always samples."""

from .component import Component


class ChanceMode(Component):
    """The base of the chance modes."""


class AlwaysResample(ChanceMode):
    """Draw an outcome at each visit of a chance node; children are kept per outcome and reused."""

    name = "always_resample"

    def __init__(self):
        super().__init__({})
