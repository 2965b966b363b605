"""Leaf counts of the standard positions, draws left out, against published ones."""

import pytest

from rinforza.compiled import plain_python

from .leaves import perft

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
BUSY = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PROMOTING = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
COUNTS = {
    START: [20, 400, 8_902, 197_281, 4_865_609, 119_060_324],
    BUSY: [48, 2_039, 97_862, 4_085_603, 193_690_690],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [14, 191, 2_812, 43_238, 674_624, 11_030_083],
    PROMOTING: [6, 264, 9_467, 422_333, 15_833_292, 706_045_033],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1_486, 62_379, 2_103_487, 89_941_194],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [
        46,
        2_079,
        89_890,
        3_894_594,
    ],
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1": [6, 136, 863, 20_471],
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1": [26, 1_141, 27_826, 1_274_206],
}
DEEP_COUNTS = {  # one depth each; after M. Sedlak: pins along the rank, discovered checks, castling
    ("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6): 1_134_888,
    ("8/8/4k3/8/2p5/8/B2P2K1/8 w - - 0 1", 6): 1_015_133,
    ("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6): 1_440_467,
    ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", 6): 661_072,
    ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 6): 803_711,
    ("1k6/1b6/8/8/7R/8/8/4K2R b K - 0 1", 5): 1_063_513,
    ("4k1rr/1b1p3p/nn1p4/P3Np2/3P1bp1/6PP/P5R1/1B1K2N1 b - - 0 1", 1): 35,
}
PLAIN_LIMIT = 500  # leaves that plain Python counts in a few seconds


def expected(least, most):
    """List (fen, depth, leaves) with counts in a range."""
    return [
        (fen, depth, leaves)
        for fen, counts in COUNTS.items()
        for depth, leaves in enumerate(counts, start=1)
        if least <= leaves < most
    ]


@pytest.mark.lanes
@pytest.mark.parametrize(("fen", "depth", "leaves"), expected(0, PLAIN_LIMIT))
def test_the_first_moves_in_every_lane(fen, depth, leaves):
    assert perft(fen, depth) == leaves


@pytest.mark.skipif(plain_python(), reason="plain Python would take hours")
class TestCompiled:
    @pytest.mark.parametrize(("fen", "depth", "leaves"), expected(PLAIN_LIMIT, 20_000_000))
    def test_positions(self, fen, depth, leaves):
        assert perft(fen, depth) == leaves

    @pytest.mark.parametrize(("position", "leaves"), DEEP_COUNTS.items())
    def test_special_positions(self, position, leaves):
        assert perft(*position) == leaves

    @pytest.mark.slow
    @pytest.mark.parametrize(("fen", "depth", "leaves"), expected(20_000_000, 1_000_000_000))
    def test_deep_positions(self, fen, depth, leaves):
        assert perft(fen, depth) == leaves
