"""Equilibria of games with hidden information: counterfactual regret minimisation, exact best responses."""

from .cfr import Cfr
from .evaluation import BestResponse, best_response, exploitability
from .tree import InformationState

__all__ = [
    "BestResponse",
    "Cfr",
    "InformationState",
    "best_response",
    "exploitability",
]
