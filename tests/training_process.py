"""A training script that may be killed at any instant: it collects, learns a number, and saves a matched set.

`test_checkpoint` runs it as a child and kills it. Its network's answers depend on what it has learnt, so that a
resumed run whose parts do not belong together goes another way.
"""

import hashlib
import sys
from pathlib import Path

import rinforza as rf
from tests.engine.compositions import data, search_composition

BATCHES = 40


def main(folder):
    """Go on from the latest checkpoint until enough batches are collected; print the digest of all."""
    composition = search_composition()
    engine = composition.engine(3, seed=11)
    count, digest = 0, ""
    if (Path(folder) / "latest").exists():
        checkpoint = rf.checkpoint.load(folder)
        engine.restore(checkpoint.snapshot, expect_policy_version=checkpoint.extras["count"])
        count, digest = checkpoint.extras["count"], checkpoint.extras["model"].decode()
    while count < BATCHES:
        composition.network.salt = count
        batch = engine.collect(6, composition.network)
        count += 1
        digest = hashlib.sha256((digest + repr(data(batch))).encode()).hexdigest()
        rf.checkpoint.save(folder, engine, policy_version=count, count=count, model=digest.encode())
        print(count, flush=True)
    print(digest)


if __name__ == "__main__":
    main(sys.argv[1])
