"""What is done to observations and answers on their way, whatever library the network is of."""

import numpy as np
import pytest

from rinforza.infer.form import Form

pytestmark = pytest.mark.lanes

OBS = np.arange(24, dtype=np.float32).reshape(2, 12)


def form(shape=None, rows=None, one_head=False):
    return Form("it", shape, rows, one_head)


def itself(part):
    return part


def test_observations_that_fit_are_not_copied():
    assert form().given(OBS) is OBS
    images = form(shape=(3, 2, 2)).given(OBS)
    assert images.shape == (2, 3, 2, 2)
    assert np.shares_memory(images, OBS)
    np.testing.assert_array_equal(images.ravel(), OBS.ravel())
    assert form(rows=2).given(OBS) is OBS


@pytest.mark.parametrize(
    "obs",
    [np.asfortranarray(OBS), OBS[::-1], OBS.astype(np.float64), OBS.astype(">f4")],
    ids=["columns", "backwards", "double", "big-endian"],
)
def test_other_arrays_are_made_fit(obs):
    given = form().given(obs)
    assert given.dtype == np.float32
    assert given.flags.c_contiguous
    np.testing.assert_array_equal(given, obs)


def test_a_protected_array_is_copied():
    protected = OBS.copy()
    protected.flags.writeable = False
    assert form().given(protected).flags.writeable


@pytest.mark.parametrize("shape", [None, (3, 2, 2)])
def test_short_windows_are_padded_and_their_answers_cut(shape):
    padding = form(shape=shape, rows=5)
    given = padding.given(OBS).reshape(5, 12)
    np.testing.assert_array_equal(given[:2], OBS)
    assert not given[2:].any()
    logits, values = padding.answer((given[:, :7], given[:, 0]), itself, len(OBS))
    np.testing.assert_array_equal(logits, OBS[:, :7])
    np.testing.assert_array_equal(values, OBS[:, 0])


@pytest.mark.parametrize("pair", [tuple, list])
@pytest.mark.parametrize("shape", [(2,), (2, 1)])
def test_values_become_one_axis(pair, shape):
    logits, values = form().answer(pair([OBS, np.ones(shape, np.float32)]), itself, 2)
    assert logits is OBS
    assert values.shape == (2,)


def test_wide_values_are_left_to_the_check_of_the_engine():
    assert form().answer((OBS, OBS), itself, 2)[1].shape == (2, 12)


def test_one_head_is_lifted_only_on_demand():
    assert form().answer(OBS, itself, 2) is OBS
    assert form(one_head=True).answer(OBS, itself, 2).shape == (2, 1, 12)
    assert form(one_head=True, rows=2).answer(OBS, itself, 1).shape == (1, 1, 12)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rows": 0}, ValueError, "rows must be >= 1, got 0"),
        ({"rows": -1}, OverflowError, "rows must not be negative"),
        ({"rows": 2.0}, TypeError, "rows must be an int"),
        ({"shape": (3, 0)}, ValueError, "a size in shape must be >= 1, got 0"),
        ({"shape": ("3",)}, TypeError, "a size in shape must be an int"),
        ({"shape": 27}, TypeError, r"shape must be a sequence of sizes such as \(3, 8, 8\), got 27"),
        ({"one_head": 1}, TypeError, "one_head must be a bool"),
    ],
)
def test_wrong_options(options, error, words):
    with pytest.raises(error, match=words):
        form(**options)


def test_observations_that_do_not_fit():
    with pytest.raises(ValueError, match=r"it\(shape=\(3, 2, 1\)\) does not fit observations of 12 numbers"):
        form(shape=(3, 2, 1)).given(OBS)
    with pytest.raises(ValueError, match=r"it\(rows=1\) was given 2 rows; .* batch_size"):
        form(rows=1).given(OBS)


@pytest.mark.parametrize(
    ("options", "answer", "error", "words"),
    [
        ({}, (OBS,), TypeError, "it: the network answered 1 arrays; expected one, or logits and values"),
        ({}, [OBS] * 3, TypeError, "answered 3 arrays"),
        ({"one_head": True}, (OBS, OBS), TypeError, "one_head is for Q values, and the network answered log"),
        ({"one_head": True}, OBS[:, None], ValueError, r"\(rows, actions\), and .* answered \(2, 1, 12\)"),
        ({"rows": 4}, OBS, ValueError, r"the network was given 4 rows and answered \(2, 12\)"),
        ({"rows": 4}, np.float32(1.0), ValueError, r"was given 4 rows and answered \(\)"),
    ],
)
def test_answers_that_do_not_fit(options, answer, error, words):
    with pytest.raises(error, match=words):
        form(**options).answer(answer, itself, 2)


def test_arrays_are_read_as_single_floats():
    assert form().read_array(OBS) is OBS
    for dtype in (np.float16, np.float64):
        found = form().read_array(OBS.astype(dtype))
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, OBS)


@pytest.mark.parametrize(
    ("part", "got"),
    [
        (OBS.astype(int), "an array of int64"),
        (OBS > 1, "an array of bool"),
        (OBS.astype(object), "an array of object"),
        ({"logits": OBS}, "dict"),
        ([[1.0]], "list"),
        (None, "NoneType"),
    ],
)
def test_what_is_not_read(part, got):
    with pytest.raises(TypeError, match=f"it: the network answered {got}; expected an array of floats"):
        form().read_array(part)
