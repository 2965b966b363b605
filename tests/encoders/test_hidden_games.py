"""What networks see of Kuhn poker, Leduc poker and liar's dice; the twins see the same (tests/games)."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.testing.lanes import GameLane
from tests.games.recorded import joint_of

GAMES = [rf.games.KuhnPoker(3), rf.games.KuhnPoker(10), rf.games.LeducPoker(), rf.games.LiarsDice(2, 3)]


def test_what_networks_see():
    kuhn, leduc, dice = rf.games.KuhnPoker(3), rf.games.LeducPoker(), rf.games.LiarsDice(2, 3)
    assert kuhn.observation_space().shape == (9, 1, 1)
    assert leduc.observation_space().shape == (21, 1, 1)
    assert dice.observation_space().shape == (2 * 3 + 2 * 2 * 3 + 1, 1, 1)
    assert kuhn.encoder.planes(kuhn)[3:5] == ["own card 3", "action 0"]
    assert leduc.encoder.planes(leduc)[11:14] == ["open card 5", "second round", "round 0, action 0"]
    assert dice.encoder.planes(dice)[5:7] == ["own die 1 shows 3", "bid 1x1"]
    for game in (kuhn, leduc, dice):
        assert len(game.encoder.planes(game)) == game.observation_space().shape[0]
        assert game.encoder.name == game.name
        assert (game.observation_space().low == 0).all()
        assert (game.observation_space().high == 1).all()


@pytest.mark.lanes
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_contract_holds(game):
    rf.testing.check_encoder(game, ticks=80, plain_ticks=15)


@pytest.mark.lanes
def test_numbers_of_leduc_poker():
    lane = GameLane(rf.games.LeducPoker(), plain=plain_python())
    state, _ = lane.resolve_chance(lane.initial(), 4)
    state, _ = lane.resolve_chance(state, 0)
    for player, action in ((0, 1), (1, 2), (0, 1)):
        state, _ = lane.step(state, joint_of(lane, player, action))
    state, _ = lane.resolve_chance(state, 3)  # of 1, 2, 3, 5
    state, _ = lane.step(state, joint_of(lane, 0, 2))
    state, _ = lane.step(state, joint_of(lane, 1, 0))
    seen = [np.zeros(21), np.zeros(21)]
    for player, card in enumerate((4, 0)):
        seen[player][card] = 1.0  # own card
        seen[player][6 + 5] = 1.0  # open card
        seen[player][12] = 1.0  # second round
        seen[player][13:16] = 2 / 3, 1.0, 2 / 3
        seen[player][17:19] = 1.0, 1 / 3
        assert lane.observe(state, player).reshape(-1) == pytest.approx(seen[player])


@pytest.mark.lanes
@pytest.mark.parametrize("name", ["KuhnPoker", "LeducPoker", "LiarsDice"])
def test_encoders_take_no_arguments(name):
    encoder = getattr(rf.encoders, name)
    assert encoder().parameters == {}
    with pytest.raises(TypeError):
        encoder(history_length=3)
