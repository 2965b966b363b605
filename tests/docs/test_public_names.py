"""The public names, and what may be imported to get them."""

import subprocess
import sys

import rinforza

NAMES = """
AlphaZeroBatch Batch CHANCE CollectStream Column DeepCfrBatch DqnBatch Encoder Engine EngineSnapshot Env
EnvSnapshot Game Learner Policy PolicyValue PpoBatch QValues Reward SIMULTANEOUS TERMINAL TreeStrapBatch
__version__ bits chance_modes checkpoint chess_action_uci chess_uci_action encoders engine_from_config games
infer learners make_game make_learner make_policy noise policies random registered_games registered_learners
registered_policies rules search_memory solvers spaces testing
"""


def test_public_names():
    assert sorted(rinforza.__all__) == sorted(NAMES.split())
    assert all(hasattr(rinforza, name) for name in rinforza.__all__)


def test_import_brings_no_compiler_and_no_optional_package():
    absent = ("numba", "llvmlite", "torch", "jax", "onnxruntime", "gymnasium")
    script = f"import sys, rinforza; sys.exit(any(name in sys.modules for name in {absent}))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
