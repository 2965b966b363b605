"""Names of components: the built-in ones of a module, those a program registers, those packages bring."""

import difflib
import sys
from typing import Any, Generic, TypeVar

from .component import Component

Part = TypeVar("Part", bound=Component)


class Registry(Generic[Part]):
    """The components of one kind by the names that their classes state.

    A built-in class needs no more than to be imported by the module. Packages list theirs as entry points of
    the group `rinforza.` and the module's name (`rinforza.games`), each under the name that its class states;
    they are imported when they are made.

    Args:
        kind: What a component is called in messages.
        base: The class that all of them subclass.
        module: The name of the module that holds the built-in ones.
    """

    def __init__(self, kind: str, base: type[Part], module: str):
        self._kind, self._base, self._module = kind, base, module
        self._group = f"rinforza.{module.rpartition('.')[2]}"
        self._registered: dict[str, type[Part]] = {}

    def registered(self) -> list[str]:
        """Return all names, sorted: built-in ones, registered ones, and those of installed packages."""
        return sorted({*self._built_in(), *self._registered, *self._entry_points()})

    def make(self, name: str, /, **parameters: Any) -> Part:
        """Make the component of a name.

        Args:
            name: A name that `registered` lists.
            **parameters: The keywords of its constructor.

        Raises:
            TypeError: If the name is no string, or the constructor takes no such keyword.
            KeyError: For a name that is not registered; the message lists those that are.
            Exception: What the constructor raises.
        """
        return self.find(name)(**parameters)

    def register(self, component: type[Part]) -> type[Part]:
        """Give a class its name here; returns the class, so it can be a decorator.

        A class that is defined again, as in a notebook, takes the place of the first.

        Args:
            component: A class that states `name`.

        Raises:
            TypeError: If it is no class of this kind, or states no name.
            ValueError: If another class has the name.
        """
        name = self._stated_name(component)
        first = self._built_in().get(name) or self._registered.get(name)
        if first is not None and _place(first) != _place(component):
            raise ValueError(
                f"the {self._kind} name {name!r} belongs to {_place(first)}; give {_place(component)} another"
            )
        self._registered[name] = component
        return component

    def find(self, name: str) -> type[Part]:
        """Return the class of a name; raises as `make` does."""
        if not isinstance(name, str):
            raise TypeError(f"a {self._kind} name must be a str, got {type(name).__name__}")
        found = self._registered.get(name) or self._built_in().get(name)
        if found is not None:
            return found
        entry_points = self._entry_points()
        if name in entry_points:
            found = entry_points[name].load()
            if self._stated_name(found) != name:
                raise ValueError(f"{entry_points[name]} names a class whose name is {found.name!r}")
            return found
        known = sorted({*self._built_in(), *self._registered, *entry_points})
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise KeyError(f"unknown {self._kind} {name!r}; registered are {', '.join(known)}{hint}")

    def _built_in(self) -> dict[str, type[Part]]:
        classes = [value for value in vars(sys.modules[self._module]).values() if isinstance(value, type)]
        return {part.name: part for part in classes if issubclass(part, self._base) and hasattr(part, "name")}

    def _entry_points(self) -> dict[str, Any]:
        from importlib.metadata import entry_points  # slow to import, and seldom needed

        return {point.name: point for point in entry_points(group=self._group)}

    def _stated_name(self, component: Any) -> str:
        if not isinstance(component, type) or not issubclass(component, self._base):
            raise TypeError(f"a {self._kind} must be a subclass of {self._base.__name__}, got {component!r}")
        name = getattr(component, "name", None)
        if not isinstance(name, str) or not name:
            raise TypeError(f"{component.__name__} must state `name`, a str, got {name!r}")
        return name


def _place(component: type) -> str:
    return f"{component.__module__}.{component.__qualname__}"
