"""What cannot be digested, or not kept between processes, is refused with a message that helps."""

import functools
import math

import numba
import numpy as np
import pytest

from rinforza.compiled import INT, ArrayOf, Prototype, compile_function
from rinforza.compiled.digest import LARGEST_EMBEDDED_ARRAY

CHANGE = Prototype("change", INT, INT)


class Holder:
    size = 3

    def method(self, x):
        return x


@numba.njit
def decorated(x):
    return x


def using(value):
    def change(x):
        return x + value  # the line at fault

    return change


def refuse(function, error=TypeError):
    with pytest.raises(error) as caught:
        compile_function(function, CHANGE, {}, "Game.change")
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({1: 2}, "dict"),
        ([1, 2], "list"),
        ({1, 2}, "set"),
        (frozenset({1}), "frozenset"),
        (b"bytes", "bytes"),
        (object(), "object"),
        (Holder(), "Holder"),
        (Holder().method, "method"),
        (functools.partial(max, 1), "partial"),
        (np.random.default_rng(0), "Generator"),
        (np.poly1d([1, 2]), "poly1d"),
        (np.array([{}]), "ndarray"),
        (math, "module math"),
        ((1, [2]), "list"),
        (iter(()), "tuple_iterator"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_value_that_cannot_be_digested(value, kind):
    if value is math:
        value = pytest  # a module that is no NumPy, used as a value
        expected = "uses the module value other than for something in it"
    else:
        expected = f"uses value, of type {kind}, which compiled code cannot hold"
    message = refuse(using(value))
    assert message.startswith("Game.change does not compile: ")
    assert expected in message
    assert f'File "{__file__}", line {using.__code__.co_firstlineno + 2}, in change' in message
    assert "return x + value  # the line at fault" in message
    assert "Usual mend: " in message


def test_a_class():
    def change(x):
        return x + Holder.size

    assert "uses the class Holder which compiled code cannot hold" in refuse(change)


def test_a_function_with_numbas_decorator():
    def change(x):
        return decorated(x)

    message = refuse(change)
    assert "uses decorated, of type CPUDispatcher," in message
    assert "Usual mend: remove Numba's decorator" in message


def test_the_fault_of_a_callee_is_told_with_the_line_of_the_callee():
    inner = using({})

    def change(x):
        return inner(x)

    assert f"line {using.__code__.co_firstlineno + 2}, in change" in refuse(change)


def test_arrays_up_to_64_kib_are_embedded():
    table = np.zeros(LARGEST_EMBEDDED_ARRAY // 8)
    table[-1] = 2.0

    def change(x):
        return x + int(table[-1])

    assert compile_function(change, CHANGE, {}, "Game.change").entry(1) == 3
    table = np.zeros(LARGEST_EMBEDDED_ARRAY // 8 + 1)
    message = refuse(change, ValueError)
    assert "embeds the array table of 65544 bytes, more than the 65536" in message
    assert "make it a table of the component" in message


def test_a_cell_without_a_value():
    def make():
        if make is None:
            late = 1

        def change(x):
            return x + late

        return change

    assert "the variable late of the enclosing function has no value yet" in refuse(make())


def test_a_name_that_a_module_lacks():
    def change(x):
        return pytest.no_such_function(x)

    assert "the module pytest has no no_such_function" in refuse(change)


def test_keyword_only_arguments_of_a_callee():
    def callee(x, *, y=3):
        return x + y

    def change(x):
        return callee(x)

    message = refuse(change)
    assert "callee takes keyword-only arguments" in message
    assert f"line {callee.__code__.co_firstlineno}, in callee" in message


def double(x):
    return 2 * x


def triple(x):
    return 3 * x


def test_a_function_chosen_at_run_time():
    """Its address, which Numba would keep, is that of this process."""

    def change(x):
        chosen = double
        if x > 2:
            chosen = triple
        return chosen(x)

    message = refuse(change)
    assert "chosen is one function or another" in message


def test_what_prints_python_objects():
    prototype = Prototype("show", INT, ArrayOf(np.int64))

    def show(cells):
        print(cells)
        return 1

    with pytest.raises(TypeError, match=r"Game\.show does not compile: it uses Python objects"):
        compile_function(show, prototype, {}, "Game.show")


def test_a_refused_function_can_be_mended_and_composed_again():
    names = {"weights": [1, 2]}
    exec("def change(x):\n    return x + weights[0]\n", names)
    assert "uses weights, of type list" in refuse(names["change"])
    names["weights"] = (1, 2)
    assert compile_function(names["change"], CHANGE, {}, "Game.change").entry(1) == 2
