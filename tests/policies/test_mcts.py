"""UCT: what it finds on the board, and how it chooses from what it found."""

import numpy as np
import pytest

from rinforza import Engine, games, learners, policies
from rinforza.testing import check_policy
from tests.naive.game_view import Position
from tests.policies.selection import Chooser
from tests.policies.test_alphazero import WINS_AT_ONCE, after, outcome_of
from tests.search.driver import SearchDriver, new_stream
from tests.toys.matching_pennies import MatchingPennies
from tests.toys.random_ticks import RandomTicks


def found(position, policy, seed=1):
    """The search's values and visits, one row for each."""
    driver = SearchDriver(policy, position, new_stream(seed))
    driver.begin()
    while driver.round() > 0:
        driver.answer(lambda obs: np.zeros((len(obs), 1, position.game.num_actions)))
    return driver.evaluation().reshape(2, -1)


@pytest.mark.parametrize("name", WINS_AT_ONCE)
def test_wins_at_connect4(name):
    moves, plies, simulations = WINS_AT_ONCE[name]
    position = after(games.Connect4(), moves)
    winning = {action for action in position.legal(position.turn) if outcome_of(position, action, plies) == 1}
    values, visits = found(position, policies.Mcts(simulations))
    legal = position.legal(position.turn)
    assert legal[int(values.argmax())] in winning
    assert legal[int(visits.argmax())] in winning


@pytest.mark.lanes
@pytest.mark.parametrize("simulations", [1, 5, 40])
def test_root_visits_total_the_simulations(simulations):
    _, visits = found(after(games.TicTacToe(), [4]), policies.Mcts(simulations))
    assert visits.sum() == simulations
    assert (visits > 0).sum() == min(simulations, 8)  # every action is tried once before one is tried again


@pytest.mark.lanes
def test_an_unvisited_action_is_not_chosen_by_its_value():
    chooser = Chooser(policies.Mcts())
    assert chooser.select([0.0, -0.5, -0.25, 0.0, 0, 3, 4, 0], 4) == 2
    assert chooser.select([0.0, -0.5, -0.5, 0.0, 0, 3, 4, 0], 4) == 1


@pytest.mark.lanes
def test_acting_by_visits():
    assert Chooser(policies.Mcts(act_by="visits")).select([0.9, -0.5, 0.1, 1, 7, 7], 3) == 1


@pytest.mark.lanes
def test_a_temperature_samples_by_visits_until_it_drops():
    chooser = Chooser(policies.Mcts(temperature=0.5, temperature_drop=2))
    chosen = []
    for _ in range(400):
        chooser.progress[0] = 0
        chosen += [chooser.select([9.0, 0.0, 0.0, 1, 3, 0], 3), chooser.select([9.0, 0.0, 0.0, 1, 3, 0], 3)]
        assert chooser.select([9.0, 0.0, 0.0, 1, 3, 0], 3) == 0
        assert chooser.progress[0] == 3
    shares = np.bincount(chosen, minlength=3) / len(chosen)
    assert shares[2] == 0.0
    assert shares[1] == pytest.approx(0.9, abs=0.04)  # 3**2 to 1**2


def test_matching_pennies_is_played_near_its_equilibrium():
    """Decoupled UCT circles the mixed equilibrium: in the long run each side is visited about half the time."""
    position = Position(MatchingPennies())
    _, visits = found(position, policies.Mcts(20_000, uct_c=1.0))
    assert visits[0] / visits.sum() == pytest.approx(0.5, abs=0.05)


def test_no_tree_is_kept_between_decisions_of_two_players_at_once():
    engine = Engine(RandomTicks(2), None, policies.Mcts(9), learners.TreeStrap(), 4, n_threads=1)
    measured = engine.collect(30, lambda obs: np.zeros((len(obs), 1, 3))).telemetry
    searched = measured["requested_rows"] - measured["tail_rows"] - measured["extra_eval_rows"]
    assert searched + measured["terminal_sims"] + measured["depthcap_sims"] == 9 * measured["decisions"]
    assert measured["extra_eval_rows"] > 0


@pytest.mark.parametrize("game", [games.TicTacToe(), games.GridWorld(3), RandomTicks(1)], ids=repr)
def test_conformance(game):
    check_policy(policies.Mcts(8), game)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"num_simulations": 0}, ValueError),
        ({"num_simulations": -1}, OverflowError),
        ({"uct_c": -0.5}, ValueError),
        ({"uct_c": float("inf")}, ValueError),
        ({"max_depth": 0}, ValueError),
        ({"act_by": "luck"}, ValueError),
        ({"temperature": float("nan")}, ValueError),
        ({"temperature_drop": 1.5}, TypeError),
        ({"chance": "all"}, TypeError),
    ],
)
def test_bad_arguments(arguments, error):
    with pytest.raises(error, match=next(iter(arguments))):
        policies.Mcts(**arguments)


def test_random_numbers_are_only_spent_on_samples():
    chooser = Chooser(policies.Mcts())
    for _ in range(5):
        chooser.select([0.5, 0.1, 1, 1], 2)
    assert chooser.drawn == 0
