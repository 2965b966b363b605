"""Parts with a mistake in one method: it raises when the game has gone on for a while."""

from rinforza import learners, policies
from tests.toys.script import Script, ScriptView

MOVERS = [0, 1] * 5
REWARDS = [[1.0, -1.0]] * 10


class StepBomb(Script):
    """A game whose sixth step fails."""

    def __init__(self):
        super().__init__(MOVERS, REWARDS)

    def step(self, state, actions, events):
        if state.ply == 5:
            raise ValueError("the sixth step")
        state.ply += 1


class LegalBomb(Script):
    """A game whose list of legal actions fails after five steps."""

    def __init__(self):
        super().__init__(MOVERS, REWARDS)

    def legal_actions(self, state, player, out):
        if state.ply == 5:
            raise ValueError("the sixth list")
        out[0] = 0
        return 1


class ViewBomb(ScriptView):
    """An encoder that fails after five steps."""

    def __init__(self):
        super().__init__()

    def encode(self, game, state, player, out):
        if state.ply == 5:
            raise ValueError("the sixth view")


class SelectBomb(policies.EpsilonGreedyQ):
    """A policy that fails on a large value."""

    def select(self, evaluation, n_actions, progress, stream):
        if evaluation[0] > 5.0:
            raise ValueError("the sixth choice")
        return 0


class RecordsBomb(learners.Dqn):
    """A learner that makes no records."""

    def episode_records(self, rules, episode, batch, stream):
        raise ValueError("the first episode")
