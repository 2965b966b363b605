"""The public names, and what may be imported to get them."""

import subprocess
import sys

import rinforza

NAMES = """
CHANCE SIMULTANEOUS TERMINAL AlphaZeroBatch Batch Column DqnBatch Encoder Engine Env EnvSnapshot Game Learner
Policy PolicyValue QValues Reward __version__ bits chance_modes chess_action_uci chess_uci_action encoders
games learners noise policies random rules search_memory spaces testing
"""


def test_public_names():
    assert sorted(rinforza.__all__) == sorted(NAMES.split())
    assert all(hasattr(rinforza, name) for name in rinforza.__all__)


def test_import_brings_no_compiler_and_no_optional_package():
    absent = ("numba", "llvmlite", "torch", "gymnasium")
    script = f"import sys, rinforza; sys.exit(any(name in sys.modules for name in {absent}))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
