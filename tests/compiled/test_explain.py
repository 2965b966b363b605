"""The one message that the author of a game gets when a method does not compile."""

import inspect

import numpy as np
import pytest

from rinforza.compiled import FLOAT, INT, ArrayOf, Prototype, RecordOf, compile_function
from rinforza.compiled.random import categorical

STATE = np.dtype([("board", np.uint64), ("ply", np.int64), ("cells", np.int8, (9,))], align=True)
SELF = np.dtype([("size", np.int64)])
STEP = Prototype("step", INT, RecordOf("self"), RecordOf("state"), ArrayOf(np.float64))
OTHER = Prototype("other", INT, RecordOf("state"), ArrayOf(np.float64))
ONE = np.uint64(1)
FIELDS = "name a field of the record"
UNSIGNED = "write every number that meets a board as a constant of the module, such as ONE = np.uint64(1)"
PLAIN = "use numbers, arrays, records and plain functions"


# Each function below has one fault; the comment `fault` marks its line.


def unknown_field(self, state, out):
    ply = state.ply
    return ply + state.plyy  # fault


def unknown_field_written(self, state, out):
    state.plies = 3  # fault
    return 0


def unknown_parameter(self, state, out):
    return self.sise  # fault


def method_of_self(self, state, out):
    return self.count(state)  # fault


def board_and_integer(self, state, out):
    board = state.board
    for _ in range(3):
        board = board + 1
    return np.int64(board & ONE)  # fault


def board_becomes_a_float(self, state, out):
    board = state.board
    for _ in range(3):
        board = board * 3 + 1
    state.board = board
    return 0


def undefined(self, state, out):
    ply = state.ply
    return ply + fooo  # noqa: F821  # fault


def undefined_function(self, state, out):
    return fooo(state.ply)  # noqa: F821  # fault


def list_of_nothing(self, state, out):
    moves = []  # fault
    return len(moves)


def dictionary(self, state, out):
    known = {}  # fault
    return len(known)


def opens_a_file(self, state, out):
    open("moves.txt")  # fault
    return 0


def with_statement(self, state, out):
    count = 0
    with open("moves.txt"):  # fault
        count += 1
    return count


def method_of_a_number(self, state, out):
    return state.ply.bit_count()  # fault


def misspelt_in_numpy(self, state, out):
    return np.aray(3)  # fault


def unknown_in_numpy(self, state, out):
    np.block([1, 2])  # fault
    return 0


def import_in_the_method(self, state, out):
    import random  # fault

    return random.random()


def text_where_a_number_is(self, state, out):
    state.ply = "three"  # fault
    return 0


def index_that_is_a_float(self, state, out):
    return state.cells[state.ply / 2]  # fault


def two_types(self, state, out):
    chosen = 3
    if state.ply > 2:
        chosen = "three"  # fault (or the line that reads it)
    return chosen


def path_without_a_result(self, state, out):
    if state.ply > 3:  # fault
        return 1


def float_result(self, state, out):
    if state.ply > 3:
        return 0
    return state.ply / 2  # fault


def tuple_result(self, state, out):
    return state.ply, state.ply  # fault


def catches(self, state, out):
    try:
        return 10 // state.ply
    except ZeroDivisionError:  # fault
        return 0


def formats(self, state, out):
    print(f"{state.ply:3d}")  # fault
    return 0


def too_few_words(self, state, out):
    return OTHER(self.size, self.size)  # fault


def endless(self, state, out):
    return endless(self, state, out) + 1  # fault


def helper(board):
    return np.int64(board)


def too_many_arguments(self, state, out):
    return helper(state.board, 3)  # fault


CASES = [
    (unknown_field, "the record has no field plyy (it has board, ply, cells); did you mean ply?", FIELDS),
    (unknown_field_written, "the record has no field plies (it has board, ply, cells)", FIELDS),
    (unknown_parameter, "the record has no field sise (it has size); did you mean size?", FIELDS),
    (method_of_self, "no field count", "a method of self is written as a plain function of the module"),
    (board_and_integer, "the operation & does not exist for float64, uint64", UNSIGNED),
    (undefined, "the name fooo is not defined", "define or import it at the top of the module"),
    (undefined_function, "the name fooo is not defined", "define or import it at the top of the module"),
    (list_of_nothing, "it builds a list", "write into the array that the method is given"),
    (dictionary, "it builds a dictionary", "write into the array that the method is given"),
    (opens_a_file, "open is nothing that compiled code can use", PLAIN),
    (with_statement, "a with statement cannot be compiled", PLAIN),
    (method_of_a_number, "int64 has no bit_count", PLAIN),
    (misspelt_in_numpy, "numpy has no aray", "check the spelling"),
    (unknown_in_numpy, "numpy.block cannot be used in compiled code", "write the loop"),
    (import_in_the_method, "it has an import in it", "import at the top of the module"),
    (text_where_a_number_is, "text cannot become int64", PLAIN),
    (index_that_is_a_float, "the operation [...] does not exist for", "//"),
    (path_without_a_result, "a path ends without a result, where int64 is expected", "end every path"),
    (float_result, "it returns a float, where an integer is expected", "divide with //"),
    (tuple_result, "it returns", "end every path"),
    (catches, "only `except:` and `except Exception:` can be compiled", "test beforehand"),
    (formats, "it formats text with an f-string", PLAIN),
    (too_few_words, "does not fit the prototype 'other': missing 2 required", "an array is its address"),
    (endless, "no path that returns without calling itself", "a case that returns a value at once"),
    (too_many_arguments, "parameters (board)", "as many arguments as the function has parameters"),
]


def message_of(function, prototype=STEP, label="MyGame.step"):
    with pytest.raises(TypeError) as caught:
        compile_function(function, prototype, {"self": SELF, "state": STATE}, label)
    assert caught.value.__suppress_context__  # nothing of Numba's own pages of text
    return str(caught.value)


def line_of(function, mark="# fault"):
    lines, first = inspect.getsourcelines(function)
    (place,) = (place for place, line in enumerate(lines) if mark in line)
    return first + place, lines[place].strip()


@pytest.mark.parametrize(("function", "cause", "mend"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_cause_place_and_mend(function, cause, mend):
    message = message_of(function)
    first, *rest = message.splitlines()
    number, source = line_of(function)
    assert first.startswith("MyGame.step does not compile: ")
    assert cause in first
    assert rest[0] == f'  File "{__file__}", line {number}, in {function.__name__}'
    assert rest[1] == f"    {source}"
    assert rest[-1].startswith("  Usual mend: ")
    assert mend in rest[-1]
    assert len(rest) == 3


def test_two_types_of_one_variable():
    message = message_of(two_types)
    assert "chosen is int64 on one path and text on another" in message
    number, _ = line_of(two_types)
    assert f"line {number}, in two_types" in message or f"line {number + 1}, in two_types" in message


def test_a_board_that_becomes_a_float_is_refused_though_numba_takes_it():
    message = message_of(board_becomes_a_float)
    assert "board is uint64 on one path and float64 on another, so it loses its low bits" in message
    assert UNSIGNED in message


def board_or_number(state):
    if state.ply > 3:
        return state.board  # fault
    return state.ply


def number_or_fraction(state):
    return 0.5 if state.ply > 3 else state.ply


def calls_board_or_number(self, state, out):
    return np.int64(board_or_number(state) > 0)


def calls_number_or_fraction(self, state, out):
    return np.int64(number_or_fraction(state) > 0)


def board_as_a_float(self, state, out):
    return state.board


def test_a_result_that_is_a_board_or_a_number_is_refused():
    message = message_of(calls_board_or_number)
    number, _ = line_of(board_or_number)
    cause = (
        "the result of board_or_number is uint64 on one path and float64 on another, so it loses its low bits"
    )
    assert cause in message
    assert f"line {number}, in board_or_number" in message
    assert UNSIGNED in message


@pytest.mark.parametrize(("function", "result"), [(calls_number_or_fraction, INT), (board_as_a_float, FLOAT)])
def test_other_results_that_become_floats_are_not(function, result):
    prototype = Prototype("step", result, *STEP.kinds)
    assert compile_function(function, prototype, {"self": SELF, "state": STATE}, "MyGame.step").address


def faulty_helper(board):
    return board & (board / 2)  # fault


def middle(state):
    ply = state.ply
    return ply + faulty_helper(state.board)  # caller


def calls_a_faulty_helper(self, state, out):
    state.ply = 0
    return middle(state)  # caller


def test_the_line_is_that_of_the_callee_and_the_callers_are_named():
    lines = message_of(calls_a_faulty_helper).splitlines()
    places = [line.strip() for line in lines if "File" in line]
    expected = [(faulty_helper, "# fault"), (middle, "# caller"), (calls_a_faulty_helper, "# caller")]
    for place, (function, mark) in zip(places, expected, strict=True):
        number, source = line_of(function, mark)
        assert place.endswith(f'File "{__file__}", line {number}, in {function.__name__}')
        assert f"    {source}" in lines
    assert [place.startswith("called from") for place in places] == [False, True, True]


def wrong_use_of_the_library(self, state, out):
    return categorical(self, out, 3)  # fault


def test_a_wrong_call_of_a_library_function_names_the_users_line_too():
    message = message_of(wrong_use_of_the_library)
    assert "the record has no field counter (it has size)" in message
    number, _ = line_of(wrong_use_of_the_library)
    assert f'called from File "{__file__}", line {number}, in wrong_use_of_the_library' in message


def test_no_name_of_ours_or_of_numbas_is_left_in_a_message():
    for function, _, _ in CASES:
        message = message_of(function).split("\n  Usual mend")[0]
        for noise in ("nopython", "CPUDispatcher", "Literal[", "_outermost", "<iv=", "0x", "\x1b"):
            assert noise not in message


def test_a_component_of_a_user(tmp_path, monkeypatch):
    """From a file of the user's to the message, through the contracts."""
    (tmp_path / "mygame.py").write_text(
        "import numpy as np\n"
        "from rinforza.games.tictactoe import TicTacToe\n\n\n"
        "class MyGame(TicTacToe):\n"
        "    def actor(self, state):\n"
        "        return state.turn\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import mygame

    from rinforza.contracts.composition import Rules

    with pytest.raises(TypeError) as caught:
        Rules(mygame.MyGame(), None)
    assert str(caught.value).splitlines()[:3] == [
        "MyGame.actor does not compile: the record has no field turn (it has cells, ply, done)",
        f'  File "{tmp_path / "mygame.py"}", line 7, in actor',
        "    return state.turn",
    ]
