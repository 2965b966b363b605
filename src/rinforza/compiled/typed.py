"""Checks of the types that Numba inferred, for faults that compile and go wrong when they run."""

# pyright: reportMissingTypeStubs=false, reportGeneralTypeIssues=false
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from .causes import UNSIGNED
from .explain import RefusedError


def check_types(functions: dict[FunctionType, Any], outermost: FunctionType) -> None:
    """Refuse what Numba accepts and should not.

    Args:
        functions: The plain functions that were compiled, each with its Numba dispatcher.
        outermost: The one that is called by address, whose result has a declared type.

    Raises:
        RefusedError: If a variable, or the result of a function, is uint64 and float64 in turn (Numba's common
            type of uint64 and int64), or the outermost function returns a float where an integer is declared, or a
            function is chosen at run time (Numba would keep its address, which holds in this process only), or a
            function in a circle is called for another type than it returns (Numba typed the call before all its
            paths).
    """
    for function, dispatcher in functions.items():
        for overload in dispatcher.overloads.values():
            _check_boards(function, overload.type_annotation)
            _check_choice(function, overload.type_annotation)
            _check_circle(function, overload.type_annotation)
            if function is outermost:
                _check_result(function, overload)
            else:
                _check_returned_boards(function, overload.type_annotation)


def _check_boards(function: FunctionType, annotation: Any) -> None:
    from numba.core import ir

    for statement in _assignments(annotation):
        if isinstance(statement.value, ir.Var):
            _check_board(
                function, annotation, statement, statement.value, statement.target.name.split(".")[0]
            )


def _check_returned_boards(function: FunctionType, annotation: Any) -> None:
    for statement, value in _returned(annotation):
        _check_board(function, annotation, statement, value, f"the result of {function.__name__}")


def _check_board(function: FunctionType, annotation: Any, statement: Any, value: Any, name: str) -> None:
    from numba import types

    target = annotation.typemap.get(statement.target.name)
    if annotation.typemap.get(value.name) == types.uint64 and isinstance(target, types.Float):
        cause = f"{name} is uint64 on one path and float64 on another, so it loses its low bits"
        raise RefusedError(function, statement.loc.line, cause, UNSIGNED)


def _check_choice(function: FunctionType, annotation: Any) -> None:
    from numba import types

    for statement in _assignments(annotation):
        if isinstance(annotation.typemap.get(statement.target.name), types.FunctionType):
            name = statement.target.name.split(".")[0]
            cause = f"{name} is one function or another, which is known only when it runs"
            mend = "write an if, with a call of each function in its branch"
            raise RefusedError(function, statement.loc.line, cause, mend)


def _check_circle(function: FunctionType, annotation: Any) -> None:
    from numba import types
    from numba.core import ir

    for statement in _assignments(annotation):
        call = statement.value
        if not (isinstance(call, ir.Expr) and call.op == "call"):
            continue
        callee = annotation.typemap.get(call.func.name)
        if isinstance(callee, types.RecursiveCall):
            dispatcher = callee.dispatcher_type.dispatcher
            signature = annotation.calltypes[call]
            assumed = types.unliteral(signature.return_type)
            result = types.unliteral(dispatcher.overloads[signature.args].signature.return_type)
            if result != assumed:
                name = dispatcher.py_func.__name__
                cause = f"{name}, which this calls in a circle, returns {assumed} and {result} in turn"
                mend = "return one type on every path of all of them, such as np.int64(...)"
                raise RefusedError(function, statement.loc.line, cause, mend)


def _check_result(function: FunctionType, overload: Any) -> None:
    from numba import types

    if not isinstance(overload.signature.return_type, types.Integer):
        return
    annotation = overload.type_annotation
    for statement, value in _returned(annotation):
        if isinstance(annotation.typemap.get(value.name), types.Float):
            cause = "it returns a float, where an integer is expected"
            raise RefusedError(function, statement.loc.line, cause, "divide with //, or return np.int64(...)")


def _returned(annotation: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the statement before each return, and the variable of what it returns."""
    from numba.core import ir

    for statement in _assignments(annotation):
        value = statement.value
        if isinstance(value, ir.Expr) and value.op == "cast":  # what Numba puts before every return
            yield statement, value.value


def _assignments(annotation: Any) -> Iterator[Any]:
    from numba.core import ir

    for block in annotation.blocks.values():
        yield from block.find_insts(ir.Assign)
