"""What a second process finds in the cache, and which edits it notices."""

import pytest

from tests.compiled.processes import Laboratory

COMPOSE = """
import game
tell(compose(game.step)(5), compose(game.sibling)(5))
"""


@pytest.fixture
def laboratory(tmp_path):
    made = Laboratory(tmp_path)
    made.write(
        game="""
            import constants
            from helper import doubled, tripled

            def step(x):
                return doubled(x) + constants.BONUS

            def sibling(x):
                return tripled(x)
            """,
        helper="""
            def doubled(x):
                return inner(x) + x

            def inner(x):
                return x + 0

            def tripled(x):
                return 3 * x
            """,
        constants="""
            import numpy as np

            BONUS = 100
            TABLE = np.array([1, 2, 3])
            """,
    )
    return made


def test_a_second_process_compiles_nothing(laboratory):
    first, second = laboratory.run(COMPOSE), laboratory.run(COMPOSE)
    assert (first.compiled, first.loaded) == (2, 0)
    assert (second.compiled, second.loaded) == (0, 2)
    assert first.values == second.values == [110, 15]


@pytest.mark.parametrize(
    ("module", "old", "new", "expected"),
    [
        ("helper", "return inner(x) + x", "return inner(x) - x", 100),  # a callee
        ("helper", "return x + 0", "return x + 1", 111),  # a callee of a callee
        ("constants", "BONUS = 100", "BONUS = 200", 210),  # a constant of a module that is used by name
        ("constants", "BONUS = 100", "BONUS = 100.0", None),  # its type alone; the result is refused
    ],
)
def test_an_edit_in_another_file_is_noticed_and_the_sibling_still_hits(
    laboratory, module, old, new, expected
):
    laboratory.run(COMPOSE)
    laboratory.replace(module, old, new)
    if expected is None:
        told = laboratory.run("import game\ntell(compose(game.step, INT, result=FLOAT)(5))")
        assert (told.compiled, told.loaded, told.values) == (1, 0, [110.0])
        return
    told = laboratory.run(COMPOSE)
    assert told.values == [expected, 15]
    assert (told.compiled, told.loaded) == (1, 1)


def test_comments_and_lines_of_functions_that_raise_nothing_do_not_matter(laboratory):
    laboratory.run(COMPOSE)
    laboratory.replace("helper", "def doubled(x):", "# A comment.\n\n\ndef doubled(x):\n    # Another.")
    assert laboratory.run(COMPOSE).loaded == 2


def test_a_table_and_its_content(laboratory):
    laboratory.write(game="import constants\ndef step(x):\n    return x * constants.TABLE[1]\n")
    script = "import game\ntell(compose(game.step)(5))"
    assert laboratory.run(script).values == [10]
    laboratory.replace("constants", "[1, 2, 3]", "[1, 9, 3]")
    told = laboratory.run(script)
    assert (told.values, told.compiled) == ([45], 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('("ply", np.int64)', '("ply", np.int32)'),  # another size
        ('("ply", np.int64), ("done", np.int64)', '("done", np.int64), ("ply", np.int64)'),  # another order
        ("align=True", "align=False"),  # the same offsets, another promise to the processor
    ],
)
@pytest.mark.parametrize("through", ["an argument", "an address"])
def test_a_record_layout_in_another_file_is_noticed(tmp_path, old, new, through):
    laboratory = Laboratory(tmp_path)
    laboratory.write(
        layout="""
            import numpy as np

            STATE = np.dtype([("ply", np.int64), ("done", np.int64)], align=True)
            """,
        game="""
            from layout import STATE
            from rinforza.compiled import record_at

            def by_argument(state):
                return state.ply * 10 + state.done

            def by_address(address):
                return by_argument(record_at(address, STATE))
            """,
    )
    script = f"""
        import game, layout
        state = np.zeros(1, layout.STATE)
        state["ply"], state["done"] = 4, 2
        if {through!r} == "an argument":
            tell(compose(game.by_argument, RecordOf("state"), layouts={{"state": layout.STATE}})(state[0]))
        else:
            tell(compose(game.by_address)(state.ctypes.data))
        """
    assert laboratory.run(script).values == [42]
    laboratory.replace("layout", old, new)
    told = laboratory.run(script)
    assert (told.values, told.compiled, told.loaded) == ([42], 1, 0)


def test_bounds_checks_are_part_of_the_key(tmp_path):
    laboratory = Laboratory(tmp_path)
    laboratory.write(game="def read(board, index):\n    return board[index]\n")
    script = """
        import game
        entry = compose(game.read, ArrayOf(np.int64), INT)
        try:
            tell(entry(np.array([7, 8, 9]), 2), "unchecked" if {inside} else entry(np.array([7, 8, 9]), 3))
        except IndexError as error:
            tell("checked", error.__traceback__.tb_next.tb_frame.f_code.co_name)
        """
    assert laboratory.run(script.format(inside=True)).values == [9, "unchecked"]
    checked = laboratory.run(script.format(inside=False), NUMBA_BOUNDSCHECK="1")
    assert (checked.values[0], checked.compiled) == ("checked", 1)
    assert laboratory.run(script.format(inside=False), NUMBA_BOUNDSCHECK="1").loaded == 1
    assert laboratory.run(script.format(inside=True)).loaded == 1


def test_a_whole_engine_is_loaded(tmp_path):
    laboratory = Laboratory(tmp_path)
    script = """
        import rinforza as rf
        parts = rf.games.TicTacToe(), None, rf.policies.AlphaZero(4), rf.learners.AlphaZero()
        engine = rf.Engine(*parts, n_games=2)
        batch = engine.collect(8, lambda obs: (np.zeros((len(obs), 9)), np.zeros(len(obs))))
        tell(batch.obs.sum().item(), len(batch.obs))
        """
    first, second = laboratory.run(script), laboratory.run(script)
    assert first.compiled > 10
    assert second.compiled == 0
    assert second.values == first.values
