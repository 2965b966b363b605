"""Calls a policy's choice of an action outside an engine."""

import numpy as np

from rinforza.compiled import INT, Prototype, compile_function
from rinforza.compiled.random import STREAM
from rinforza.contracts.composition import Methods, own_record
from rinforza.contracts.policy import BEGIN_EPISODE, POLICY_METHODS, SELECT, policy_layouts

SELECT_AT = Prototype("select_at", INT, *[INT] * 7)
BEGIN_EPISODE_AT = Prototype("begin_episode_at", INT, *[INT] * 4)


def select_at(method, policy, evaluation, size, n_actions, progress, stream):
    return SELECT(method, policy, evaluation, size, n_actions, progress, 1, stream)


def begin_episode_at(method, policy, ply, stream):
    return BEGIN_EPISODE(method, policy, ply, stream)


class Chooser:
    """One episode slot's choices under a policy.

    Args:
        policy: The policy.
        key: Which random stream.
    """

    def __init__(self, policy, key=0):
        self._methods = Methods(policy, POLICY_METHODS, policy_layouts(policy))
        self._own = own_record(policy)
        self.stream = np.zeros(1, STREAM).view(np.recarray)
        self.stream["key"] = key
        self.progress = np.zeros(1, np.int64)
        self._select = compile_function(select_at, SELECT_AT, {}, "select_at").entry
        self._begin = compile_function(begin_episode_at, BEGIN_EPISODE_AT, {}, "begin_at").entry

    def begin_episode(self, ply=0):
        """Start an episode; return its policy state."""
        self.progress[0] = self._begin(
            self._methods.addresses["begin_episode"],
            self._own.ctypes.data,
            ply,
            self.stream.ctypes.data,
        )
        return int(self.progress[0])

    def select(self, evaluation, n_actions=None):
        """Choose from an evaluation; return the position in the legal list."""
        evaluation = np.array(evaluation, np.float64)
        return self._select(
            self._methods.addresses["select"],
            self._own.ctypes.data,
            evaluation.ctypes.data,
            len(evaluation),
            len(evaluation) if n_actions is None else n_actions,
            self.progress.ctypes.data,
            self.stream.ctypes.data,
        )

    @property
    def drawn(self):
        """How many random numbers were spent."""
        return int(self.stream["counter"][0])
