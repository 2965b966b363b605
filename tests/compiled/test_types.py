"""The types that Numba infers in the parts that work on unsigned boards: no float, no mix of signs."""

import operator

import numpy as np
import pytest
from numba import types

from rinforza.compiled import INT, Prototype, RecordOf, Scalar, bits, plain_python, random
from rinforza.compiled.digest import Digester
from rinforza.compiled.link import Linker
from rinforza.compiled.lowering import signature_of
from rinforza.compiled.random import STREAM
from rinforza.contracts.rules import ENCODER_METHODS, GAME_METHODS
from rinforza.games import Chess, Connect4, Othello

pytestmark = pytest.mark.skipif(plain_python(), reason="without the JIT no types are inferred")

WORD = Scalar(np.uint64)


def game_methods(game):
    """List the compiled methods that a game and its encoder define, with prototype and layouts."""
    layouts = {"state": game.state_dtype, "game": game.record.dtype, "stream": STREAM}
    for component, prototypes in ((game, GAME_METHODS), (game.encoder, ENCODER_METHODS)):
        for prototype in prototypes:
            function = vars(type(component)).get(prototype.name)
            if function is not None:
                yield function, prototype, {**layouts, "self": component.record.dtype}


def library_functions():
    stream = {"stream": STREAM}
    yield random.next_word, Prototype("next_word", WORD, RecordOf("stream")), stream
    yield random.derive_key, Prototype("derive_key", WORD, WORD, WORD, WORD), {}
    yield bits.bit, Prototype("bit", WORD, INT), {}
    yield bits.count_bits, Prototype("count_bits", INT, WORD), {}
    yield bits.lowest_bit, Prototype("lowest_bit", INT, WORD), {}
    yield bits.is_set, Prototype("is_set", INT, WORD, INT), {}


def compiled_types(function, prototype, layouts):
    """Compile a function anew and yield what Numba knows of it and of all that it calls."""
    linker = Linker(Digester())
    linker.link(function).compile(signature_of(prototype, layouts))
    for one, dispatcher in linker.functions.items():
        for overload in dispatcher.overloads.values():
            yield one, overload.type_annotation


def mixed_operations(annotation):
    """Yield the operations of an unsigned 64-bit integer with a signed integer, or with a float."""
    for expression, signature in annotation.calltypes.items():
        if getattr(expression, "op", "") in ("binop", "inplace_binop") and signature is not None:
            kinds = signature.args[:2]
            if types.uint64 in kinds and expression.fn is not operator.pow:
                other = kinds[1] if kinds[0] == types.uint64 else kinds[0]
                if other != types.uint64:
                    yield expression, kinds


def check_no_mix(function, prototype, layouts):
    for one, annotation in compiled_types(function, prototype, layouts):
        found = [f"line {expression.loc.line}: {kinds}" for expression, kinds in mixed_operations(annotation)]
        assert not found, one.__qualname__


@pytest.mark.parametrize("game", [Connect4, Othello, pytest.param(Chess, marks=pytest.mark.slow)])
def test_no_operation_of_a_game_mixes_a_board_with_anything_else(game):
    for part in game_methods(game()):
        check_no_mix(*part)


@pytest.mark.parametrize("part", [*library_functions()], ids=lambda part: part[1].name)
def test_no_operation_of_the_library_mixes_an_unsigned_word_with_anything_else(part):
    check_no_mix(*part)


BOARDS = {
    Connect4: ("has_four", {"board": types.uint64, "pairs": types.uint64, "direction": types.uint64}),
}


@pytest.mark.parametrize("game", BOARDS)
def test_boards_stay_boards(game):
    name, expected = BOARDS[game]
    (step,) = (part for part in game_methods(game()) if part[1].name == "step")
    inferred = {one.__name__: annotation.typemap for one, annotation in compiled_types(*step)}
    assert {variable: inferred[name][variable] for variable in expected} == expected


def test_the_lint_sees_a_mix():
    def mixes(board):
        return np.int64(board + 1)

    ((_, annotation),) = compiled_types(mixes, Prototype("mixes", INT, WORD), {})
    ((_, kinds),) = mixed_operations(annotation)
    assert kinds[0] == types.uint64
