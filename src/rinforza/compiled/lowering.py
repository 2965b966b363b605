"""The Numba intrinsics behind `Prototype` and the primitives of `memory`.

This is the one file that touches Numba's lowering interface (`call_conv`, array structs). It is loaded when
something is first compiled.
"""

# pyright: reportMissingTypeStubs=false, reportGeneralTypeIssues=false
import keyword
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from .prototype import NO_FUNCTION, SMALLEST_ADDRESS, ArrayOf, Kind, Prototype, RecordOf, Scalar

POINTER = ir.IntType(8).as_pointer()
WORD = ir.IntType(64)


def kind_type(kind: Kind, layouts: dict[str, np.dtype] | None = None) -> Any:
    """Return the Numba type that the callee sees; without layouts, one of the same machine form."""
    if isinstance(kind, Scalar):
        return from_dtype(np.dtype(kind.dtype))
    if isinstance(kind, ArrayOf):
        return types.Array(from_dtype(np.dtype(kind.dtype)), kind.ndim, "C")
    return types.voidptr if layouts is None else from_dtype(layouts[kind.layout])


def signature_of(prototype: Prototype, layouts: dict[str, np.dtype]) -> Any:
    """Return the Numba signature of a function that callers reach through `prototype`."""
    result = types.void if prototype.result is None else kind_type(prototype.result)
    return result(*(kind_type(kind, layouts) for kind in prototype.kinds))


def machine_types(prototype: Prototype) -> tuple[Any, tuple]:
    """Return the types of the result and of the arguments, for calls that do not know the layouts."""
    result = types.void if prototype.result is None else kind_type(prototype.result)
    return result, tuple(kind_type(kind) for kind in prototype.kinds)


def call_intrinsic(prototype: Prototype) -> Any:
    """Build `call(address, *words)` for a prototype."""
    result, callee_types = machine_types(prototype)
    word_types = [kind_type(kind) for kind in prototype.word_kinds]

    no_function = NO_FUNCTION.format(name=prototype.name)

    def generate(context, builder, signature, arguments):
        function_type = context.call_conv.get_function_type(result, callee_types)
        with cgutils.if_unlikely(builder, _is_no_address(builder, arguments[0])):
            context.call_conv.return_user_exc(builder, RuntimeError, (no_function,))
        callee = builder.inttoptr(arguments[0], function_type.as_pointer())
        values = argument_values(context, builder, prototype, arguments[1:])
        status, value = context.call_conv.call_function(builder, callee, result, callee_types, values)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return value

    signature = result(types.int64, *word_types)
    return intrinsic(_typer(prototype.name, len(word_types), (signature, generate)))


def _typer(name: str, count: int, typed: tuple) -> Any:
    """Return what `intrinsic` takes: a function that is named, since messages show it, with `count` words."""
    words = "".join(f", word{index + 1}" for index in range(count))
    namespace: dict[str, Any] = {"typed": typed}
    name = name if name.isidentifier() and not keyword.iskeyword(name) else "prototype"
    exec(f"def {name}(typing_context, address{words}):\n    return typed", namespace)  # our own text
    return namespace[name]


def _is_no_address(builder, address):
    """Whether it is zero or a handle of the lane without the JIT: to jump there would end the process."""
    return builder.icmp_unsigned("<", address, ir.Constant(WORD, SMALLEST_ADDRESS))


def argument_values(context, builder, prototype: Prototype, words) -> list:
    """Return the values that a function takes, from the words that its callers pass."""
    words = list(words)
    return [_callee_value(context, builder, kind, words) for kind in prototype.kinds]


def _callee_value(context, builder, kind: Kind, words: list) -> Any:
    if isinstance(kind, Scalar):
        return words.pop(0)
    if isinstance(kind, RecordOf):
        return builder.inttoptr(words.pop(0), POINTER)
    address = words.pop(0)
    dimensions = [words.pop(0) for _ in range(kind.ndim)]
    return _array_value(context, builder, kind_type(kind), address, dimensions)


def _array_value(context, builder, array_type, address, dimensions) -> Any:
    """Make an array struct over foreign memory: no owner, so no reference is counted."""
    array = make_array(array_type)(context, builder)
    itemsize = context.get_abi_sizeof(context.get_data_type(array_type.dtype))
    stride = context.get_constant(types.intp, itemsize)
    strides = []
    for dimension in reversed(dimensions):
        strides.insert(0, stride)
        stride = builder.mul(stride, dimension)
    populate_array(
        array,
        data=builder.inttoptr(address, array.data.type),
        shape=dimensions,
        strides=strides,
        itemsize=context.get_constant(types.intp, itemsize),
        meminfo=None,
    )
    return array._getvalue()


@intrinsic
def record_at(typing_context, address, dtype):
    record = dtype.dtype

    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(record))

    return record(types.int64, dtype), generate


@intrinsic
def array_at(typing_context, address, shape, dtype):
    ndim = len(shape) if isinstance(shape, types.BaseTuple) else 1
    array_type = types.Array(dtype.dtype, ndim, "C")
    shape_type = types.UniTuple(types.int64, ndim) if isinstance(shape, types.BaseTuple) else types.int64

    def generate(context, builder, signature, arguments):
        packed = arguments[1]
        dimensions = (
            cgutils.unpack_tuple(builder, packed) if signature.args[1] is not types.int64 else [packed]
        )
        return _array_value(context, builder, array_type, arguments[0], list(dimensions))

    return array_type(types.int64, shape_type, dtype), generate


@intrinsic
def address_of(typing_context, array):
    def generate(context, builder, signature, arguments):
        if isinstance(signature.args[0], types.Record):
            return builder.ptrtoint(arguments[0], WORD)
        struct = make_array(signature.args[0])(context, builder, arguments[0])
        return builder.ptrtoint(struct.data, WORD)

    return types.int64(array), generate


@intrinsic
def copy_bytes(typing_context, destination, source, size):
    def generate(context, builder, signature, arguments):
        to, source_pointer = (builder.inttoptr(word, POINTER) for word in arguments[:2])
        cgutils.raw_memcpy(builder, to, source_pointer, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def clear_bytes(typing_context, destination, size):
    def generate(context, builder, signature, arguments):
        cgutils.memset(builder, builder.inttoptr(arguments[0], POINTER), arguments[1], 0)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


def _word_pointer(builder, address):
    return builder.inttoptr(address, WORD.as_pointer())


@intrinsic
def atomic_add(typing_context, address, amount):
    def generate(context, builder, signature, arguments):
        return builder.atomic_rmw("add", _word_pointer(builder, arguments[0]), arguments[1], "seq_cst")

    return types.int64(types.int64, types.int64), generate


@intrinsic
def atomic_load(typing_context, address):
    def generate(context, builder, signature, arguments):
        return builder.load_atomic(_word_pointer(builder, arguments[0]), "seq_cst", 8)

    return types.int64(types.int64), generate


@intrinsic
def atomic_store(typing_context, address, value):
    def generate(context, builder, signature, arguments):
        builder.store_atomic(arguments[1], _word_pointer(builder, arguments[0]), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def atomic_swap(typing_context, address, expected, value):
    def generate(context, builder, signature, arguments):
        pointer = _word_pointer(builder, arguments[0])
        outcome = builder.cmpxchg(pointer, arguments[1], arguments[2], "seq_cst")
        return builder.zext(builder.extract_value(outcome, 1), context.get_value_type(types.boolean))

    return types.boolean(types.int64, types.int64, types.int64), generate


@intrinsic
def prefetch(typing_context, address):
    def generate(context, builder, signature, arguments):
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [POINTER, number, number, number])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch")
        words = (number(0), number(3), number(1))  # to read, to all levels, data
        builder.call(fetch, [builder.inttoptr(arguments[0], POINTER), *words])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@intrinsic
def spin_pause(typing_context):
    def generate(context, builder, signature, arguments):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate
