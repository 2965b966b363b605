"""A digest of a function and of everything its compiled form depends on.

Numba's own cache key does not see an edit to a callee or a constant in another file. Ours does: it is a
SHA-256 over the bytecode of the function and of all it reaches, the constants, the record layouts, the
signature, and the identity of the toolchain and the CPU. A value whose content cannot be digested is
refused, since a guess would one day run stale code.
"""

import dis
import hashlib
import sys
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .explain import RefusedError
from .memory import Primitive
from .prototype import Prototype, layout_text
from .reach import Reached, code_objects, is_foreign, is_own_function, reached

LARGEST_EMBEDDED_ARRAY = 1 << 16  # bytes; a larger table belongs in the component's record

# What of Numba's configuration changes machine code.
SETTINGS = (
    "BOUNDSCHECK",
    "CPU_FEATURES",
    "CPU_NAME",
    "DEBUGINFO_DEFAULT",
    "DEBUG_NRT",
    "DISABLE_INTEL_SVML",
    "ENABLE_AVX",
    "EXTEND_VARIABLE_LIFETIMES",
    "LLVM_REFPRUNE_FLAGS",
    "LLVM_REFPRUNE_PASS",
    "LOOP_VECTORIZE",
    "NRT_STATS",
    "OPT",
    "SLP_VECTORIZE",
)


class Digester:
    """Digests functions, each once; for the length of one compilation, since globals may change after it."""

    def __init__(self):
        self._known: dict[FunctionType, str] = {}
        self._open: list[FunctionType] = []
        self._in_circles: set[FunctionType] = set()  # their text depends on the way that led to them

    def key(self, function: FunctionType, signature: str) -> str:
        """Return 64 hex digits that change whenever the machine code of `function` could change.

        Raises:
            RefusedError: If the function reaches something that cannot be digested.
        """
        digest = hashlib.sha256()
        for part in (toolchain(), settings(), signature, self._content(function)):
            _add(digest, part)
        return digest.hexdigest()

    def _content(self, function: FunctionType) -> str:
        if function in self._known:
            return self._known[function]
        self._open.append(function)
        content = self._content_of(function)
        self._open.pop()
        if function not in self._in_circles:
            self._known[function] = content
        return content

    def _content_of(self, function: FunctionType) -> str:
        digest = hashlib.sha256()
        for code in code_objects(function.__code__):
            _add_code(digest, code)
        self._add_value(digest, function.__defaults__, function, "a default")
        for entry in reached(function):
            self._add_entry(digest, entry, function)
        return digest.hexdigest()

    def _add_entry(self, digest: Any, entry: Reached, function: FunctionType) -> None:
        _add(digest, f"{entry.name} {len(entry.attributes)}")
        for name in sorted(entry.attributes):
            self._add_entry(digest, entry.attributes[name], function)
        if not entry.attributes:
            self._add_value(digest, entry.value, function, entry.name, entry.line)

    def _add_value(
        self, digest: Any, value: Any, function: FunctionType, name: str, line: int | None = None
    ) -> None:
        line = line or function.__code__.co_firstlineno
        if isinstance(value, tuple):
            fields = getattr(value, "_fields", "")
            _add(digest, f"{type(value).__name__} {len(value)} {fields}")
            for item in value:
                self._add_value(digest, item, function, name, line)
        elif is_own_function(value):
            _add(digest, self._callee(value))
        else:
            _refuse_large(value, function, name, line)
            text = _text(value)
            if text is None:
                raise RefusedError(function, line, *_not_held(name, value))
            _add(digest, text)

    def _callee(self, callee: FunctionType) -> str:
        if callee not in self._open:
            return self._content(callee)
        circle = self._open[self._open.index(callee) :]
        if len(circle) > 1:
            self._in_circles.update(circle)
        return f"recursion {len(circle)}"  # the function, by its distance on the way


@cache
def toolchain() -> str:
    """Name the programs that make the machine code."""
    import llvmlite
    import llvmlite.binding as llvm
    import numba

    own_code = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        own_code.update(path.read_bytes())
    parts = (
        sys.version,
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        llvm.get_default_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        own_code.hexdigest(),
    )
    return "\n".join(parts)


def settings() -> str:
    """Name what the user has set for Numba (environment variables, configuration file)."""
    from numba.core import config

    config.reload_config()  # Numba itself does this before it compiles
    return " ".join(f"{name}={getattr(config, name, None)}" for name in SETTINGS)


def _add(digest: Any, payload: str | bytes) -> None:
    content = payload.encode() if isinstance(payload, str) else payload
    digest.update(len(content).to_bytes(8, "little"))
    digest.update(content)


def _add_code(digest: Any, code: CodeType) -> None:
    _add(digest, code.co_code)
    layout = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    shape = (code.co_argcount, code.co_kwonlyargcount, code.co_flags)
    _add(digest, repr((layout, shape, code.co_exceptiontable)))
    for constant in code.co_consts:
        if not isinstance(constant, CodeType):  # nested code is walked by the caller
            _add(digest, f"{type(constant).__name__} {_stable_repr(constant)}")
    if names_a_line(code):
        _add(digest, f"{code.co_filename} {code.co_firstlineno} {code.co_linetable!r}")


@cache
def names_a_line(code: CodeType) -> bool:
    """Whether an error in this code can name its line, which then is part of the machine code.

    That is what the code raises or asserts, and an array that is unpacked into too few or too many names;
    other errors (an index that is out of bounds, a slice of another length) name no line of the user's.
    """
    instructions = (instruction.opname for instruction in dis.get_instructions(code))
    return any(name in ("RAISE_VARARGS", "UNPACK_SEQUENCE", "UNPACK_EX") for name in instructions)


def _stable_repr(constant: Any) -> str:
    if isinstance(constant, frozenset):
        return repr(sorted(map(repr, constant)))
    return repr(constant)


def _text(value: Any) -> str | None:
    """Return a text that says all there is to say of a value, or None where that is not possible."""
    kind = type(value).__name__
    if isinstance(value, Prototype | Primitive):
        return value.digest_text()
    if isinstance(value, np.dtype):
        return f"dtype {layout_text(value)}"
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        content = np.ascontiguousarray(value).tobytes().hex()
        return f"{kind} {layout_text(value.dtype)} {value.shape} {value.strides} {content}"
    plain: Any
    for plain in (int, float, complex, str):  # the base's repr, since a subclass may hide its value
        if isinstance(value, plain):
            return f"{kind} {plain.__repr__(value)}"
    if value is None or (isinstance(value, ModuleType) and is_foreign(value.__name__)):
        return f"{kind} {getattr(value, '__name__', '')}"
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if isinstance(value, BuiltinFunctionType | np.ufunc) or (is_foreign(module) and name):
        return f"{kind} {module} {name}"
    return None


def _not_held(name: str, value: Any) -> tuple[str, str]:
    kind = type(value).__name__
    what = f"the class {name}" if isinstance(value, type) else f"{name}, of type {kind},"
    cause = f"it uses {what} which compiled code cannot hold"
    if hasattr(value, "py_func"):
        return cause, "remove Numba's decorator: a plain function is compiled by itself"
    if isinstance(value, type):
        return cause, "call plain functions on numbers, arrays and records; classes are for Python"
    return cause, (
        "use numbers, tuples of numbers, small NumPy arrays, dtypes and plain functions; what varies belongs "
        "into the component's parameters (then it is self.name), what is fixed into module constants"
    )


def _refuse_large(value: Any, function: FunctionType, name: str, line: int) -> None:
    if isinstance(value, np.ndarray) and value.nbytes > LARGEST_EMBEDDED_ARRAY:
        cause = (
            f"it embeds the array {name} of {value.nbytes} bytes, more than the {LARGEST_EMBEDDED_ARRAY} "
            "that a compiled function may carry"
        )
        raise RefusedError(
            function, line, cause, "make it a table of the component (then it is self.name)", ValueError
        )
