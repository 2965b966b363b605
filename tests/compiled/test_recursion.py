"""Functions that call themselves or each other, compiled and loaded."""

import pytest

from tests.compiled.processes import Laboratory

TREES = """
    import numpy as np

    from rinforza.compiled import array_at

    def count(reached, depth, ply):
        array_at(reached, depth + 1, np.int64)[ply] += 1
        if ply < depth:
            count(reached, depth, ply + 1)
            count(reached, depth, ply + 1)
        return 0

    def from_a_literal(reached, depth):  # Numba compiles a first call for the literal alone
        return count(reached, depth, 0)

    def from_an_argument(reached, depth):
        return count(reached, depth, depth - depth)
    """

CIRCLES = """
    def even(n):
        if n == 0:
            return 1
        return odd(n - 1)

    def odd(n):
        if n == 0:
            return 0
        return even(n - 1)

    def from_outside(n):
        return 10 * even(n) + odd(7)

    def one(n):
        if n <= 0:
            return 0
        return 1 + two(n - 1)

    def two(n):
        if n <= 0:
            return 0
        return 10 + three(n - 1)

    def three(n):
        if n <= 0:
            return 0
        return 100 + one(n - 1) + even(n)

    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)
    """


@pytest.mark.parametrize("name", ["from_a_literal", "from_an_argument"])
def test_a_tree_is_counted_the_same_by_a_second_process(tmp_path, name):
    laboratory = Laboratory(tmp_path)
    laboratory.write(trees=TREES)
    script = f"""
        import trees
        reached = np.zeros(4, np.int64)
        compose(trees.{name}, INT, INT)(reached.ctypes.data, 3)
        tell(*reached.tolist())
        """
    assert laboratory.run(script).values == [1, 2, 4, 8]
    told = laboratory.run(script)
    assert (told.values, told.loaded) == ([1, 2, 4, 8], 1)


@pytest.mark.parametrize(
    "names",
    [
        ("even", "odd", "from_outside", "one", "two", "factorial"),
        ("two", "from_outside", "factorial", "odd", "even", "one"),
    ],
)
def test_circles_of_functions(tmp_path, names):
    laboratory = Laboratory(tmp_path)
    laboratory.write(circles=CIRCLES)
    script = f"""
        import circles
        functions = [getattr(circles, name) for name in {names}]
        tell([compose(function)(9) for function in functions], [function(9) for function in functions])
        """
    first, second = laboratory.run(script), laboratory.run(script)
    assert first.values[0] == first.values[1] == second.values[0]
    assert (first.compiled, second.compiled, second.loaded) == (len(names), 0, len(names))


def test_circles_compiled_apart_and_loaded_together(tmp_path):
    laboratory = Laboratory(tmp_path)
    laboratory.write(circles=CIRCLES)
    for name in ("even", "odd", "one"):
        laboratory.run(f"import circles\ntell(compose(circles.{name})(9))")
    told = laboratory.run(
        """
        import circles
        functions = circles.one, circles.odd, circles.three, circles.even
        tell([compose(function)(9) for function in functions], [function(9) for function in functions])
        """
    )
    assert told.values[0] == told.values[1]
    assert (told.compiled, told.loaded) == (1, 3)


def test_an_edit_within_a_circle_is_noticed(tmp_path):
    laboratory = Laboratory(tmp_path)
    laboratory.write(circles=CIRCLES)
    script = "import circles\ntell(compose(circles.one)(9), compose(circles.factorial)(4))"
    before = laboratory.run(script).values[0]
    laboratory.replace("circles", "return 100 + one", "return 1000 + one")
    told = laboratory.run(script)
    assert told.values == [before + 3 * 900, 24]
    assert (told.compiled, told.loaded) == (1, 1)
