"""Every way in which a function can name something outside it: compiled as in Python, noticed when edited."""

import pytest

from tests.compiled.processes import Laboratory

PACKAGE = {
    "outer": """
        import inner
        import inner as renamed
        from inner import bonus as imported

        CONSTANT = 1000
        """,
    "inner": """
        import deepest

        def bonus(x):
            return x + 10
        """,
    "deepest": """
        FACTOR = 3

        def scaled(x):
            return x * FACTOR
        """,
}
FUNCTIONS = {
    "by_module": "import outer\ndef step(x):\n    return outer.inner.bonus(x) + outer.CONSTANT\n",
    "through_three_modules": "import outer\ndef step(x):\n    return outer.inner.deepest.scaled(x)\n",
    "by_alias": "import outer as rules\ndef step(x):\n    return rules.renamed.bonus(x)\n",
    "by_imported_name": "from outer import imported as alias\ndef step(x):\n    return alias(x)\n",
    "module_in_a_cell": """
        def make():
            import outer as local

            def step(x):
                return local.inner.deepest.scaled(x)

            return step

        step = make()
        """,
    "default_value": """
        from outer import CONSTANT

        def helper(x, weight=CONSTANT):
            return x * weight

        def step(x):
            return helper(x) + helper(x, 3) + helper(x, weight=2)
        """,
    "default_function": """
        from inner import bonus

        def helper(x, change=bonus):
            return change(x)

        def step(x):
            return helper(x)
        """,
    "function_as_argument": """
        from deepest import scaled
        from inner import bonus

        def apply(change, x):
            return change(x)

        def step(x):
            return apply(scaled, x) * apply(bonus, x)
        """,
    "lambda_and_comprehension": """
        import deepest

        def step(x):
            double = lambda value: value * 2 + deepest.FACTOR
            return double(x) + len([place for place in range(x)])
        """,
    "inner_function": """
        from outer import CONSTANT

        def step(x):
            def add(value):
                return value + x + CONSTANT

            return add(x)
        """,
    "numpy_and_math": """
        import math
        from math import floor
        from numpy import full, uint64

        import numpy as np

        def step(x):
            return int(math.sqrt(x * x)) + floor(2.5) + int(np.abs(-x)) + int(uint64(3)) + full(2, x)[1]
        """,
    "star_arguments": """
        def total(*values):
            return values[0] + len(values)

        def step(x):
            return total(x, x, x)
        """,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_is_what_python_is(tmp_path, name):
    laboratory = Laboratory(tmp_path)
    laboratory.write(**PACKAGE, game=FUNCTIONS[name])
    told = laboratory.run("import game\ntell(compose(game.step)(7), int(game.step(7)))")
    assert told.values[0] == told.values[1]
    assert laboratory.run("import game\ntell(compose(game.step)(7))").loaded == 1


@pytest.mark.parametrize(
    ("name", "module", "old", "new"),
    [
        ("by_module", "inner", "x + 10", "x + 20"),
        ("by_module", "outer", "1000", "2000"),
        ("through_three_modules", "deepest", "FACTOR = 3", "FACTOR = 4"),
        ("module_in_a_cell", "deepest", "FACTOR = 3", "FACTOR = 4"),
        ("default_value", "outer", "1000", "2000"),
        ("default_function", "inner", "x + 10", "x + 20"),
        ("lambda_and_comprehension", "deepest", "FACTOR = 3", "FACTOR = 4"),
        ("inner_function", "outer", "1000", "2000"),
    ],
)
def test_an_edit_behind_it_is_noticed(tmp_path, name, module, old, new):
    laboratory = Laboratory(tmp_path)
    laboratory.write(**PACKAGE, game=FUNCTIONS[name])
    script = "import game\ntell(compose(game.step)(7), int(game.step(7)))"
    before = laboratory.run(script).values
    laboratory.replace(module, old, new)
    after = laboratory.run(script)
    assert after.compiled == 1
    assert after.values[0] == after.values[1] != before[0]


def test_a_function_with_very_many_names(tmp_path):
    """Beyond 127 names Python's bytecode needs a prefix before the instruction that loads an attribute."""
    laboratory = Laboratory(tmp_path)
    many = range(300)
    laboratory.write(
        many="\n".join(f"def f{index}(x):\n    return x + {index}\n" for index in many),
        game="import many\ndef step(x):\n    return " + " + ".join(f"many.f{index}(x)" for index in many),
    )
    told = laboratory.run("import game\ntell(compose(game.step)(7))")
    assert told.values == [sum(7 + index for index in many)]
