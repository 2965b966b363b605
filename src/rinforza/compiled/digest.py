"""A digest of a function and of everything its compiled form depends on.

Numba's own cache key does not see an edit to a callee or a constant in another file. Ours does: it is a
SHA-256 over the bytecode of the function and of all it reaches, the constants, the record layouts, the
signature, and the identity of the toolchain and the CPU. A value whose content cannot be digested is
refused, since a guess would one day run stale code.
"""

import dis
import hashlib
import os
import sys
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .reach import code_objects, is_foreign, reached

LARGEST_EMBEDDED_ARRAY = 1 << 16  # bytes; a larger table belongs in the component's record


def function_digest(function: FunctionType, signature: str, options: str) -> str:
    """Return 64 hex digits that change whenever the machine code of `function` could change."""
    digest = hashlib.sha256()
    for part in (toolchain(), signature, options):
        _add(digest, part.encode())
    _add_function(digest, function, [])
    return digest.hexdigest()


@cache
def toolchain() -> str:
    """Name everything outside the user's code that decides the machine code."""
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
        os.environ.get("NUMBA_BOUNDSCHECK", ""),
        os.environ.get("NUMBA_OPT", ""),
        own_code.hexdigest(),
    )
    return "\n".join(parts)


def _add(digest: Any, payload: bytes) -> None:
    digest.update(len(payload).to_bytes(8, "little"))
    digest.update(payload)


def _add_function(digest: Any, function: FunctionType, open_functions: list[FunctionType]) -> None:
    if function in open_functions:  # recursion: name the function by its place on the stack
        _add(digest, f"recursion {open_functions.index(function)}".encode())
        return
    open_functions = [*open_functions, function]
    for code in code_objects(function.__code__):
        _add_code(digest, code)
    _add_value(digest, function.__defaults__, function, "a default", open_functions)
    for entry in reached(function):
        _add(digest, entry.name.encode())
        if entry.attributes:
            for name in sorted(entry.attributes):
                _add(digest, name.encode())
                _add_value(digest, entry.attributes[name], function, name, open_functions)
        else:
            _add_value(digest, entry.value, function, entry.name, open_functions)


def _add_code(digest: Any, code: CodeType) -> None:
    _add(digest, code.co_code)
    layout = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    shape = (code.co_argcount, code.co_kwonlyargcount, code.co_flags)
    _add(digest, repr((layout, shape, code.co_exceptiontable)).encode())
    for constant in code.co_consts:
        if not isinstance(constant, CodeType):  # nested code is walked by the caller
            _add(digest, f"{type(constant).__name__} {_stable_repr(constant)}".encode())
    if _raises(code):  # an error names its line, so the line is content
        _add(digest, f"{code.co_firstlineno} {code.co_linetable!r}".encode())


def _raises(code: CodeType) -> bool:
    return any(instruction.opname == "RAISE_VARARGS" for instruction in dis.get_instructions(code))


def _stable_repr(constant: Any) -> str:
    if isinstance(constant, frozenset):
        return repr(sorted(map(repr, constant)))
    return repr(constant)


def _add_value(
    digest: Any, value: Any, function: FunctionType, name: str, open_functions: list[FunctionType]
) -> None:
    kind = type(value).__name__
    if isinstance(value, FunctionType):
        _add(digest, b"function")
        _add_function(digest, value, open_functions)
    elif hasattr(value, "digest_text"):  # prototypes and primitives of this room
        _add(digest, value.digest_text().encode())
    elif isinstance(value, tuple):
        _add(digest, f"{kind} {len(value)}".encode())
        for item in value:
            _add_value(digest, item, function, name, open_functions)
    elif isinstance(value, np.dtype):
        _add(digest, f"dtype {layout_text(value)}".encode())
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        _refuse_large(value, function, name)
        _add(digest, f"array {layout_text(value.dtype)} {value.shape}".encode())
        _add(digest, np.ascontiguousarray(value).tobytes())
    elif value is None or isinstance(value, bool | int | float | complex | str | np.generic):
        _add(digest, f"{kind} {value!r}".encode())
    elif isinstance(value, ModuleType) and is_foreign(value.__name__):
        _add(digest, f"module {value.__name__}".encode())
    elif is_foreign(getattr(value, "__module__", None)) or isinstance(value, BuiltinFunctionType | np.ufunc):
        _add(digest, f"{kind} {getattr(value, '__module__', '')} {value.__name__}".encode())
    else:
        raise TypeError(
            f"{function.__qualname__} uses {name}, a {kind}, which compiled code cannot hold; expected a "
            "number, a tuple of numbers, a small NumPy array, a dtype or a plain function. Put what varies "
            "into the component's record, and what is fixed into module constants"
        )


def _refuse_large(value: np.ndarray, function: FunctionType, name: str) -> None:
    if value.nbytes > LARGEST_EMBEDDED_ARRAY:
        raise ValueError(
            f"{function.__qualname__} embeds the array {name} of {value.nbytes} bytes, more than the "
            f"{LARGEST_EMBEDDED_ARRAY} that a compiled function may carry; make it a field of the record"
        )


def layout_text(dtype: np.dtype) -> str:
    """Describe a dtype with names, offsets and sizes (its repr leaves some of these out)."""
    if dtype.names is None:
        base, shape = (dtype.base, dtype.shape) if dtype.shape else (dtype, ())
        return f"{layout_text(base)}{shape}" if shape else f"{dtype.str}"
    assert dtype.fields is not None
    fields = (f"{name}@{dtype.fields[name][1]}:{layout_text(dtype.fields[name][0])}" for name in dtype.names)
    return f"{{{','.join(fields)};{dtype.itemsize}}}"
