"""Equilibria of games with hidden information: counterfactual regret minimisation, exact best responses."""

from .cfr import Cfr
from .deep_cfr import DeepCfr
from .deep_cfr_batch import DeepCfrBatch
from .evaluation import BestResponse, best_response, exploitability
from .network_policy import NetworkPolicy
from .tree import InformationState

__all__ = [
    "BestResponse",
    "Cfr",
    "DeepCfr",
    "DeepCfrBatch",
    "InformationState",
    "NetworkPolicy",
    "best_response",
    "exploitability",
]
