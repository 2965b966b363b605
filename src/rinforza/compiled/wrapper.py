"""What Python calls: machine code that takes a function's words as Python's numbers.

The words are those of a call by address (`prototype`): a record is its address, an array its address and its
dimensions. So the same few lines serve every function, and none of Numba's own reading of arguments is compiled.
The form is METH_FASTCALL (the C API of Python, "Common Object Structures"), which makes no tuple.
"""

# pyright: reportMissingTypeStubs=false, reportGeneralTypeIssues=false
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from .lowering import POINTER, WORD, argument_values, machine_types
from .prototype import FLOAT, Prototype, Scalar

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
    kinds = prototype.word_kinds
    with cgutils.if_unlikely(builder, builder.icmp_signed("!=", count, WORD(len(kinds)))):
        api.err_set_string("PyExc_TypeError", f"{prototype.name} takes {len(kinds)} numbers")
        builder.ret(api.get_null_object())
    words = [_word(api, builder, arguments, index, kind) for index, kind in enumerate(kinds)]
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


def _word(api: Any, builder: Any, arguments: Any, index: int, kind: Scalar) -> Any:
    """Read an argument as a number; return from the wrapper with Python's own error where it is none."""
    read = {FLOAT: api.float_as_double, BOARD: api.long_as_ulonglong}.get(kind, api.long_as_longlong)
    word = read(builder.load(builder.gep(arguments, [WORD(index)])))
    if kind == FLOAT:
        may_have_failed = builder.fcmp_ordered("==", word, word.type(-1.0))
    else:
        may_have_failed = builder.icmp_signed("==", word, word.type(-1))
    with cgutils.if_unlikely(builder, may_have_failed):
        with builder.if_then(cgutils.is_not_null(builder, api.err_occurred())):
            builder.ret(api.get_null_object())
    return word


def _boxed(api: Any, result: Scalar | None, value: Any) -> Any:
    if result is None:
        return api.make_none()
    box = {FLOAT: api.float_from_double, BOARD: api.long_from_ulonglong}.get(result, api.long_from_longlong)
    return box(value)
