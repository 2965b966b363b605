"""Functions that a factory made: equal code, different cells, and never each other's body."""

import itertools

import pytest

from tests.compiled.processes import Laboratory

FACTORY = """
    def make(step, base):
        def inlined(x):
            return x * step + base

        return inlined

    def make_recursive(step, base):
        def recursive(x):  # too large and too recursive to be inlined
            if x <= 0:
                return base
            total = 0
            for i in range(x):
                total += recursive(x - 1 - i) % 1009 + step
            return total

        return recursive

    def make_caller(step, base):
        inner = make_recursive(step, base)

        def caller(x):
            return inner(x) + 1

        return caller

    MAKERS = {"inlined": make, "recursive": make_recursive, "caller": make_caller}
    """
CELLS = {"first": (3, 1), "second": (5, 7), "third": (3, 2)}


def script(kind: str, names: tuple[str, ...]) -> str:
    return f"""
        import factory
        cells = {CELLS}
        made = [factory.MAKERS[{kind!r}](*cells[name]) for name in {names}]
        entries = [compose(function, label="Part.made") for function in made]
        tell([entry(6) for entry in entries], [function(6) for function in made])
        """


@pytest.mark.parametrize("kind", ["inlined", "recursive", "caller"])
def test_functions_compiled_apart_and_loaded_together(tmp_path, kind):
    laboratory = Laboratory(tmp_path)
    laboratory.write(factory=FACTORY)
    for name in CELLS:
        told = laboratory.run(script(kind, (name,)))
        assert told.values[0] == told.values[1]
    for names in list(itertools.permutations(CELLS))[::2]:
        told = laboratory.run(script(kind, names))
        assert told.values[0] == told.values[1]
        assert (told.compiled, told.loaded) == (0, 3)


@pytest.mark.parametrize("kind", ["inlined", "recursive", "caller"])
def test_some_loaded_and_some_compiled(tmp_path, kind):
    laboratory = Laboratory(tmp_path)
    laboratory.write(factory=FACTORY)
    laboratory.run(script(kind, ("second",)))
    told = laboratory.run(script(kind, ("first", "second", "third")))
    assert told.values[0] == told.values[1]
    assert (told.compiled, told.loaded) == (2, 1)


def test_namedtuples_of_equal_values_and_different_field_names(tmp_path):
    laboratory = Laboratory(tmp_path)
    laboratory.write(
        factory="""
            from collections import namedtuple

            One = namedtuple("Weights", "win loss")
            Other = namedtuple("Weights", "loss win")

            def make(weights):
                def value(x):
                    return x * 100 + weights.win * 10 + weights.loss

                return value
            """
    )
    made = """
        from factory import One, Other, make
        tell(*[compose(make(kind(1, 2)))(5) for kind in {kinds}])
        """
    assert laboratory.run(made.format(kinds="(One,)")).values == [512]
    assert laboratory.run(made.format(kinds="(Other, One)")).values == [521, 512]


def test_helpers_of_numba_with_equal_symbol_names(tmp_path):
    """Numba numbers its helpers as it compiles: the two sorts below get the same name in two processes."""
    laboratory = Laboratory(tmp_path)
    laboratory.write(
        sorting="""
            import numpy as np

            def one(x):
                return x + 1.0

            def two(x):
                return x + 2.0

            def three(x):
                return x + 3.0

            def values(data, out):
                ordered = np.sort(data)
                for index in range(len(ordered)):
                    out[index] = ordered[index]
                return len(out)

            def places(data, out):
                out[0] = one(out[0]) + two(out[0]) + three(out[0])  # three symbols more before the helper
                order = np.argsort(data)
                for index in range(len(order)):
                    out[index] = order[index]
                return len(out)
            """
    )
    text = """
        import sorting
        data = np.random.default_rng(0).random(100)
        expected = {{"values": np.sort(data), "places": np.argsort(data)}}
        right = []
        for name in {names}:
            out = np.zeros(100)
            compose(getattr(sorting, name), ArrayOf(np.float64), ArrayOf(np.float64))(data.copy(), out)
            right.append(bool((out == expected[name]).all()))
        tell(*right)
        """
    for names in (["values"], ["places"]):
        assert laboratory.run(text.format(names=names)).values == [True]
    for names in (["values", "places"], ["places", "values"]):
        told = laboratory.run(text.format(names=names))
        assert (told.values, told.compiled) == ([True, True], 0)
