"""Callees are typed once for all constants, and translated with their caller only."""

import numba
import numpy as np
import pytest
from numba.core.codegen import JITCodeLibrary
from numba.core.runtime import _nrt_python, rtsys

from rinforza.compiled import FLOAT, INT, Prototype, RecordOf, compile_function, plain_python
from rinforza.compiled.digest import Digester
from rinforza.compiled.link import Linker
from rinforza.compiled.lowering import signature_of

pytestmark = pytest.mark.skipif(plain_python(), reason="without the JIT nothing is compiled")

PLACE = np.dtype([("near", np.int32), ("far", np.int64)])
ON_PLACE = Prototype("on_place", INT, RecordOf("place"))
ON_NUMBER = Prototype("on_number", INT, INT)


def compose(function, prototype=ON_NUMBER):
    return compile_function(function, prototype, {"place": PLACE}, f"Part.{function.__name__}").entry


def place(near, far):
    return np.rec.array(np.array([(near, far)], PLACE))[0]


def difference(left, right):
    return left - right


def differences(place):
    return (
        difference(place.far, place.far + 1)
        + difference(place.far, 5) * 10
        + difference(place.far, 2) * 100
        + difference(3, place.far) * 1000
    )


def test_a_callee_is_typed_once_for_all_constants():
    linker = Linker(Digester())
    linker.link(differences).compile(signature_of(ON_PLACE, {"place": PLACE}))
    assert [str(one) for one in linker.functions[difference].signatures] == [str((numba.int64, numba.int64))]
    assert compose(differences, ON_PLACE)(place(7, 4)) == differences(place(7, 4))


def squares(number):
    return np.full(3, number) * number


def squares_of_narrow(place):
    return squares(place.near)[2]


def test_a_narrow_integer_keeps_its_width():
    there = place(2**17 + 1, 0)
    assert compose(squares_of_narrow, ON_PLACE)(there) == 2**18 + 1  # modulo 2 ** 32, as NumPy's arrays do


PAIR = (3, 0.25)


def member(pair, index):
    return pair[index]


def both_members(number):
    return number * member(PAIR, 0) + np.int64(8.0 * member(PAIR, 1))


def test_a_constant_may_choose_a_type():
    assert compose(both_members)(5) == both_members(5) == 17


def from_first(pair, index, depth):
    return member(pair, index) if depth == 0 else from_first(pair, index, depth - 1)


def deep_members(number):
    return number * from_first(PAIR, 0, 3) + np.int64(8.0 * from_first(PAIR, 1, 2))


def test_a_constant_may_choose_a_type_of_a_recursion():
    assert compose(deep_members)(5) == deep_members(5) == 17


def count_down(number, step):
    return 0 if number <= 0 else 1 + count_down(number - step, 2)


def counted(number):
    return count_down(number, 1)


def test_a_recursion_with_a_constant_that_differs():
    assert compose(counted)(9) == counted(9) == 5


def scaled(factor, number):
    return factor * number


def scaled_by_narrow(place):
    return scaled(np.float32(0.1), place.near)


def test_a_float_times_a_narrow_integer_keeps_its_digits():
    entry = compile_function(
        scaled_by_narrow, Prototype("on_place", FLOAT, RecordOf("place")), {"place": PLACE}, "Part.scaled"
    ).entry
    assert entry(place(3, 0)) == np.float64(np.float32(0.1)) * 3


def tenfold(number):
    return number * 10


def sorted_downwards(number):
    numbers = [number, number + 2, number + 1]
    numbers.sort(key=tenfold, reverse=True)
    return numbers[0]


def test_a_callee_may_be_passed_to_what_numba_compiles():
    assert compose(sorted_downwards)(4) == 6


def total(number):
    return np.int64(np.linspace(0.0, 1.0, number).sum() * 4.0)


def test_the_users_own_numba_functions_share_what_numba_compiled():
    assert compose(total)(5) == total(5)
    assert numba.njit(total)(5) == total(5)


def test_only_what_has_an_address_is_translated(monkeypatch):
    translated = []
    finish = JITCodeLibrary._finalize_specific
    monkeypatch.setattr(
        JITCodeLibrary,
        "_finalize_specific",
        lambda library: translated.append(library.name) or finish(library),
    )
    linker = Linker(Digester())
    linker.link(counted).compile(signature_of(ON_NUMBER, {}))
    assert translated == []


def raising(number):
    if number > 3:
        raise ValueError("more than three")
    return number


def above(number):
    return raising(number) + raising(number + 1)


def test_an_error_of_a_callee_keeps_its_message():
    entry = compose(above)
    assert entry(1) == 3
    with pytest.raises(ValueError, match="more than three"):
        entry(3)


def made_and_dropped(number):
    kept = np.zeros(3)
    for index in range(number):
        kept = filled(kept.size + 1, np.float64(index))
    return np.int64(kept.sum())


def filled(size, value):
    return np.full(size % 7 + 1, value)


@pytest.fixture
def allocations():
    """Numba's count of what it allocated and freed."""
    _nrt_python.memsys_enable_stats()
    yield rtsys.get_allocation_stats
    _nrt_python.memsys_disable_stats()


def test_arrays_that_callees_make_are_freed(allocations):
    entry = compose(made_and_dropped)
    before = allocations()
    assert entry(50) == made_and_dropped(50)
    after = allocations()
    assert after.alloc - before.alloc == after.free - before.free >= 50
