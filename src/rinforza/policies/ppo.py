"""PPO's behaviour policy: an action drawn from the softmax of the network's logits over the legal actions.

Source: Schulman et al. 2017, "Proximal policy optimization algorithms", section 5 (the actor-critic style).
"""

from ..compiled.random import categorical
from ..contracts.distribution import softmax
from ..contracts.policy import PolicyValue
from .one_shot import OneShot


class Ppo(OneShot):
    """Act by the network's own distribution; `learners.Ppo` records its log-probabilities.

    It stays stochastic in `choose`, too.

    Example:
        >>> import rinforza as rf
        >>> rf.policies.Ppo()
        Ppo()
    """

    name = "ppo"
    supports_imperfect_information = True
    evaluation_scalars = 1

    def __init__(self) -> None:
        super().__init__({})

    def max_agents(self, dynamics: str) -> int | None:
        """Any number of players."""
        return None

    @property
    def output(self) -> PolicyValue:
        """Logits and a value."""
        return PolicyValue()

    # ---------------------------------------------------------------- compiled from here on

    def select(self, evaluation, n_actions, progress, stream):
        probabilities = evaluation[1:]
        softmax(probabilities, probabilities, n_actions)
        return categorical(stream, probabilities, n_actions)
