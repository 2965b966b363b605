"""The kept texts are what the games do today."""

import pytest

import rinforza as rf

from .playthrough import ELSEWHERE, FOLDER, GAMES, SEEDS, path_of, playthrough

pytestmark = pytest.mark.lanes


@pytest.mark.parametrize("plain", [False, True], ids=["compiled", "plain"])
@pytest.mark.parametrize("name", GAMES)
def test_the_game_is_as_written_down(name, plain):
    text = playthrough(GAMES[name], plain, SEEDS.get(name, 1))
    assert text == path_of(name).read_text(), (
        "the game no longer plays as tests/golden says; if that is wanted, run "
        "`python -m tests.golden` and read the difference"
    )


def test_every_text_belongs_to_a_game():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(GAMES)


def test_every_game_is_written_down():
    texts = {*GAMES, *(path.stem for path in ELSEWHERE.glob("*.txt"))}
    assert texts == set(rf.games.registered())
