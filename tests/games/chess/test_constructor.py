"""What the constructor takes, what it refuses, and how."""

import copy
import pickle

import pytest

import rinforza as rf
from rinforza.games.chess.fen import START

pytestmark = pytest.mark.lanes


def test_claims():
    game = rf.games.Chess()
    assert (game.name, game.num_players, game.num_actions) == ("chess", 2, 4672)
    assert (game.dynamics, game.chance_nodes, game.information) == ("sequential", "none", "perfect")
    assert list(game.parameters) == ["fen", "max_ticks", "encoder"]
    assert game.truncation_horizon() == 512


def test_horizons():
    assert rf.games.Chess(max_ticks=1).truncation_horizon() == 1
    assert rf.games.Chess(None).truncation_horizon() is None
    with pytest.raises(ValueError, match=r"max_ticks must be >= 1 \(or None to never truncate\)"):
        rf.games.Chess(max_ticks=0)
    with pytest.raises(OverflowError, match="max_ticks"):
        rf.games.Chess(max_ticks=-1)
    for value in (True, 2.0, "512"):
        with pytest.raises(TypeError, match="max_ticks must be an int"):
            rf.games.Chess(max_ticks=value)


def test_encoders():
    with pytest.raises(ValueError, match="incompatible encoder") as caught:
        rf.games.Chess(encoder=rf.encoders.Connect4())
    assert "'connect4'" in str(caught.value)
    assert "'chess'" in str(caught.value)
    for value in (rf.encoders.MinimalChess, "minimal_chess", 3):
        with pytest.raises(TypeError, match="encoder must be an Encoder or None"):
            rf.games.Chess(encoder=value)
    with pytest.raises(TypeError):
        rf.games.Chess(fene=START)


@pytest.mark.parametrize("encoder", [None, rf.encoders.AlphaZeroChess(3)])
def test_copies_are_equal(encoder):
    game = rf.games.Chess(77, encoder, fen="4k3/8/8/8/8/8/4P3/4K3 b - - 12 40")
    for other in (copy.deepcopy(game), pickle.loads(pickle.dumps(game)), rf.games.Chess(**game.parameters)):
        assert other == game
        assert other.state_dtype == game.state_dtype
    assert repr(game).startswith("Chess(fen='4k3/8/8/8/8/8/4P3/4K3 b - - 12 40', max_ticks=77")


def test_the_configuration_names_start_horizon_and_encoder():
    config = rf.Env(rf.games.Chess(encoder=rf.encoders.AlphaZeroChess(3))).resolved_config()
    assert config["game"] == {
        "name": "chess",
        "fen": START,
        "max_ticks": 512,
        "encoder": {"name": "alphazero_chess", "history_length": 3},
    }
