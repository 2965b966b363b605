"""Names of components: built-in ones, registered ones, and those that packages bring."""

import importlib.metadata
import sys
import types

import pytest

import rinforza as rf
from rinforza.contracts.registry import Registry

ROOMS = {
    "games": rf.Game,
    "encoders": rf.Encoder,
    "policies": rf.Policy,
    "learners": rf.Learner,
    "chance_modes": rf.chance_modes.ChanceMode,
    "noise": rf.noise.Dirichlet,
}


class Coin(rf.policies.EpsilonGreedyQ):
    """A user's policy."""

    name = "coin"


@pytest.fixture
def registry():
    """A registry of policies like the public one, whose changes nobody else sees."""
    return Registry("policy", rf.Policy, "rinforza.policies")


@pytest.mark.parametrize("room", ROOMS)
def test_every_built_in_component_has_its_name(room):
    module = getattr(rf, room)
    names = module.registered()
    assert names == sorted(names)
    listed = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, ROOMS[room]) and hasattr(value, "name")
    ]
    assert names == sorted(part.name for part in listed)
    for name in names:
        made = module.make(name)
        assert made == type(made)()
        assert made.name == name


def test_names_that_users_know():
    assert {"chess", "connect4", "gridworld", "snake", "backgammon"} <= set(rf.games.registered())
    assert {"alphazero", "epsilon_greedy_q"} <= set(rf.policies.registered())
    assert {"alphazero", "dqn"} <= set(rf.learners.registered())
    assert {"minimal_chess", "relative_chess", "snake"} <= set(rf.encoders.registered())
    assert "dirichlet" in rf.noise.registered()
    assert "always_resample" in rf.chance_modes.registered()


def test_shortcuts():
    assert rf.make_game("gridworld", size=6) == rf.games.GridWorld(size=6)
    assert rf.make_policy("epsilon_greedy_q", epsilon=0.5) == rf.policies.EpsilonGreedyQ(epsilon=0.5)
    assert rf.make_learner("dqn", n_step=3) == rf.learners.Dqn(n_step=3)
    assert rf.registered_games() == rf.games.registered()
    assert rf.registered_policies() == rf.policies.registered()
    assert rf.registered_learners() == rf.learners.registered()


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "words"),
    [
        (
            ("gridwrold",),
            {},
            KeyError,
            "unknown game 'gridwrold'; registered are .*; did you mean 'gridworld'",
        ),
        (("",), {}, KeyError, "unknown game ''; registered are 2048, "),
        ((None,), {}, TypeError, "a game name must be a str, got NoneType"),
        (("gridworld",), {"size": 1}, ValueError, "size"),
        (("gridworld",), {"colour": 1}, TypeError, "colour"),
    ],
)
def test_what_cannot_be_made(arguments, keywords, error, words):
    with pytest.raises(error, match=words):
        rf.games.make(*arguments, **keywords)


def test_a_users_component(registry):
    assert registry.register(Coin) is Coin
    assert "coin" in registry.registered()
    assert registry.make("coin", epsilon=0.25) == Coin(epsilon=0.25)
    assert registry.register(Coin) is Coin
    again = type("Coin", (Coin,), {"__module__": Coin.__module__, "__qualname__": "Coin"})
    registry.register(again)  # defined once more, as a notebook does
    assert type(registry.make("coin")) is again
    assert "coin" not in rf.policies.registered()


@pytest.mark.parametrize(
    ("component", "error", "words"),
    [
        (3, TypeError, "a policy must be a subclass of Policy, got 3"),
        (rf.games.Chess, TypeError, "a policy must be a subclass of Policy"),
        (rf.policies.OneShot, TypeError, "OneShot must state `name`, a str, got None"),
        (type("Nameless", (Coin,), {"name": ""}), TypeError, "Nameless must state `name`, a str, got ''"),
        (type("Thief", (Coin,), {"name": "alphazero"}), ValueError, "the policy name 'alphazero' belongs to"),
        (
            type("Other", (Coin,), {}),
            ValueError,
            "the policy name 'coin' belongs to tests.*Coin; give .*Other",
        ),
    ],
)
def test_what_cannot_be_registered(registry, component, error, words):
    registry.register(Coin)
    with pytest.raises(error, match=words):
        registry.register(component)


@pytest.fixture
def packages(monkeypatch):
    """Installed packages with entry points; returns what has been imported of them."""
    module = types.ModuleType("coins")
    module.Coin = type("Coin", (Coin,), {"name": "minted"})
    module.Chess = rf.games.Chess
    loaded = []

    class Point(importlib.metadata.EntryPoint):
        def load(self):
            loaded.append(self.name)
            return super().load()

    monkeypatch.setitem(sys.modules, "coins", module)
    group = "rinforza.policies"
    points = [
        Point("minted", "coins:Coin", group),
        Point("alias", "coins:Coin", group),
        Point("chess", "coins:Chess", group),
        Point("broken", "coins:Absent", group),
        Point("alphazero", "coins:Coin", group),
    ]
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda *, group: [p for p in points if p.group == group]
    )
    return loaded


def test_components_of_installed_packages(packages):
    assert {"minted", "broken"} <= set(rf.policies.registered())
    assert packages == []
    assert rf.policies.make("minted", epsilon=0.5).epsilon == 0.5
    assert packages == ["minted"]
    assert type(rf.policies.make("alphazero")) is rf.policies.AlphaZero  # a built-in name stays
    assert "minted" not in rf.games.registered()
    with pytest.raises(ValueError, match="names a class whose name is 'minted'"):
        rf.policies.make("alias")
    with pytest.raises(TypeError, match="a policy must be a subclass of Policy"):
        rf.policies.make("chess")
    with pytest.raises(AttributeError):
        rf.policies.make("broken")
