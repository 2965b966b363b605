"""300 games that the PyPI package `chess` played: the legal moves, the positions, the ends."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import TERMINAL
from rinforza.testing.lanes import GameLane

from ..recorded import compare_playthrough, playthrough
from .boards import fen_of, start_from

pytestmark = pytest.mark.lanes

FOLDER = Path(__file__).parents[2] / "golden" / "chess"
GAMES = [line.split("\t") for line in (FOLDER / "games.tsv").read_text().splitlines()]
OBSERVATIONS = [line.split("\t") for line in (FOLDER / "openspiel.tsv").read_text().splitlines()]
FIRST_SIGN = 33
STARTS = sorted({fen for fen, *_ in GAMES})
DRAWS = ("stalemate", "repetition", "material", "clock")


def of_lane(games):
    """Return the games, or a few of them where they run slowly."""
    return games[::40] if plain_python() else games


def replayed(lane, signs):
    """Yield (state, legal actions, events so far) for each position of a game."""
    state, events = lane.initial(), np.zeros((2, 3))
    for sign in [*signs, None]:
        legal = lane.legal(state, max(lane.actor(state), 0))
        yield state, legal, events
        if sign is not None:
            action = legal[ord(sign) - FIRST_SIGN]
            state, events = lane.step(state, np.array([action, action]))


@pytest.fixture(scope="module")
def lanes():
    """The game from each of the recorded starts."""
    return {fen: GameLane(rf.games.Chess(fen=fen), plain_python()) for fen in STARTS}


def test_there_are_ends_of_every_kind():
    assert len(GAMES) == 300
    assert {end for _, _, end, *_ in GAMES} == {"checkmate", *DRAWS, "unfinished"}


@pytest.mark.parametrize("fen", STARTS)
def test_every_position_has_the_recorded_moves(lanes, fen):
    lane = lanes[fen]
    for _, signs, _, last_fen, digest in of_lane([game for game in GAMES if game[0] == fen]):
        said = hashlib.sha256()
        state = lane.initial()
        for number, (state, legal, _) in enumerate(replayed(lane, signs)):
            shown = "" if number % 5 else fen_of(lane, state)
            said.update(f"{' '.join(map(str, legal))} {shown}\n".encode())
            assert lane.valid(state) == 1
        assert fen_of(lane, state) == last_fen
        assert said.hexdigest()[:16] == digest, f"the positions after {signs!r} from {fen} differ"


@pytest.mark.parametrize("fen", STARTS)
def test_games_end_as_recorded(lanes, fen):
    lane = lanes[fen]
    for _, signs, end, *_ in of_lane([game for game in GAMES if game[0] == fen]):
        *before, (state, legal, events) = replayed(lane, signs)
        assert all(not events.any() for *_, events in before)
        assert (lane.actor(state) == TERMINAL) == (end != "unfinished")
        assert (len(legal) == 0) == (end != "unfinished")
        loser = int(lane.record(state).turn)
        payloads = [
            lane.game.event_payload(player, events[player], lane.record(state))
            for player in (loser, 1 - loser)
        ]
        assert payloads == {"checkmate": ["loss", "win"], "unfinished": [None, None]}.get(end, ["draw"] * 2)


def test_a_playthrough():
    lane, _ = start_from("r3k2r/1P4p1/8/8/8/8/1p4P1/R3K2R w KQkq - 90 60", plain_python())
    compare_playthrough("chess", playthrough(lane, seed=5, longest=30))
