"""A compilation that fails leaves nothing behind that a later one would meet."""

import numpy as np
import pytest

from rinforza.compiled import INT, Prototype, compile_function, link, plain_python

pytestmark = pytest.mark.skipif(plain_python(), reason="without the JIT nothing is compiled")

ON_NUMBER = Prototype("on_number", INT, INT)


@pytest.fixture(autouse=True)
def nothing_is_kept(tmp_path, monkeypatch):
    """Else a second run of the tests would load what the first one compiled."""
    monkeypatch.setenv("RINFORZA_CACHE_DIR", str(tmp_path))


def compose(function):
    return compile_function(function, ON_NUMBER, {}, f"Part.{function.__name__}").entry


def larger(left, right):
    chosen = left
    if right > left:
        chosen = right
    return chosen


def mixes_a_board(number):
    return np.int64(larger(np.uint64(number), number))


def mixes_nothing(number):
    return larger(number, 3)


def test_a_helper_that_was_refused_for_one_caller_serves_another():
    with pytest.raises(TypeError, match="uint64 on one path and float64 on another"):
        compose(mixes_a_board)
    assert compose(mixes_nothing)(2) == 3


def ends(number):
    if number > 0:
        return goes_on(number - 1)
    return 6


def goes_on(number):
    return ends(number - 1)


def from_the_one_without_an_end(number):
    return goes_on(number)


def from_the_one_with_an_end(number):
    return ends(number)


def test_a_circle_that_failed_from_one_side_compiles_from_the_other():
    with pytest.raises(TypeError, match="no path that returns without calling itself"):
        compose(from_the_one_without_an_end)
    assert compose(from_the_one_with_an_end)(5) == 6


def innermost(number):
    return number + 1


def middle(number):
    return innermost(number) * 2


def outer(number):
    return middle(number) + innermost(number)


def test_linking_that_was_interrupted_is_done_again(monkeypatch):
    reached, calls = link.reached, []

    def interrupted(function):
        calls.append(function)
        if function is innermost:
            raise KeyboardInterrupt
        return reached(function)

    monkeypatch.setattr(link, "reached", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compose(outer)
    monkeypatch.undo()
    assert calls == [outer, middle, innermost]
    assert compose(outer)(4) == outer(4)


def true_at_the_end(number):
    return True if number == 0 else thousand_at_the_end(number - 1)


def thousand_at_the_end(number):
    if number == 0:
        return 1000
    return true_at_the_end(number - 1)


def from_true(number):
    return true_at_the_end(number) * 1


def whole_at_the_end(number):
    if number == 0:
        return number
    return half_at_the_end(number - 1)


def half_at_the_end(number):
    if number == 0:
        return 1.5
    return whole_at_the_end(number - 1)


def from_whole(number):
    return np.int64(whole_at_the_end(number))


@pytest.mark.parametrize(
    ("function", "types"), [(from_true, "bool and int64"), (from_whole, "int64 and float64")]
)
def test_a_circle_that_returns_two_types_is_refused(function, types):
    with pytest.raises(TypeError, match=f"which this calls in a circle, returns {types} in turn") as caught:
        compose(function)
    assert "return one type on every path" in str(caught.value)


def zero_at_the_end(number):
    if number > 0:
        zero_at_the_end(number - 1)
        one_at_the_end(number - 1)
    return 0


def one_at_the_end(number):
    if number > 0:
        return zero_at_the_end(number - 1)
    return 1


def test_a_circle_that_returns_constants_is_not():
    assert compose(one_at_the_end)(3) == 0
    assert compose(zero_at_the_end)(3) == 0
