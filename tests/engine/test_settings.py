"""Changing a policy's schedulable parameters while the engine runs."""

import logging

import numpy as np
import pytest

import rinforza as rf
from tests.engine.compositions import COMPOSITIONS, bits, data, q_composition, search_composition
from tests.engine.test_failures import Flaky, NetworkError

pytestmark = pytest.mark.lanes


@pytest.mark.parametrize("policy", rf.policies.registered())
def test_what_is_schedulable_is_a_number_with_a_place_of_its_own(policy):
    """A change of it must neither change a layout nor a claim."""
    first = rf.policies.make(policy)
    for name in first.schedulable:
        value = first.parameters[name]
        assert type(value) in (int, float), name
        other = rf.policies.make(policy, **{name: value + 1 if type(value) is int else value / 2 + 0.25})
        assert other.record.dtype == first.record.dtype
        assert (other.output, other.evaluation_scalars, other.evaluation_heads) == (
            first.output,
            first.evaluation_scalars,
            first.evaluation_heads,
        )


def test_a_setting_is_in_force_from_the_next_batch_on():
    """An engine that is set is one that was made so, given the same moment."""
    composition = q_composition()
    engine = composition.engine(3)
    engine.collect(10, composition.network)
    engine.set(epsilon=0.9)
    other = composition.with_policy(rf.policies.EpsilonGreedyQ(3, 0.9)).engine(3)
    twin = composition.engine(3)
    twin.collect(10, composition.network)
    moment = twin.snapshot()
    moment.header["composition"]["policy"]["epsilon"] = 0.9
    moment.header["settings"]["epsilon"] = moment.header["active"]["epsilon"] = 0.9
    other.restore(rf.EngineSnapshot(dict(moment.header), moment.arrays))
    expected = other.collect(30, composition.network)
    assert bits(engine.collect(30, composition.network)) == bits(expected)
    assert data(twin.collect(30, composition.network)) != data(expected)


def test_more_simulations_than_before():
    composition = search_composition()
    engine = composition.engine(3)
    engine.collect(8, composition.network)
    engine.set(num_simulations=40, temperature=0.0)
    batch = engine.collect(8, composition.network)
    assert batch.telemetry["mean_leaves"] == 40
    assert batch.telemetry["settings"]["num_simulations"] == 40
    engine.set(num_simulations=2)
    batch = engine.collect(8, composition.network)
    assert batch.telemetry["mean_leaves"] == 2
    assert batch.telemetry["settings"]["temperature"] == 0.0


@pytest.mark.parametrize("name", ["search", "q"])
def test_a_collection_under_way_goes_on_as_it_began(name):
    composition = COMPOSITIONS[name]()
    changes = {"epsilon": 0.75} if "epsilon" in composition.policy.schedulable else {"num_simulations": 3}
    usual, engine = composition.engine(4), composition.engine(4)
    with pytest.raises(NetworkError):
        engine.collect(20, Flaky(composition.network, {6}))
    engine.set(**changes)
    restored = composition.engine(4)
    restored.restore(engine.snapshot())
    first = usual.collect(20, composition.network)
    usual.set(**changes)
    second = usual.collect(20, composition.network)
    for other in (engine, restored):
        assert data(other.collect(20, composition.network)) == data(first)
        found = other.collect(20, composition.network)
        assert data(found) == data(second)
        assert found.telemetry["settings"].items() >= changes.items()


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        (
            {"n_heads": 2},
            TypeError,
            "EpsilonGreedyQ has no schedulable parameter 'n_heads'; those .* are: epsilon",
        ),
        ({"colour": 2}, TypeError, "no schedulable parameter 'colour'"),
        ({"epsilon": 1.5}, ValueError, "epsilon must be <= 1"),
        ({"epsilon": "0.5"}, TypeError, "epsilon must be a float"),
        ({"epsilon": None}, TypeError, "epsilon must be a float"),
    ],
)
def test_what_is_refused_changes_nothing(settings, error, words):
    composition = q_composition()
    engine = composition.engine(3)
    before = engine.snapshot()
    with pytest.raises(error, match=words):
        engine.set(**settings)
    engine.set()
    assert engine.snapshot() == before


def test_a_stream_follows_a_schedule():
    composition = q_composition()
    engine = composition.engine(3)
    with engine.collect_stream(5, composition.network) as stream:
        engine.set(epsilon=0.0)
        shares = [stream.next().telemetry["settings"]["epsilon"] for _ in range(4)]
    assert shares[-1] == 0.0


def test_settings_of_another_layout_are_refused():
    class Tabled(rf.policies.EpsilonGreedyQ):
        schedulable = ("table",)

        def __init__(self, table=(0.5,), n_heads=3, epsilon=0.5):
            rf.Policy.__init__(self, {"table": np.array(table), "n_heads": n_heads, "epsilon": epsilon})

    engine = q_composition().with_policy(Tabled()).engine(3)
    engine.set(table=(0.25,))
    with pytest.raises(TypeError, match="would change the layout"):
        engine.set(table=(0.25, 0.5))


def test_scalars_for_a_logger():
    composition = search_composition()
    measured = composition.engine(3).collect(30, composition.network).telemetry
    scalars = measured.scalars("collect/")
    assert all(type(value) is float and np.isfinite(value) for value in scalars.values())
    assert scalars["collect/decisions"] == measured["decisions"]
    assert scalars["collect/settings/num_simulations"] == 7
    assert scalars["collect/episodes"] == len(measured["episodes"])
    ticks = [ticks for _, ticks, _ in measured["episodes"]]
    assert scalars["collect/ticks/max"] == max(ticks)
    assert scalars["collect/returns/player_1/mean"] == np.mean(
        [returns[1] for returns, *_ in measured["episodes"]]
    )
    assert 0.0 < scalars["collect/callback_share"] < 1.0
    assert 0.0 < scalars["collect/window_fill"] <= 1.0
    rate = scalars["collect/records_per_second"] * scalars["collect/collect_seconds"]
    assert rate == pytest.approx(measured["records"])
    assert "collect/cache_hit_share" not in scalars
    empty = composition.engine(3).collect(0, composition.network).telemetry.scalars()
    assert empty["episodes"] == empty["records"] == 0.0
    assert not any("ticks" in name or "second" in name.removesuffix("_seconds") for name in empty)


def test_what_the_log_is_told(caplog):
    composition = search_composition()
    engine = composition.engine(3)
    with caplog.at_level(logging.DEBUG, "rinforza"):
        engine.collect(10, composition.network)
        engine.set(temperature=0.5)
        engine.restore(engine.snapshot(policy_version=4))
    assert "records and" in caplog.text
    assert "callback" in caplog.text
    assert "from the next batch on: AlphaZero(num_simulations=7" in caplog.text
    assert "restored <EngineSnapshot" in caplog.text
    assert all(record.name.startswith("rinforza.") for record in caplog.records)
