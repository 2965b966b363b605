"""What a function reaches: the globals, closure cells and module attributes that its code can load.

Two readers need the same answer: `digest` (what must change the cache key) and `link` (what must be
replaced by something that Numba can call), so it is found in one place.
"""

import dis
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from .explain import RefusedError

FOREIGN_MODULES = ("numpy", "math", "builtins")
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")
ATTRIBUTE_LOADS = ("LOAD_ATTR", "LOAD_METHOD")


class Reached(NamedTuple):
    """One outside value that a function's code loads.

    Attributes:
        name: What the code calls it.
        value: What it is.
        line: Where it is first loaded.
        in_cell: Whether it lies in a closure cell, and not among the globals.
        attributes: For a module of ours or of a user, what is loaded from it, by name.
    """

    name: str
    value: Any
    line: int
    in_cell: bool
    attributes: dict[str, "Reached"]


class Load(NamedTuple):
    """A name that code loads, with the attributes that it takes of it at once, and the line."""

    name: str
    attributes: tuple[str, ...]
    line: int


def is_foreign(module_name: object) -> bool:
    """Whether Numba itself knows what lives in this module."""
    return isinstance(module_name, str) and module_name.split(".")[0] in FOREIGN_MODULES


def is_own_module(value: Any) -> bool:
    """Whether a value is a module whose functions are compiled like any other."""
    return isinstance(value, ModuleType) and not is_foreign(value.__name__)


def is_own_function(value: Any) -> bool:
    """Whether a value is a plain function that is not NumPy's."""
    return isinstance(value, FunctionType) and not is_foreign(value.__globals__.get("__name__"))


def code_objects(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all that are nested in it (lambdas, comprehensions)."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_objects(constant)


def reached(function: FunctionType) -> list[Reached]:
    """List what `function` loads from outside, each name once.

    Raises:
        RefusedError: If a closure cell is empty, or a module is used other than for what is in it.
    """
    found: dict[tuple[bool, str], Reached] = {}
    cells = _cells(function)
    for code in code_objects(function.__code__):
        for load in loads(code):
            in_cell = load.name in cells and load.name in code.co_freevars
            if not in_cell and load.name not in function.__globals__:
                continue  # a local cell or a builtin; or nowhere, which is Numba's to report
            value = cells[load.name] if in_cell else function.__globals__[load.name]
            entry = Reached(load.name, value, load.line, in_cell, {})
            _follow(function, load, found.setdefault((in_cell, load.name), entry))
    for name, value in cells.items():
        unused = Reached(name, value, function.__code__.co_firstlineno, True, {})
        found.setdefault((True, name), unused)
    return list(found.values())


def _cells(function: FunctionType) -> dict[str, Any]:
    cells = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            cells[name] = cell.cell_contents
        except ValueError:
            line = function.__code__.co_firstlineno
            cause = f"the variable {name} of the enclosing function has no value yet"
            raise RefusedError(function, line, cause, "give it one before the function is composed") from None
    return cells


def _follow(function: FunctionType, load: Load, entry: Reached) -> None:
    """Note what is loaded from a module, and from the modules in it."""
    path = entry.name
    for attribute in load.attributes:
        if not is_own_module(entry.value):
            return
        if not hasattr(entry.value, attribute):
            cause = f"the module {entry.value.__name__} has no {attribute}"
            raise RefusedError(function, load.line, cause, "check the spelling, and what the module defines")
        value = getattr(entry.value, attribute)
        entry = entry.attributes.setdefault(attribute, Reached(attribute, value, load.line, False, {}))
        path = f"{path}.{attribute}"
    if is_own_module(entry.value):
        cause = f"it uses the module {path} other than for something in it"
        raise RefusedError(function, load.line, cause, f"call its functions as {path}.function(...)")


@cache
def loads(code: CodeType) -> tuple[Load, ...]:
    """List the names that a code object loads from outside its own variables."""
    found = []
    line = code.co_firstlineno
    instructions = [item for item in dis.get_instructions(code) if item.opname != "EXTENDED_ARG"]
    for position, instruction in enumerate(instructions):
        line = instruction.positions.lineno if instruction.positions else line
        if instruction.opname in LOADS:
            attributes = []
            for following in instructions[position + 1 :]:
                if following.opname not in ATTRIBUTE_LOADS:
                    break
                attributes.append(following.argval)
            found.append(Load(instruction.argval, tuple(attributes), line or code.co_firstlineno))
    return tuple(found)
