"""What Python calls: machine code that takes a function's words as Python's numbers.

The words are those of a call by address (`prototype`): a record is its address, an array its address and its
dimensions; only a dict of pairs is read here, to the stack. So the same few lines serve every function, and none
of Numba's own reading of arguments is compiled. The form is METH_FASTCALL (the C API of Python, "Common Object
Structures"), which makes no tuple.
"""

# pyright: reportMissingTypeStubs=false, reportGeneralTypeIssues=false
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from .lowering import POINTER, WORD, argument_values, machine_types
from .prototype import FLOAT, MOST_PAIRS, Pairs, Prototype, Scalar

BOARD = Scalar(np.uint64)


def wrapper_module(context: Any, function_name: str, prototype: Prototype, name: str) -> Any:
    """Return the module of the wrapper.

    Args:
        context: Numba's target.
        function_name: The function's name in its module.
        prototype: The kinds of its arguments.
        name: The wrapper's name.
    """
    module = context.create_module(name)
    function_type = ir.FunctionType(POINTER, [POINTER, POINTER.as_pointer(), WORD])
    wrapper = ir.Function(module, function_type, name)
    builder = ir.IRBuilder(wrapper.append_basic_block("entry"))
    api = context.get_python_api(builder)
    _, arguments, count = wrapper.args
    kinds = prototype.passed_kinds
    with cgutils.if_unlikely(builder, builder.icmp_signed("!=", count, WORD(len(kinds)))):
        api.err_set_string("PyExc_TypeError", f"{prototype.name} takes {len(kinds)} arguments")
        builder.ret(api.get_null_object())
    words: list[Any] = []
    for index, kind in enumerate(kinds):
        argument = builder.load(builder.gep(arguments, [WORD(index)]))
        if isinstance(kind, Pairs):
            words += _pairs(api, builder, argument)
        else:
            words.append(_number(api, builder, argument, kind))
    thread = None if prototype.holds_gil else api.save_thread()
    result, types = machine_types(prototype)
    callee = ir.Function(module, context.call_conv.get_function_type(result, types), function_name)
    values = argument_values(context, builder, prototype, words)
    status, value = context.call_conv.call_function(
        builder, callee, result, types, values, attrs=("noinline",)
    )
    if thread is not None:
        api.restore_thread(thread)
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.raise_error(builder, api, status)
        builder.ret(api.get_null_object())
    builder.ret(_boxed(api, prototype.result, value))
    return module


def _number(api: Any, builder: Any, argument: Any, kind: Scalar) -> Any:
    """Read a number; return from the wrapper with Python's own error where it is none."""
    read = {FLOAT: api.float_as_double, BOARD: api.long_as_ulonglong}.get(kind, api.long_as_longlong)
    word = read(argument)
    if kind == FLOAT:
        may_have_failed = builder.fcmp_ordered("==", word, word.type(-1.0))
    else:
        may_have_failed = builder.icmp_signed("==", word, word.type(-1))
    with cgutils.if_unlikely(builder, may_have_failed):
        with builder.if_then(cgutils.is_not_null(builder, api.err_occurred())):
            builder.ret(api.get_null_object())
    return word


def _pairs(api: Any, builder: Any, argument: Any) -> list:
    """Copy the items of a dict to the stack; return the words of their array."""
    items = cgutils.alloca_once(builder, WORD, size=2 * MOST_PAIRS)
    count = cgutils.alloca_once_value(builder, WORD(0))
    position = cgutils.alloca_once_value(builder, WORD(0))
    key, value = cgutils.alloca_once(builder, POINTER), cgutils.alloca_once(builder, POINTER)
    next_type = ir.FunctionType(ir.IntType(32), [POINTER, *(place.type for place in (position, key, value))])
    next_item = cgutils.get_or_insert_function(builder.module, next_type, "PyDict_Next")
    integer_type = builder.bitcast(_exported(builder.module, "PyLong_Type"), POINTER)
    look, read, keep, refuse, done = (
        builder.append_basic_block(f"pairs.{name}") for name in ("look", "read", "keep", "refuse", "done")
    )
    builder.branch(look)

    builder.position_at_end(look)  # where it is no dict, there is no item
    found = builder.call(next_item, [argument, position, key, value])
    builder.cbranch(cgutils.is_null(builder, found), done, read)

    builder.position_at_end(read)
    pair = [builder.load(key), builder.load(value)]
    place = builder.load(count)
    fits = builder.icmp_unsigned("<", place, WORD(MOST_PAIRS))
    for number in pair:
        fits = builder.and_(fits, builder.icmp_unsigned("==", api.get_type(number), integer_type))
    builder.cbranch(fits, keep, refuse)

    builder.position_at_end(keep)
    for side, number in enumerate(pair):
        index = builder.add(builder.mul(place, WORD(2)), WORD(side))
        builder.store(api.long_as_longlong(number), builder.gep(items, [index]))
    builder.store(builder.add(place, WORD(1)), count)
    builder.cbranch(cgutils.is_not_null(builder, api.err_occurred()), refuse, look)

    builder.position_at_end(refuse)
    api.err_clear()
    builder.store(WORD(0), count)
    builder.branch(done)

    builder.position_at_end(done)
    return [builder.ptrtoint(items, WORD), builder.load(count), WORD(2)]


def _exported(module: Any, name: str) -> Any:
    """Return the address of a variable of the interpreter."""
    return module.globals.get(name) or ir.GlobalVariable(module, ir.IntType(8), name)


def _boxed(api: Any, result: Scalar | None, value: Any) -> Any:
    if result is None:
        return api.make_none()
    box = {FLOAT: api.float_from_double, BOARD: api.long_from_ulonglong}.get(result, api.long_from_longlong)
    return box(value)
