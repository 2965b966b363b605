"""One callback for each player: each sees its player's rows only, and the records are the same."""

import pytest

from tests.engine.compositions import EPISODES, bits, data, q_composition, search_composition
from tests.naive.matching import Twins
from tests.toys.networks import PolicyValueNetwork, QNetwork, Recorder


def observer_of(name, row):
    """The player whose view a row is."""
    return row[1] if name == "simultaneous" else row[4] - 1


def twins_of(composition, network, n_games, seed=5):
    """Naive slots for a composition."""
    return Twins(
        composition.game,
        composition.reward,
        composition.policy,
        composition.learner,
        network,
        seed,
        n_games,
    )


def recorders(composition):
    """The composition's network once for each player, with its calls kept."""
    return [Recorder(composition.network) for _ in range(composition.game.num_players)]


@pytest.mark.lanes
@pytest.mark.parametrize("name", EPISODES)
@pytest.mark.parametrize("batch_size", [1, 3, 50])
def test_each_callback_sees_its_players_rows(name, batch_size):
    composition = EPISODES[name]()
    networks = recorders(composition)
    measured = composition.engine(5, batch_size=batch_size).collect(30, networks).telemetry
    for player, network in enumerate(networks):
        assert network.calls
        for call in network.calls:
            assert 1 <= len(call) <= batch_size
            assert {observer_of(name, row) for row in call} == {player}
    assert measured["infer_calls"] == sum(len(network.calls) for network in networks)
    assert measured["infer_rows"] == sum(network.rows for network in networks)
    assert measured["infer_rows"] == measured["requested_rows"]


@pytest.mark.parametrize("name", EPISODES)
@pytest.mark.parametrize("n_games", [1, 5])
def test_equal_networks_give_the_episodes_of_a_shared_one(name, n_games):
    composition = EPISODES[name]()
    engine = composition.engine(n_games)
    twins = twins_of(composition, composition.network, n_games)
    for floor in (5, 30):
        twins.accept(engine.collect(floor, [composition.network] * composition.game.num_players))


@pytest.mark.parametrize("name", EPISODES)
def test_one_game_gives_the_very_batches_of_a_shared_network(name):
    composition = EPISODES[name]()
    shared, routed = composition.engine(1), composition.engine(1)
    for floor in (1, 20):
        expected = composition.network
        found = routed.collect(floor, tuple([expected] * composition.game.num_players))
        assert data(found) == data(shared.collect(floor, expected))


@pytest.mark.lanes
@pytest.mark.parametrize("name", EPISODES)
def test_different_networks_for_the_players(name):
    composition = EPISODES[name]()
    own = composition.network
    networks = [
        PolicyValueNetwork(own.n_actions, salt=player)
        if isinstance(own, PolicyValueNetwork)
        else QNetwork(own.n_actions, own.n_heads, salt=player)
        for player in range(composition.game.num_players)
    ]
    engine = composition.engine(4)
    twins = twins_of(composition, networks, 4)
    for floor in (5, 20):
        twins.accept(engine.collect(floor, networks))


@pytest.mark.parametrize("name", EPISODES)
def test_threads_do_not_change_a_bit(name):
    composition = EPISODES[name]()
    results = []
    for n_threads in (1, 2, 4):
        engine = composition.engine(40, n_threads=n_threads)
        networks = [composition.network] * composition.game.num_players
        results.append([bits(engine.collect(floor, networks)) for floor in (1, 200)])
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("name", EPISODES)
@pytest.mark.parametrize("n_threads", [1, 2])
def test_callers_may_change_between_shared_and_routed(name, n_threads):
    composition = EPISODES[name]()
    engine = composition.engine(5, n_threads=n_threads)
    twins = twins_of(composition, composition.network, 5)
    routed = [composition.network] * composition.game.num_players
    for infer in (composition.network, routed, composition.network, tuple(routed), routed):
        twins.accept(engine.collect(12, infer))


class NetworkError(Exception):
    """What the callbacks here raise."""


def failing_from(network, number):
    """The network, down from a call on."""
    turn = iter(range(10**6))

    def flaky(obs):
        if next(turn) >= number:
            raise NetworkError
        return network(obs)

    return flaky


@pytest.mark.parametrize("name", EPISODES)
@pytest.mark.parametrize("number", [0, 1, 2, 5, 9])
def test_a_failure_and_another_route_after_it(name, number):
    """Rows that wait for one kind of callback are served by the other, each once."""
    composition = EPISODES[name]()
    players = composition.game.num_players
    shared, routed = composition.network, [composition.network] * players
    broken = failing_from(composition.network, number)
    for failing, working in ((broken, routed), ([shared] * (players - 1) + [broken], shared)):
        engine = composition.engine(5, batch_size=2)
        twins = twins_of(composition, shared, 5)
        failed = 0
        for infer in (failing, working, failing, working, working):
            try:
                twins.accept(engine.collect(25, infer))
            except NetworkError:
                failed += 1
        assert failed > 0
        assert twins.taken.sum() > 5


def test_failures_at_every_call_of_a_routed_collect():
    composition = q_composition()
    networks = recorders(composition)
    expected = data(composition.engine(4).collect(20, networks))
    for player, recorder in enumerate(networks):
        for number in range(len(recorder.calls)):
            turn = iter(range(10**6))

            def flaky(obs, turn=turn, number=number):
                if next(turn) == number:
                    raise NetworkError
                return composition.network(obs)

            infer = [composition.network] * 2
            infer[player] = flaky
            engine = composition.engine(4)
            with pytest.raises(NetworkError):
                engine.collect(20, infer)
            assert data(engine.collect(20, infer)) == expected


@pytest.mark.parametrize("n_records", [0, 10])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_one_callable_for_each_player(count, n_records):
    composition = search_composition()
    with pytest.raises(ValueError, match=f"expected 2 per-player infer callables, got {count}"):
        composition.engine().collect(n_records, [composition.network] * count)


def test_every_element_must_be_callable():
    composition = search_composition()
    engine = composition.engine()
    with pytest.raises(TypeError, match=r"infer\[1\] must be callable, got NoneType"):
        engine.collect(10, [composition.network, None])
    assert data(engine.collect(10, composition.network)) == data(
        composition.engine().collect(10, composition.network)
    )


def test_a_list_of_one_for_one_player():
    composition = q_composition(num_players=1)
    shared, routed = composition.engine(), composition.engine()
    found = routed.collect(20, [composition.network])
    assert data(found) == data(shared.collect(20, composition.network))


def test_padding_a_list_of_one():
    composition = q_composition(num_players=1)
    recorder = Recorder(composition.network)
    composition.engine(4, batch_size=3, pad=True).collect(20, [recorder])
    assert {len(call) for call in recorder.calls} == {3}
