"""A library that is not there is named, with what to install; one that is broken speaks for itself."""

import sys

import numpy as np
import pytest

import rinforza as rf
from rinforza.infer.optional import required

pytestmark = pytest.mark.lanes


@pytest.mark.parametrize(
    ("library", "call"),
    [
        ("torch", lambda: rf.infer.torch(None)),
        ("jax", lambda: rf.infer.jax(np.tanh)),
        ("onnxruntime", lambda: rf.infer.onnx("network.onnx")),
    ],
)
def test_what_to_install(library, call, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        ImportError, match=rf"^rf\.infer\.\w+ needs {library}: pip install {library}"
    ) as caught:
        call()
    assert caught.value.name == library


def test_a_library_that_lacks_something_itself(tmp_path, monkeypatch):
    (tmp_path / "half_a_library.py").write_text("import another_library_that_is_not_there")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'another_library_that_is_not_there'"):
        required("half_a_library", "it")
