"""What must hold of every batch: dtypes, shapes, and well-formed ragged arrays."""

import numpy as np

FORMS = {
    "DqnBatch": {
        "obs": (np.float32, "observation"),
        "next_obs": (np.float32, "observation"),
        "players": (np.int64, None),
        "actions": (np.int64, None),
        "rewards": (np.float64, None),
        "dones": (np.bool_, None),
        "can_bootstrap": (np.bool_, None),
        "discounts": (np.float64, None),
        "masks": (np.float32, "heads"),
    },
    "PpoBatch": {
        "obs": (np.float32, "observation"),
        "players": (np.int64, None),
        "actions": (np.int64, None),
        "behavior_log_probs": (np.float64, None),
        "advantages": (np.float64, None),
        "returns": (np.float64, None),
        "values": (np.float64, None),
    },
    "AlphaZeroBatch": {
        "obs": (np.float32, "observation"),
        "players": (np.int64, None),
        "policy_targets": (np.float64, "actions"),
        "value_targets": (np.float64, None),
        "policy_weights": (np.float64, None),
    },
}


def assert_well_formed(batch, game, heads=1):
    """Check a batch against the tables of the batch formats."""
    rows = len(batch.obs)
    widths = {
        "observation": (int(np.prod(game.observation_space().shape)),),
        "actions": (game.num_actions,),
        "heads": (heads,),
        None: (),
    }
    for name, (dtype, width) in FORMS[type(batch).__name__].items():
        array = getattr(batch, name)
        assert array.dtype == dtype, name
        assert array.shape == (rows, *widths[width]), name
        assert array.flags.c_contiguous, name
        assert np.isfinite(array).all(), name
    assert_ragged(batch.legal_ids, batch.legal_offsets, rows, game.num_actions)
    assert np.isin(batch.players, np.arange(game.num_players)).all()
    RULES[type(batch).__name__](batch, game)


def assert_ragged(ids, offsets, rows, n_actions):
    """Check one CSR pair: offsets from 0 to the end, ids ascending within a row and in range."""
    assert ids.dtype == np.int64
    assert offsets.dtype == np.int64
    assert offsets.shape == (rows + 1,)
    assert offsets[0] == 0
    assert offsets[-1] == len(ids)
    assert (np.diff(offsets) >= 0).all()
    for row in range(rows):
        assert (np.diff(slice_of(ids, offsets, row)) > 0).all()
    assert ((ids >= 0) & (ids < n_actions)).all()


def slice_of(ids, offsets, row):
    """Return the ids of one row."""
    return ids[offsets[row] : offsets[row + 1]]


def assert_dqn_rules(batch, game):
    """Check what ties the fields of a `DqnBatch` together."""
    assert_ragged(batch.next_legal_ids, batch.next_legal_offsets, len(batch.obs), game.num_actions)
    assert (batch.can_bootstrap == (np.diff(batch.next_legal_offsets) > 0)).all()
    assert (batch.discounts[~batch.can_bootstrap] == 0.0).all()
    assert not (batch.dones & batch.can_bootstrap).any()
    for row, action in enumerate(batch.actions):
        assert action in slice_of(batch.legal_ids, batch.legal_offsets, row)
    assert np.isin(batch.masks, (0.0, 1.0)).all()


def assert_ppo_rules(batch, game):
    """Check what ties the fields of a `PpoBatch` together."""
    assert np.allclose(batch.returns, batch.advantages + batch.values)
    assert (batch.behavior_log_probs <= 0.0).all()
    for row, action in enumerate(batch.actions):
        assert action in slice_of(batch.legal_ids, batch.legal_offsets, row)


def assert_alphazero_rules(batch, game):
    """Check what ties the fields of an `AlphaZeroBatch` together."""
    assert np.allclose(batch.policy_targets.sum(axis=1), batch.policy_weights)
    assert ((np.diff(batch.legal_offsets) > 0) == (batch.policy_weights > 0)).all()
    assert (batch.policy_targets[~batch.legal_mask()] == 0.0).all()
    assert (batch.policy_targets >= 0.0).all()
    assert np.isin(batch.policy_weights, (0.0, 1.0)).all()


RULES = {
    "DqnBatch": assert_dqn_rules,
    "PpoBatch": assert_ppo_rules,
    "AlphaZeroBatch": assert_alphazero_rules,
}
