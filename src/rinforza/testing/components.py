"""What every component keeps: it is a value."""

import copy

import numpy as np

from ..contracts.component import Component
from .verdict import blame, broken


def check_component(component: Component, kind: type) -> None:
    """Check that a component is an immutable value that its parameters make again.

    Raises:
        TypeError: If it is no `kind`.
        ConformanceError: If it is none.
    """
    if not isinstance(component, kind):
        given = f"the class {component.__name__}" if isinstance(component, type) else type(component).__name__
        raise TypeError(f"expected a {kind.__name__} instance, got {given}")
    label = type(component).__name__
    name = getattr(component, "name", None)
    if not isinstance(name, str) or not name:
        raise broken(label, f"has the name {name!r}", 'state its registry name, such as name = "my_game"')
    with blame(
        f"{label}(**parameters)",
        "pass exactly the constructor's keywords to Component as parameters",
    ):
        twin = type(component)(**component.parameters)
    copied = copy.deepcopy(component)
    for other, how in ((twin, "made again from its parameters"), (copied, "deep-copied")):
        if other != component or hash(other) != hash(component) or repr(other) != repr(component):
            raise broken(
                label,
                f"is another value when it is {how}: {other!r} instead of {component!r}",
                "hand every constructor keyword, as resolved, to super().__init__",
            )
    _check_immutable(component, label)
    _check_record(component, label)


def _check_immutable(component: Component, label: str) -> None:
    try:
        component.name = component.name  # type: ignore[misc]
    except AttributeError:
        return
    raise broken(label, "can be changed after it was made", "leave Component's __setattr__ as it is")


def _check_record(component: Component, label: str) -> None:
    for name in component.record.dtype.names or ():
        held = component.record[name][0]
        seen = getattr(component, name, held)
        if not np.array_equal(held, seen):
            raise broken(
                label,
                f"has {name} = {seen!r} in Python and {held!r} in compiled code",
                f"pass {name} to super().__init__ and set it nowhere else",
            )
