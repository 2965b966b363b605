"""Components are values: immutable, equal by content, hashable, readable, copyable and picklable."""

import copy
import pickle

import numpy as np
import pytest

import rinforza as rf
from rinforza.contracts.component import Component

VALUES = [
    rf.games.TicTacToe(),
    rf.games.Connect4(),
    rf.games.GridWorld(size=7, goal_row=2, max_ticks=None),
    rf.encoders.TicTacToe(),
    rf.encoders.Connect4(),
    rf.encoders.GridWorld(),
    rf.policies.AlphaZero(num_simulations=5, noise=rf.noise.Dirichlet(0.5)),
    rf.policies.EpsilonGreedyQ(n_heads=3),
    rf.learners.AlphaZero(gamma=0.5),
    rf.learners.Dqn(n_step=4),
    rf.noise.Dirichlet(alpha=1.0),
    rf.chance_modes.AlwaysResample(),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
class TestEveryHandle:
    def test_copies_are_equal_values(self, value):
        pickled = pickle.loads(pickle.dumps(value))
        made_again = type(value)(**value.parameters)
        for other in (pickled, copy.copy(value), copy.deepcopy(value), made_again):
            assert other == value
            assert hash(other) == hash(value)
            assert repr(other) == repr(value)
            assert other.record.tobytes() == value.record.tobytes()

    def test_nothing_can_be_assigned_or_deleted(self, value):
        with pytest.raises(AttributeError, match="is immutable; make a new one with size=3"):
            value.size = 3
        with pytest.raises(AttributeError, match="is immutable"):
            del value.record
        with pytest.raises(ValueError, match="read-only"):
            value.record[0] = 0

    def test_parameters_are_a_copy(self, value):
        value.parameters["size"] = 0
        assert "size" not in value.parameters or value.parameters["size"] != 0

    def test_the_repr_says_the_type_and_its_parameters(self, value):
        text = repr(value)
        assert text.startswith(f"{type(value).__name__}(")
        assert all(f"{name}=" in text for name in value.parameters)


def test_different_values_differ():
    for index, value in enumerate(VALUES):
        assert [value == other for other in VALUES].count(True) == 1
        assert VALUES.index(value) == index
    assert len(set(VALUES)) == len(VALUES)
    assert rf.games.GridWorld(3) != rf.games.GridWorld(4)
    assert rf.games.GridWorld(3) != "GridWorld(3)"


class Sample(Component):
    """A component with one of everything."""

    name = "sample"

    def __init__(self, board=(1, 2), scale=1, label="x", inner=None, big=1 << 63, on=True):
        super().__init__(
            {"board": np.array(board), "scale": scale, "label": label, "inner": inner, "big": big, "on": on},
            {"total": int(np.sum(board)), "half": 0.5, "small": np.int8(-3)},
        )


def test_arrays_are_compared_by_content():
    assert Sample() == Sample()
    assert hash(Sample()) == hash(Sample())
    assert Sample() != Sample(board=(1, 3))
    assert Sample() != Sample(board=(1, 2, 0))
    assert Sample() == copy.deepcopy(Sample())


def test_equal_numbers_make_equal_values():
    assert Sample(scale=1) == Sample(scale=1.0)
    assert hash(Sample(scale=1)) == hash(Sample(scale=1.0))


def test_arrays_are_copied_and_read_only():
    board = np.array([1, 2])
    sample = Sample(board=board)
    board[0] = 9
    assert sample.board.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        sample.board[0] = 3


def test_the_record_holds_the_numbers():
    record = Sample().record
    expected = {
        "board": ([1, 2], np.int64),
        "scale": (1, np.int64),
        "big": (1 << 63, np.uint64),
        "on": (True, np.bool_),
        "total": (3, np.int64),
        "half": (0.5, np.float64),
        "small": (-3, np.int8),
    }
    assert record.dtype.names == tuple(expected)
    assert record.dtype.isalignedstruct
    for name, (value, dtype) in expected.items():
        assert record[name][0].tolist() == value
        assert record[name].dtype == dtype


def test_a_component_without_numbers_has_a_record_all_the_same():
    assert rf.encoders.Connect4().record.shape == (1,)
