"""One message for a function that cannot be compiled: what is wrong, on which line, and how to mend it.

The reader is somebody who wrote a game and has never heard of Numba. `RefusedError` is what our own checks
raise; `explain` turns it, or whatever Numba raised, into the message. The causes and mends are in `causes`.
"""

import dis
import linecache
import os
import re
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from .causes import Advice, advice_on

PLACE = re.compile(r'(?:File "(?P<file>[^"\n]+)", line (?P<line>\d+)|(?P<path>\S+) \((?P<number>\d+)\))')


class Place(NamedTuple):
    """A line of a function."""

    function: Any  # a FunctionType
    line: int


class RefusedError(Exception):
    """A function that one of our own checks turns down.

    Args:
        function: The function.
        line: The line of its file that is at fault.
        cause: What is wrong.
        mend: What usually helps.
        kind: The class of the error that the user sees.
    """

    def __init__(
        self,
        function: FunctionType,
        line: int,
        cause: str,
        mend: str,
        kind: type[Exception] = TypeError,
    ):
        super().__init__(cause)
        self.place = Place(function, line)
        self.advice = Advice(cause, mend)
        self.kind = kind


def explain(error: Exception, functions: Iterable[FunctionType], label: str) -> Exception:
    """Turn an error of the compilation into the one that the user sees.

    Args:
        error: A `RefusedError`, or what Numba raised.
        functions: The function and all that it calls, the outermost first.
        label: How messages name the function, such as `"Connect4.step"`.
    """
    if isinstance(error, RefusedError):
        return error.kind(_message(label, error.advice, [error.place]))
    functions = list(functions)
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    advice = advice_on(error, text)
    places = [
        *_places_in(text, functions),
        *_places_in_traceback(error, functions),
        *_places_of_name(advice.name, functions),
        Place(functions[0], functions[0].__code__.co_firstlineno),
    ]
    return TypeError(_message(label, advice, _callers_of(places)))


def _message(label: str, advice: Advice, places: list[Place]) -> str:
    lines = [f"{label} does not compile: {advice.cause}"]
    for number, (function, line) in enumerate(places):
        file = os.path.abspath(function.__code__.co_filename)
        called = "called from " if number else ""
        lines.append(f'  {called}File "{file}", line {line}, in {function.__name__}')
        source = linecache.getline(file, line).strip()
        lines += [f"    {source}"] if source else []
    return "\n".join([*lines, f"  Usual mend: {advice.mend}"] if advice.mend else lines)


def _callers_of(places: list[Place]) -> list[Place]:
    """Keep the innermost place, and one for each function that called it."""
    kept: dict[FunctionType, Place] = {}
    for place in places:
        kept.setdefault(place.function, place)
    found = list(kept.values())
    is_default = len(found) > 1 and found[-1] is places[-1]
    return found[:-1] if is_default else found


def _places_in(text: str, functions: list[FunctionType]) -> Iterator[Place]:
    """Find the places that Numba's text names, the innermost first."""
    for match in PLACE.finditer(text):
        file, line = match["file"] or match["path"], int(match["line"] or match["number"])
        yield from _place_at(file, line, functions)


def _places_in_traceback(error: BaseException, functions: list[FunctionType]) -> list[Place]:
    """Find the places that Numba was at, which it keeps in `loc` of what it worked on."""
    places: list[Place] = []
    trace = error.__traceback__
    while trace is not None:
        for worker in trace.tb_frame.f_locals.values():
            location: Any = vars(worker).get("loc") if hasattr(worker, "__dict__") else None
            if hasattr(location, "filename"):
                places[:0] = _place_at(location.filename, location.line, functions)
        trace = trace.tb_next
    return places


def _place_at(file: str, line: int, functions: list[FunctionType]) -> Iterator[Place]:
    for function in functions:
        same_file = os.path.basename(function.__code__.co_filename) == os.path.basename(file)
        if same_file and line in _lines_of(function.__code__):
            yield Place(function, line)
            return


def _lines_of(code: CodeType) -> set[int]:
    lines = {line for _, _, line in code.co_lines() if line}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            lines |= _lines_of(constant)
    return lines - {code.co_firstlineno}


def _places_of_name(name: str, functions: list[FunctionType]) -> Iterator[Place]:
    """Find where the code mentions a name or an attribute, or has an instruction of that name."""
    for function in functions:
        for instruction in dis.get_instructions(function.__code__) if name else ():
            named = name in (instruction.argval, instruction.opname)
            if named and instruction.positions and instruction.positions.lineno:
                yield Place(function, instruction.positions.lineno)
