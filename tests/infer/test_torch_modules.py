"""A PyTorch module as a callback, and tensors as answers."""

import copy
import textwrap
import threading

import numpy as np
import pytest

import rinforza as rf
from rinforza.contracts.infer import float_array
from tests.engine.compositions import data, q_composition, search_composition

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch", reason="needs the extra `train`")
nn = torch.nn
OBS = np.random.default_rng(0).random((6, 12), np.float32)


class TwoHeads(nn.Module):
    """Logits and values, with parts that behave otherwise in training."""

    def __init__(self, values_axes=1):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5))
        self.policy, self.value = nn.Linear(16, 4), nn.Linear(16, 1)
        self.values_axes = values_axes
        self.seen = []

    def forward(self, obs):
        self.seen.append((self.training, torch.is_grad_enabled(), obs.shape))
        hidden = self.body(obs)
        values = self.value(hidden)
        return self.policy(hidden), values if self.values_axes == 2 else values[:, 0]


class Answers(nn.Module):
    """A module that answers whatever a function makes of the observations."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, obs):
        return self.function(obs)


@pytest.mark.parametrize("values_axes", [1, 2])
def test_logits_and_values(values_axes):
    model = TwoHeads(values_axes)
    logits, values = rf.infer.torch(model)(OBS)
    model.eval()
    with torch.no_grad():
        expected = model(torch.from_numpy(OBS))
    np.testing.assert_array_equal(logits, expected[0].numpy())
    np.testing.assert_array_equal(values, expected[1].numpy().reshape(-1))
    assert values.shape == (6,)
    assert logits.dtype == values.dtype == np.float32
    assert model.seen[0] == (False, False, (6, 12))


def flags(model):
    return [module.training for module in model.modules()]


@pytest.mark.parametrize("mode", ["training", "evaluation", "mixed"])
def test_every_training_flag_is_as_before(mode):
    model = TwoHeads()
    if mode == "evaluation":
        model.eval()
    elif mode == "mixed":
        model.body[1].eval()  # frozen statistics
    before, statistics = flags(model), model.body[1].running_mean.clone()
    infer = rf.infer.torch(model)
    infer(OBS)
    assert flags(model) == before
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        infer(OBS[:, :5])
    assert flags(model) == before
    assert torch.equal(model.body[1].running_mean, statistics)
    assert all(not training for training, *_ in model.seen)


def test_a_module_that_does_more_than_to_set_its_flag():
    class Merges(nn.Linear):
        merged = False

        def train(self, mode=True):
            self.merged = not mode
            return super().train(mode)

    model = Merges(12, 3)
    rf.infer.torch(model)(OBS)
    assert model.training
    assert not model.merged


def test_no_gradient_and_no_copy_on_the_cpu():
    weights = torch.ones((12, 3), requires_grad=True)
    tables, addresses = [], []

    def function(obs):
        addresses.append(obs.data_ptr())
        tables.append(obs @ weights)
        return tables[-1]

    infer = rf.infer.torch(Answers(function))
    answer = infer(OBS)
    assert addresses == [OBS.ctypes.data]
    assert not tables[0].requires_grad
    assert not tables[0].is_inference()
    assert np.shares_memory(answer, tables[0].numpy())


@pytest.mark.parametrize("amp", [True, torch.bfloat16, torch.float16])
def test_autocast_is_cast_back(amp):
    seen = []

    class Half(nn.Linear):
        def forward(self, obs):
            answer = super().forward(obs)
            seen.append(answer.dtype)
            return answer

    model = Half(12, 3)
    exact, answer = rf.infer.torch(model)(OBS), rf.infer.torch(model, amp=amp)(OBS)
    assert seen == [torch.float32, torch.bfloat16 if amp is True else amp]
    assert answer.dtype == np.float32
    assert 0.0 < np.abs(answer - exact).max() < 0.02


def test_a_double_module_answers_in_single():
    answer = rf.infer.torch(Answers(lambda obs: obs.double() / 3.0))(OBS)
    np.testing.assert_array_equal(answer, (OBS.astype(np.float64) / 3.0).astype(np.float32))


def test_shapes_and_rows():
    seen = []

    def function(obs):
        seen.append((obs.shape, obs[6:].abs().sum().item()))
        return obs.flatten(1)[:, :5]

    infer = rf.infer.torch(Answers(function), shape=(3, 2, 2), rows=9, one_head=True)
    answer = infer(OBS)
    assert seen == [((9, 3, 2, 2), 0.0)]
    np.testing.assert_array_equal(answer, OBS[:, None, :5])


def test_the_device_is_that_of_the_module_or_the_given_one():
    class Meta(nn.Module):
        """Has its tensor on a device that holds no numbers."""

        def __init__(self):
            super().__init__()
            self.table = nn.Buffer(torch.zeros(3, device="meta"))

        def forward(self, obs):
            assert obs.device == self.table.device
            return torch.zeros(len(obs), 3)

    infer = rf.infer.torch(Meta())
    assert infer(OBS).shape == (6, 3)
    assert "Meta on meta" in repr(infer)
    moved = nn.Linear(12, 3)
    rf.infer.torch(moved, "meta")
    assert moved.weight.device.type == "meta"
    assert "Answers on cpu" in repr(rf.infer.torch(Answers(None)))


@pytest.mark.parametrize(("compile", "mode"), [(True, None), ("max-autotune", "max-autotune")])
def test_compiling(compile, mode, monkeypatch):
    compiled = []

    def stand_in(model, mode):
        compiled.append((model, mode))
        return lambda obs: model(obs) + 1.0

    monkeypatch.setattr(torch, "compile", stand_in)
    model = nn.Linear(12, 3)
    answer = rf.infer.torch(model, compile=compile)(OBS)
    np.testing.assert_array_equal(answer, rf.infer.torch(model)(OBS) + 1.0)
    assert compiled == [(model, mode)]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda obs: {"logits": obs}, "the module answered dict; expected a tensor of floats"),
        (lambda obs: obs.numpy(), "the module answered ndarray; expected a tensor of floats"),
        (lambda obs: obs.int(), "the module answered a tensor of torch.int32"),
        (lambda obs: (obs, obs, obs), "answered 3 arrays"),
    ],
)
def test_answers_that_are_refused(function, words):
    with pytest.raises(TypeError, match=words):
        rf.infer.torch(Answers(function))(OBS)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((len,), TypeError, r"takes a torch\.nn\.Module, got builtin_function_or_method"),
        ((nn.ReLU(), None, 1), TypeError, r"amp must be a bool or a torch\.dtype, got 1"),
        ((nn.ReLU(), None, torch.float64), ValueError, r"amp must be torch\.bfloat16, .* got torch\.float64"),
        ((nn.ReLU(), None, False, 1), TypeError, "compile must be a bool or a mode, got 1"),
    ],
)
def test_arguments_that_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        rf.infer.torch(*arguments)


def test_an_update_waits_for_the_call():
    entered, may_end, order = threading.Event(), threading.Event(), []

    def function(obs):
        entered.set()
        may_end.wait(10)
        order.append("answer")
        return obs

    infer = rf.infer.torch(Answers(function))
    call = threading.Thread(target=infer, args=(OBS,))
    call.start()
    entered.wait(10)

    def update():
        with infer.lock:
            order.append("update")

    change = threading.Thread(target=update)
    change.start()
    may_end.set()
    call.join()
    change.join()
    assert order == ["answer", "update"]


def test_training_beside_a_stream_as_the_docstring_says():
    game = rf.games.GridWorld()
    c, h, w = game.observation_space().shape
    model = nn.Sequential(nn.Flatten(), nn.Linear(c * h * w, game.num_actions))
    infer = rf.infer.torch(copy.deepcopy(model), shape=(c, h, w), one_head=True)
    engine = rf.Engine(game, None, rf.policies.EpsilonGreedyQ(), rf.learners.Dqn(), n_games=4)
    with engine.collect_stream(40, infer) as stream:
        for _ in range(5):
            batch = stream.next()
            with torch.no_grad():
                model[1].bias += float(batch.rewards.mean()) + 1.0
            with infer.lock:
                infer.model.load_state_dict(model.state_dict())
    assert torch.equal(infer.model[1].bias, model[1].bias)


def test_the_example_of_the_docstring():
    names = {}
    exec(textwrap.dedent(rf.infer.torch.__doc__.split("Example::")[1]), names)
    assert len(names["batch"].obs) >= 32


# ------------------------------------------------------------------------ tensors as answers


def test_tensors_are_read_in_place():
    tensor = torch.ones(2, 3)
    assert float_array(tensor, "it", 2).ctypes.data == tensor.data_ptr()


@pytest.mark.parametrize("composed", [search_composition, q_composition])
def test_an_engine_takes_tensors(composed):
    composition = composed()

    def tensors(obs):
        answer = composition.network(obs)
        if isinstance(answer, tuple):
            return tuple(map(torch.from_numpy, answer))
        return torch.from_numpy(answer)

    expected = data(composition.engine().collect(20, composition.network))
    assert data(composition.engine().collect(20, tensors)) == expected


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (torch.ones(2, 3, requires_grad=True), r"got type Tensor, .* return .* tensor\.detach\(\)\.cpu\(\)"),
        (torch.ones(2, 3, dtype=torch.bfloat16), "got type Tensor, .* BFloat16"),
        (torch.ones(2, 3, dtype=torch.float16), "got dtype float16"),
        (torch.ones(2, 3).to_sparse(), r"got type Tensor, .*to_dense\(\)"),
        (torch.ones(2, 3, device="meta"), r"got type Tensor, .*Tensor\.cpu\(\)"),
    ],
)
def test_tensors_that_cannot_be_read(tensor, words):
    with pytest.raises(TypeError, match=f"it must be a float64 or float32 ndarray; {words}"):
        float_array(tensor, "it", 2)
