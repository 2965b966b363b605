"""The public conformance checks, and an engine that plays chess."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import without_compiling

ENCODERS = [
    rf.encoders.MinimalChess(),
    rf.encoders.RelativeChess(),
    rf.encoders.OpenSpielChess(),
    rf.encoders.AlphaZeroChess(),
]
LATE = "8/PPPk4/8/8/8/8/4Kppp/8 w - - 60 90"


@pytest.mark.lanes
@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
def test_the_game_keeps_its_contract(encoder):
    rf.testing.check_game(rf.games.Chess(encoder=encoder), ticks=200, plain_ticks=20)


@pytest.mark.lanes
@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
def test_the_encoders_keep_their_contract(encoder):
    rf.testing.check_encoder(encoder, rf.games.Chess(fen=LATE, encoder=encoder), ticks=40)


@pytest.mark.parametrize("encoder", [*ENCODERS, rf.encoders.AlphaZeroChess(12)], ids=repr)
def test_any_moment_can_be_kept_and_taken_up_again(encoder):
    with without_compiling():
        env, other = (rf.Env(rf.games.Chess(encoder=encoder), rf.Reward(), seed=seed) for seed in (3, 9))
        generator = np.random.default_rng(3)
        for _ in range(30):
            turn = env.active_agents()[0]
            other.restore(rf.EnvSnapshot.from_bytes(env.snapshot().to_bytes()))
            assert other.state() == env.state()
            assert np.array_equal(other.observe(turn), env.observe(turn))
            action = int(generator.choice(env.legal_actions(turn)))
            env.step({turn: action})
            other.step({turn: action})
            assert other.state_bytes == env.state_bytes
