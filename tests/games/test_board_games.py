"""What Othello, Hex, Go and 2048 say of themselves, and what their constructors share."""

import pytest

import rinforza as rf
from rinforza.contracts.encoder import ActionView
from tests.testing.toys import GuessView

GAMES = [rf.games.Othello, rf.games.Hex, rf.games.Go, rf.games.Game2048]
VERSUS = {"win": 1.0, "loss": -1.0, "draw": 0.0}
FACTS = [
    (rf.games.Othello(), "othello", 2, 65, "none", VERSUS),
    (rf.games.Hex(), "hex", 2, 121, "none", {"win": 1.0, "loss": -1.0}),
    (rf.games.Go(), "go", 2, 82, "none", VERSUS),
    (rf.games.Game2048(), "2048", 1, 4, "anywhere", {"step": 0.0, "merge": 1.0}),
]
VIEWS = [
    (rf.games.Othello(), (3, 8, 8), ["own discs", "other's discs", "own placements"]),
    (rf.games.Hex(5), (3, 5, 5), ["own stones", "other's stones", "observer joins top and bottom"]),
    (
        rf.games.Go(5),
        (5, 5, 5),
        ["own stones", "other's stones", "own placements", "last move was a pass", "observer is black"],
    ),
    (rf.games.Game2048(), (18, 4, 4), ["empty", *(f"tile {2**exponent}" for exponent in range(1, 18))]),
]


@pytest.mark.parametrize(("game", "name", "players", "actions", "chance", "events"), FACTS)
def test_claims(game, name, players, actions, chance, events):
    assert (game.name, game.num_players, game.num_actions) == (name, players, actions)
    assert (game.dynamics, game.chance_nodes, game.information) == ("sequential", chance, "perfect")
    assert game.events == events
    assert game.action_space().n == actions
    assert game.truncation_horizon() is None


@pytest.mark.parametrize(("game", "shape", "planes"), VIEWS)
def test_what_networks_see(game, shape, planes):
    space = game.observation_space()
    assert game.encoder.name == game.name
    assert space.shape == shape
    assert game.encoder.planes(game) == planes
    assert (space.low == 0).all()
    assert (space.high == 1).all()
    view = ActionView(game)
    last = game.num_actions - 1
    assert view.head_index(last, 0) == view.game_action(last, 0) == last


@pytest.mark.parametrize("constructor", GAMES)
class TestEveryConstructor:
    def test_unknown_keywords_are_type_errors(self, constructor):
        with pytest.raises(TypeError, match="unexpected keyword"):
            constructor(colour="red")

    def test_another_games_encoder_is_refused_by_both_names(self, constructor):
        with pytest.raises(ValueError, match="incompatible encoder") as caught:
            constructor(encoder=GuessView())
        assert "'guess_view'" in str(caught.value)
        assert repr(constructor.name) in str(caught.value)

    def test_what_is_no_encoder_is_a_type_error(self, constructor):
        with pytest.raises(TypeError, match="encoder must be an Encoder or None"):
            constructor(encoder="othello")

    def test_equal_parameters_make_equal_games(self, constructor):
        game = constructor()
        assert constructor(**game.parameters) == game
        assert hash(constructor()) == hash(game)
        assert repr(game).startswith(constructor.__name__)


@pytest.mark.parametrize("name", [constructor.__name__ for constructor in GAMES])
def test_encoders_take_no_arguments(name):
    constructor = getattr(rf.encoders, name)
    assert constructor().parameters == {}
    with pytest.raises(TypeError):
        constructor(history_length=3)
