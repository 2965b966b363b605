"""The chance modes: their values, and what compiled code sees of them."""

import pytest

from rinforza.contracts.chance_modes import (
    ALWAYS_RESAMPLE,
    COMMITTED,
    EXPAND_ALL,
    AlwaysResample,
    Committed,
    ExpandAll,
)


@pytest.mark.parametrize(
    ("mode", "kind", "samples", "name"),
    [
        (AlwaysResample(), ALWAYS_RESAMPLE, 0, "always_resample"),
        (Committed(), COMMITTED, 1, "committed"),
        (Committed(samples=7), COMMITTED, 7, "committed"),
        (Committed(1 << 20), COMMITTED, 1 << 20, "committed"),
        (ExpandAll(), EXPAND_ALL, 0, "expand_all"),
    ],
)
def test_what_a_mode_is(mode, kind, samples, name):
    assert (mode.kind, mode.samples, mode.name) == (kind, samples, name)
    assert mode.record["kind"][0] == kind
    assert type(mode)(**mode.parameters) == mode
    assert mode.parameters == ({"samples": samples} if kind == COMMITTED else {})


@pytest.mark.parametrize(
    ("samples", "error", "text"),
    [
        (0, ValueError, "samples must be >= 1, got 0"),
        ((1 << 20) + 1, ValueError, "samples must be <= 1048576"),
        (-1, OverflowError, "samples must not be negative"),
        (1.0, TypeError, "samples must be an int"),
        (True, TypeError, "samples must be an int"),
    ],
)
def test_refused_samples(samples, error, text):
    with pytest.raises(error, match=text):
        Committed(samples)
