"""A session of ONNX Runtime as a callback, with a stand-in for the session."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import rinforza as rf
from tests.engine.compositions import data, q_composition, search_composition

pytestmark = pytest.mark.lanes


class Session:
    """A stand-in for `onnxruntime.InferenceSession`.

    Args:
        network: Answers an array or a tuple.
        outputs: Names of what it answers.
        shape: Of the input.
        inputs: Names of the inputs.
    """

    def __init__(self, network, outputs=("policy", "value"), shape=("rows", 6), inputs=("obs",)):
        self.network, self.outputs, self.shape, self.inputs = network, outputs, shape, inputs
        self.given = []

    def get_inputs(self):
        return [SimpleNamespace(name=name, shape=list(self.shape)) for name in self.inputs]

    def get_outputs(self):
        return [SimpleNamespace(name=name) for name in self.outputs]

    def run(self, names, feed):
        (obs,) = (feed[name] for name in self.inputs)
        self.given.append(obs.shape)
        answer = self.network(obs)
        answers = answer if isinstance(answer, tuple) else (answer,)
        return [answers[self.outputs.index(name)] for name in names]


@pytest.mark.parametrize("rows", [None, 16])
@pytest.mark.parametrize(
    ("composed", "outputs"), [(search_composition, ("policy", "value")), (q_composition, ("q",))]
)
def test_an_engine_collects_the_same_with_it(composed, outputs, rows):
    composition = composed()
    composition.network.dtype = np.float32
    expected = data(composition.engine(2).collect(4, composition.network))
    session = Session(composition.network, outputs, (rows or "rows", 15))
    assert data(composition.engine(2).collect(4, rf.infer.onnx(session, rows=rows))) == expected
    assert rows is None or {shape[0] for shape in session.given} == {rows}


def test_outputs_may_be_chosen_by_name():
    session = Session(lambda obs: (obs[:, :1], obs.astype(np.float16), obs), ("value", "policy", "hidden"))
    logits, values = rf.infer.onnx(session, outputs=["policy", "value"])(np.ones((4, 6), np.float32))
    assert logits.shape == (4, 6)
    assert logits.dtype == np.float32
    assert values.shape == (4,)
    q = rf.infer.onnx(session, outputs=["policy"], one_head=True, shape=(6, 1))
    with pytest.raises(ValueError, match=r"answered \(4, 6, 1\)"):
        q(np.ones((4, 6), np.float32))
    assert session.given[-1] == (4, 6, 1)


@pytest.mark.parametrize(
    ("providers", "used"), [(None, ["CPUExecutionProvider"]), (("One", "Two"), ["One", "Two"])]
)
@pytest.mark.parametrize("path", ["network.onnx", Path("network.onnx")])
def test_a_path_is_opened(path, providers, used, monkeypatch):
    opened = []

    def open_session(name, providers):
        opened.append((name, providers))
        return Session(lambda obs: obs, ("q",))

    monkeypatch.setitem(sys.modules, "onnxruntime", SimpleNamespace(InferenceSession=open_session))
    assert rf.infer.onnx(path, providers)(np.ones((2, 6), np.float32)).shape == (2, 6)
    assert opened == [("network.onnx", used)]


def network(obs):
    return obs


@pytest.mark.parametrize(
    ("session", "options", "error", "words"),
    [
        (3, {}, TypeError, r"takes the path of a file or an onnxruntime.InferenceSession, got int"),
        (Session(network, ("q",)), {"providers": ["X"]}, ValueError, "providers belong to a path"),
        (Session(network, inputs=("a", "b")), {}, ValueError, r"one input, got \['a', 'b'\]"),
        (Session(network, ("a", "b", "c")), {}, ValueError, r"got \['a', 'b', 'c'\]; choose with outputs"),
        (Session(network), {"outputs": ["q"]}, ValueError, r"no output 'q'; it has \['policy', 'value'\]"),
        (Session(network), {"outputs": []}, ValueError, r"logits and values, got \[\]"),
        (
            Session(network),
            {"outputs": "policy"},
            TypeError,
            "a list of names such as",
        ),
        (Session(network, shape=(8, 6)), {}, ValueError, "exactly 8 rows a call: pass rows=8, got rows=None"),
        (Session(network, shape=(8, 6)), {"rows": 4}, ValueError, "pass rows=8, got rows=4"),
    ],
)
def test_what_is_refused(session, options, error, words):
    with pytest.raises(error, match=words):
        rf.infer.onnx(session, **options)
