"""From plain functions to Numba's: a copy of each, whose globals hold compiled functions.

The user's function is never touched. The copy's qualified name carries the content digest, since within one
process two functions with equal symbol names would link to each other's body. Callees of equal content share
one copy, so what two methods both call is compiled once.
"""

from inspect import CO_VARKEYWORDS
from types import FunctionType, ModuleType
from typing import Any

from .digest import Digester
from .explain import RefusedError
from .memory import Primitive
from .prototype import Prototype
from .reach import Reached, is_own_function, reached

TAG_LENGTH = 32  # hex digits of the digest in a name

_callees: dict[str, Any] = {}
_made: list[Any] = []


def all_dispatchers() -> list[Any]:
    """Return every dispatcher that was made in this process."""
    return _made


class Linker:
    """Links one function and all that it calls.

    Args:
        digester: The digester of this compilation.

    Attributes:
        functions: The plain functions that were met, each with its Numba dispatcher; the outermost first.
    """

    def __init__(self, digester: Digester):
        self._digester = digester
        self.functions: dict[FunctionType, Any] = {}

    def link(self, function: FunctionType) -> Any:
        """Return a Numba dispatcher over a copy of `function`.

        Raises:
            RefusedError: If a callee has parameters that compiled code does not have.
        """
        namespace: dict[str, Any] = {"__name__": function.__module__, "__builtins__": __builtins__}
        cells = tuple(type(cell)() for cell in function.__closure__ or ())
        copy = FunctionType(function.__code__, namespace, function.__name__, None, cells)
        copy.__module__ = function.__module__
        copy.__defaults__ = function.__defaults__ and tuple(map(self._linked, function.__defaults__))
        dispatcher = self._dispatcher(function, copy)
        self.functions[function] = dispatcher
        values = {(entry.in_cell, entry.name): self._linked_entry(entry) for entry in reached(function)}
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
            cell.cell_contents = values[True, name]
        namespace.update({name: value for (in_cell, name), value in values.items() if not in_cell})
        return dispatcher

    def forget(self) -> None:
        """Have what was linked made anew the next time: Numba keeps errors, and a copy may lack its globals."""
        stale = list(self.functions.values())
        for tag, dispatcher in list(_callees.items()):
            if dispatcher in stale:
                del _callees[tag]

    def _dispatcher(self, function: FunctionType, copy: FunctionType) -> Any:
        tag = self._digester.key(function, "callee")[:TAG_LENGTH]
        if not self.functions:
            copy.__qualname__ = f"{function.__name__}_{tag}_outermost"  # the type of its result is declared
            return _dispatcher_of(copy)
        if tag not in _callees:
            copy.__qualname__ = f"{function.__name__}_{tag}"
            _callees[tag] = _dispatcher_of(copy)
        return _callees[tag]

    def _linked_entry(self, entry: Reached) -> Any:
        if not entry.attributes:
            return self._linked(entry.value)
        module = ModuleType(entry.name)
        for name, inner in entry.attributes.items():
            setattr(module, name, self._linked_entry(inner))
        return module

    def _linked(self, value: Any) -> Any:
        if isinstance(value, Prototype | Primitive):
            return value.intrinsic
        if not is_own_function(value):
            return value
        _check_parameters(value)
        return self.functions[value] if value in self.functions else self.link(value)


def _dispatcher_of(copy: FunctionType) -> Any:
    from .pipeline import LoweringDispatcher

    dispatcher = LoweringDispatcher(copy)
    _made.append(dispatcher)
    return dispatcher


def _check_parameters(function: FunctionType) -> None:
    code = function.__code__
    if code.co_kwonlyargcount or code.co_flags & CO_VARKEYWORDS:
        cause = f"{function.__name__} takes keyword-only arguments, which compiled functions do not have"
        raise RefusedError(function, code.co_firstlineno, cause, "take the * or ** out of its parameters")
