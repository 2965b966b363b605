"""What a function reaches: the globals, closure cells and module attributes its code can load.

Two readers need the same answer: `digest` (what must change the cache key) and `link` (what must be
replaced by something that Numba can call), so it is found in one place.
"""

import dis
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple


class Reached(NamedTuple):
    """One outside value that a function's code loads.

    `attributes` holds, for a module of ours or of a user, the values loaded from it by name.
    """

    name: str
    value: Any
    attributes: dict[str, Any]


FOREIGN_MODULES = ("numpy", "math", "builtins")


def is_foreign(module_name: str | None) -> bool:
    """Whether Numba itself knows what lives in this module."""
    return (module_name or "").split(".")[0] in FOREIGN_MODULES


def code_objects(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all that are nested in it (lambdas, comprehensions)."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_objects(constant)


def reached(function: FunctionType) -> list[Reached]:
    """List what `function` loads from outside, closure cells first, each name once."""
    found: dict[str, Reached] = {}
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        found[name] = Reached(name, cell.cell_contents, {})
    for code in code_objects(function.__code__):
        _globals_of(code, function, found)
    return list(found.values())


def _globals_of(code: CodeType, function: FunctionType, found: dict[str, Reached]) -> None:
    instructions = list(dis.get_instructions(code))
    for position, instruction in enumerate(instructions):
        name = instruction.argval
        if instruction.opname not in ("LOAD_GLOBAL", "LOAD_NAME") or name not in function.__globals__:
            continue  # a name that is nowhere is a builtin or Numba's to report
        value = function.__globals__[name]
        entry = found.setdefault(name, Reached(name, value, {}))
        if isinstance(value, ModuleType) and not is_foreign(value.__name__):
            attribute = _attribute_after(instructions, position)
            if attribute is None or not hasattr(value, attribute):
                raise TypeError(
                    f"{function.__qualname__} uses the module {value.__name__!r} in a way that cannot be "
                    f"compiled; call its functions as {name}.function(...) or import them by name"
                )
            entry.attributes[attribute] = getattr(value, attribute)


def _attribute_after(instructions: list[dis.Instruction], position: int) -> str | None:
    if position + 1 == len(instructions):
        return None
    following = instructions[position + 1]
    return following.argval if following.opname in ("LOAD_ATTR", "LOAD_METHOD") else None
