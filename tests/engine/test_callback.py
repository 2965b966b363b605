"""What a callback may return, and how each wrong answer is refused: class, words, and nothing lost."""

import numpy as np
import pytest

from tests.engine.compositions import data, q_composition, search_composition
from tests.toys.arrays import Lends, Streams

ROWS, ACTIONS, HEADS = 4, 5, 3  # the first window of `n_games=4, batch_size=4`


def search_engine():
    """An engine whose first window has ROWS rows of (logits, values)."""
    return search_composition().engine(ROWS, batch_size=ROWS)


def q_engine():
    """An engine whose first window has ROWS rows of Q values."""
    return q_composition().engine(ROWS, batch_size=ROWS)


class Own(np.ndarray):
    """A subclass of NumPy's array."""


def big_endian(array):
    """The same numbers in the other byte order."""
    return array.astype(array.dtype.newbyteorder(">"))


def strided(array):
    """The same numbers, not contiguous."""
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def reversed_rows(array):
    """The same numbers with a negative stride."""
    return array[::-1].copy()[::-1]


def fortran(array):
    """The same numbers in column order."""
    return np.asfortranarray(array)


def read_only(array):
    """The same numbers, write-protected."""
    array = array.copy()
    array.flags.writeable = False
    return array


def unaligned(array):
    """The same numbers at an odd address."""
    raw = np.zeros(array.nbytes + 1, np.uint8)
    raw[1:] = np.frombuffer(array.tobytes(), np.uint8)
    return raw[1:].view(array.dtype).reshape(array.shape)


FORMS = [
    Lends,
    Streams,
    lambda array: array.view(Own),
    strided,
    reversed_rows,
    fortran,
    read_only,
    unaligned,
    big_endian,
]
FORM_NAMES = ["array protocol", "dlpack", "subclass", *(form.__name__ for form in FORMS[3:])]


@pytest.mark.lanes
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", FORMS, ids=FORM_NAMES)
def test_accepted_q_values(form, dtype):
    composition = q_composition()
    composition.network.dtype = dtype
    usual, other = composition.engine(3), composition.engine(3)
    expected = data(usual.collect(10, composition.network))
    assert data(other.collect(10, lambda obs: form(composition.network(obs)))) == expected


@pytest.mark.lanes
@pytest.mark.parametrize(
    "dtypes", [(np.float32, np.float32), (np.float32, np.float64), (np.float64, np.float32)]
)
@pytest.mark.parametrize("form", FORMS, ids=FORM_NAMES)
def test_accepted_logits_and_values(form, dtypes):
    composition = search_composition()

    def plain(obs):
        return tuple(part.astype(dtype) for part, dtype in zip(composition.network(obs), dtypes, strict=True))

    usual, other = composition.engine(3), composition.engine(3)
    expected = data(usual.collect(10, plain))
    assert data(other.collect(10, lambda obs: tuple(map(form, plain(obs))))) == expected


@pytest.mark.lanes
def test_float32_widens_exactly():
    composition = search_composition()
    single, double = composition.engine(), composition.engine()

    def rounded(obs):
        return tuple(part.astype(np.float32) for part in composition.network(obs))

    expected = data(single.collect(10, rounded))
    assert data(double.collect(10, lambda obs: tuple(map(np.float64, rounded(obs))))) == expected


@pytest.mark.lanes
@pytest.mark.parametrize("filler", [0.0, np.nan, np.inf, 1e300])
def test_columns_after_the_actions_are_ignored(filler):
    composition = search_composition()
    usual, padded = composition.engine(), composition.engine()

    def wide(obs):
        logits, values = composition.network(obs)
        return np.hstack([logits, np.full((len(obs), 3), filler)]), values

    assert data(padded.collect(10, wide)) == data(usual.collect(10, composition.network))


@pytest.mark.lanes
def test_only_legal_columns_matter():
    """Any finite number in an illegal column leaves the records as they are."""
    for composition, share in ((search_composition(), 1), (q_composition(), 3)):
        engine = composition.engine()
        known = {}
        batch = engine.collect(20, composition.network)
        for row, mask in zip(batch.obs, batch.legal_mask(), strict=True):
            known[row.tobytes()] = mask

        def spoilt(obs, composition=composition, known=known):
            answer = composition.network(obs)
            columns = answer[0] if isinstance(answer, tuple) else answer
            for row, seen in enumerate(obs):
                if seen.tobytes() in known:
                    columns[row][..., ~known[seen.tobytes()]] = 1e6
            return answer

        again = composition.engine().collect(20, spoilt)
        assert data(again) == data(batch), share


def q_zeros(*shape, dtype=np.float64):
    """A callback that answers zeros of a shape."""
    return lambda obs: np.zeros(shape, dtype)


def raw(value):
    """A callback that answers one thing."""
    return lambda obs: value


Q_REFUSALS = {
    "a list": (raw([[[0.0] * 5] * 3] * 4), TypeError, "must be a float64 or float32 ndarray; got type list"),
    "nothing": (raw(None), TypeError, "must be a float64 or float32 ndarray; got type NoneType"),
    "a tuple": (
        raw((np.zeros((4, 5)), np.zeros(4))),
        TypeError,
        "float64 or float32 ndarray; got type tuple",
    ),
    "float16": (
        q_zeros(4, 3, 5, dtype=np.float16),
        TypeError,
        "float64 or float32 ndarray; got dtype float16",
    ),
    "integers": (q_zeros(4, 3, 5, dtype=np.int64), TypeError, "float64 or float32 ndarray; got dtype int64"),
    "booleans": (q_zeros(4, 3, 5, dtype=np.bool_), TypeError, "float64 or float32 ndarray; got dtype bool"),
    "complex": (q_zeros(4, 3, 5, dtype=np.complex128), TypeError, "got dtype complex128"),
    "objects": (q_zeros(4, 3, 5, dtype=object), TypeError, "got dtype object"),
    "a long double": (q_zeros(4, 3, 5, dtype=np.longdouble), TypeError, "must be a float64 or float32"),
    "two dimensions": (q_zeros(4, 5), TypeError, "must be a 3-d ndarray; got 2-d"),
    "four dimensions": (q_zeros(4, 3, 5, 1), TypeError, "must be a 3-d ndarray; got 4-d"),
    "integers of two dimensions": (
        q_zeros(4, 5, dtype=np.int64),
        TypeError,
        "must be a 3-d ndarray; got 2-d",
    ),
    "a number": (raw(np.float64(1.0)), TypeError, "must be a 3-d ndarray; got 0-d"),
    "a row too few": (q_zeros(3, 3, 5), ValueError, r"infer returned shape \(3, 3, 5\); expected"),
    "a row too many": (q_zeros(5, 3, 5), ValueError, r"infer returned shape \(5, 3, 5\); expected"),
    "a head too few": (q_zeros(4, 2, 5), ValueError, r"n_heads = 3"),
    "a column too many": (q_zeros(4, 3, 6), ValueError, r"infer returned shape \(4, 3, 6\)"),
    "empty": (q_zeros(0, 3, 5), ValueError, r"infer returned shape \(0, 3, 5\)"),
    "lent integers": (raw(Lends(np.zeros((4, 3, 5), int))), TypeError, "got dtype int64"),
    "streamed halves": (raw(Streams(np.zeros((4, 3, 5), np.float16))), TypeError, "got dtype float16"),
    "lent, too flat": (raw(Lends(np.zeros((4, 5)))), TypeError, "must be a 3-d ndarray; got 2-d"),
}


@pytest.mark.parametrize("name", Q_REFUSALS)
def test_refused_q_values(name):
    infer, error, text = Q_REFUSALS[name]
    composition = q_composition()
    engine, usual = q_engine(), q_engine()
    with pytest.raises(error, match=text):
        engine.collect(20, infer)
    assert data(engine.collect(20, composition.network)) == data(usual.collect(20, composition.network))


def pair(logits, values):
    """A callback that answers a tuple."""
    return lambda obs: (logits, values)


LOGITS, VALUES = np.zeros((4, 5)), np.zeros(4)
PAIR_REFUSALS = {
    "a list": (
        raw([LOGITS, VALUES]),
        TypeError,
        r"AlphaZero infer must return a \(policy_logits, values\) tuple; got type list",
    ),
    "an array": (raw(LOGITS), TypeError, r"\(policy_logits, values\) tuple; got type ndarray"),
    "three parts": (raw((LOGITS, VALUES, VALUES)), TypeError, r"values\) tuple; got a tuple of 3"),
    "one part": (raw((LOGITS,)), TypeError, r"values\) tuple; got a tuple of 1"),
    "listed logits": (pair(LOGITS.tolist(), VALUES), TypeError, "must be a float64 or float32 ndarray; got"),
    "listed values": (pair(LOGITS, VALUES.tolist()), TypeError, "must be a float64 or float32 ndarray; got"),
    "half logits": (pair(LOGITS.astype(np.float16), VALUES), TypeError, "got dtype float16"),
    "whole values": (pair(LOGITS, VALUES.astype(int)), TypeError, "got dtype int64"),
    "flat logits": (pair(LOGITS.ravel(), VALUES), TypeError, "must be a 2-d ndarray; got 1-d"),
    "deep values": (pair(LOGITS, VALUES[:, None]), TypeError, "must be a 1-d ndarray; got 2-d"),
    "narrow logits": (pair(LOGITS[:, :4], VALUES), ValueError, "AlphaZero infer must return"),
    "a row too few": (pair(LOGITS[:3], VALUES), ValueError, "AlphaZero infer must return"),
    "a value too many": (pair(LOGITS, np.zeros(5)), ValueError, "AlphaZero infer must return"),
}


@pytest.mark.parametrize("name", PAIR_REFUSALS)
def test_refused_logits_and_values(name):
    infer, error, text = PAIR_REFUSALS[name]
    composition = search_composition()
    engine, usual = search_engine(), search_engine()
    with pytest.raises(error, match=text):
        engine.collect(20, infer)
    assert data(engine.collect(20, composition.network)) == data(usual.collect(20, composition.network))


@pytest.mark.lanes
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, ROWS - 1])
def test_numbers_must_be_finite(dtype, bad, row):
    """One bad number anywhere, in a legal column or not, is refused."""
    searches, values = search_composition(), q_composition()
    for column in (0, ACTIONS - 1, ACTIONS):

        def spoilt(obs, column=column):
            logits, numbers = (part.astype(dtype) for part in searches.network(obs))
            if column < ACTIONS:
                logits[row, column] = bad
            else:
                numbers[row] = bad
            return logits, numbers

        with pytest.raises(ValueError, match="AlphaZero infer outputs must contain only finite values"):
            search_engine().collect(20, spoilt)
    for head in range(HEADS):

        def spoilt(obs, head=head):
            q = values.network(obs).astype(dtype)
            q[row, head, ACTIONS - 1] = bad
            return q

        with pytest.raises(ValueError, match="EpsilonGreedyQ infer outputs must contain only finite"):
            q_engine().collect(20, spoilt)


def test_nothing_is_lost_by_a_number_that_is_not_finite():
    composition = search_composition()
    engine, usual = search_engine(), search_engine()
    spoil = iter([False, True, False, False, True])

    def network(obs):
        logits, values = composition.network(obs)
        if next(spoil, False):
            values[-1] = np.nan
        return logits, values

    for _ in range(2):
        with pytest.raises(ValueError, match="finite"):
            engine.collect(20, network)
    assert data(engine.collect(20, network)) == data(usual.collect(20, composition.network))


@pytest.mark.lanes
def test_extreme_finite_numbers_are_taken():
    composition = search_composition()
    for logit, value in ((1e308, 1e308), (-1e308, -1e308), (5e-324, -0.0)):

        def network(obs, logit=logit, value=value):
            logits = np.zeros((len(obs), ACTIONS))
            logits[:, 2] = logit
            return logits, np.full(len(obs), value)

        batch = composition.engine().collect(10, network)
        assert np.allclose(batch.policy_targets.sum(axis=1), 1.0)


def test_the_callback_runs_on_the_callers_thread():
    import threading

    composition = search_composition()
    threads = set()

    def network(obs):
        threads.add(threading.get_ident())
        return composition.network(obs)

    composition.engine(n_threads=2).collect(40, network)
    assert threads == {threading.get_ident()}
