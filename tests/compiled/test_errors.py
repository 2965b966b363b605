"""Exceptions raised in compiled code: with the file and the line of the user's source, also after an edit."""

import pytest

from tests.compiled.processes import Laboratory

GAME = """
    from helper import checked

    def step(x):
        return checked(x) + 1

    def unpacked(x, board):
        first, second = board
        return x + first

    def formatted(x):
        if x > 3:
            raise ValueError("too large", x)
        return x

    def calls_formatted(x):
        return formatted(x)

    def asserted(x):
        assert x < 3, "small"
        return x

    def prints(x):
        print("told", x)
        return x
    """
HELPER = """
    def checked(x):
        if x > 3:
            raise ValueError("too large")
        return x
    """
RAISE = """
import traceback
import game

def place(error):
    entry = traceback.extract_tb(error.__traceback__)[-1]
    return [entry.filename.rsplit("/")[-1], entry.lineno, entry.name]

def raised(entry, *arguments):
    try:
        return entry(*arguments)
    except Exception as error:
        return [type(error).__name__, list(map(str, error.args)), place(error)]
"""


@pytest.fixture
def laboratory(tmp_path):
    made = Laboratory(tmp_path)
    made.write(game=GAME, helper=HELPER)
    return made


def test_an_error_in_a_callee_names_its_line_also_after_edits_above_it(laboratory):
    script = RAISE + "tell(raised(compose(game.step), 5))"
    for edit in (0, 1, 2):
        for loaded in (0, 1):
            told = laboratory.run(script)
            assert told.values == [["ValueError", ["too large"], ["helper.py", 4 + 2 * edit, "checked"]]]
            assert told.loaded == loaded
        laboratory.replace("helper", "def checked", "# A line.\n# Another.\ndef checked")


def test_an_edit_below_it_changes_nothing(laboratory):
    script = RAISE + "tell(raised(compose(game.step), 5))"
    laboratory.run(script)
    laboratory.write(helper=HELPER + "\n    def unused(x):\n        return x\n")
    assert laboratory.run(script).loaded == 1


def test_a_file_that_moved_is_named_where_it_is(laboratory):
    script = RAISE + "tell(raised(compose(game.step), 5))"
    laboratory.run(script)
    (laboratory.folder / "helper.py").rename(laboratory.folder / "renamed.py")
    laboratory.replace("game", "from helper", "from renamed")
    assert laboratory.run(script).values[0][2] == ["renamed.py", 4, "checked"]


def test_an_array_that_does_not_fit_the_names(laboratory):
    """Numba itself raises this one, with the line."""
    script = RAISE + "tell(raised(compose(game.unpacked, INT, ArrayOf(np.int64)), 1, np.zeros(9, np.int64)))"
    expected = ["game.py", 8, "unpacked"]
    for _ in range(2):
        kind, _, place = laboratory.run(script).values[0]
        assert (kind, place) == ("ValueError", expected)
        laboratory.replace("game", "def unpacked", "# A line.\ndef unpacked")
        expected = ["game.py", expected[1] + 1, "unpacked"]


@pytest.mark.parametrize("process", ["the first", "a second"])
def test_arguments_messages_and_printing_of_callees(laboratory, process):
    """What these need from Python hangs or crashes when a loaded object lacks its pointers."""
    script = (
        RAISE
        + """
functions = [game.formatted, game.calls_formatted, game.asserted, game.prints]
tell(*[raised(compose(function), 5) for function in functions])
"""
    )
    if process == "a second":
        laboratory.run(script)
    told = laboratory.run(script)
    too_large = ["ValueError", ["too large", "5"], ["game.py", 13, "formatted"]]
    assert told.values == [
        too_large,
        too_large,
        ["AssertionError", ["small"], ["game.py", 20, "asserted"]],
        5,
    ]
    assert told.compiled == (0 if process == "a second" else 4)


def test_a_function_still_works_after_an_error(laboratory):
    told = laboratory.run(
        RAISE + "entry = compose(game.step)\ntell(raised(entry, 5)[0], entry(1), raised(entry, 9)[0])"
    )
    assert told.values == ["ValueError", 2, "ValueError"]
