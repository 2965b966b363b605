"""Drawing many numbers from one stream, compiled or plain, for the tests of `rinforza.compiled.random`."""

import numpy as np

from rinforza.compiled import (
    FLOAT,
    INT,
    ArrayOf,
    Prototype,
    RecordOf,
    compile_function,
    random,
    without_compiling,
)

DRAW = Prototype("draw", INT, RecordOf("stream"), FLOAT, ArrayOf(np.float64), ArrayOf(np.float64))


def words(stream, parameter, weights, out):
    for index in range(len(out)):
        word = random.next_word(stream)
        out[index] = np.float64(word >> random.SHIFT_11)
    return 0


def uniforms(stream, parameter, weights, out):
    for index in range(len(out)):
        out[index] = random.uniform(stream)
    return 0


def integers(stream, parameter, weights, out):
    for index in range(len(out)):
        out[index] = random.integer_below(stream, np.int64(parameter))
    return 0


def normals(stream, parameter, weights, out):
    for index in range(len(out)):
        out[index] = random.normal(stream)
    return 0


def gammas(stream, parameter, weights, out):
    for index in range(len(out)):
        out[index] = random.gamma(stream, parameter)
    return 0


def categoricals(stream, parameter, weights, out):
    for index in range(len(out)):
        out[index] = random.categorical(stream, weights, len(weights))
    return 0


def dirichlets(stream, parameter, weights, out):
    """Fill `out` with one draw after the other, each as long as `weights`."""
    count = len(weights)
    for first in range(0, len(out), count):
        random.dirichlet(stream, parameter, out[first : first + count], count)
    return 0


def draw(function, size, key=1, parameter=0.0, weights=(0.0,), plain=False):
    """Return `size` draws and the stream's counter after them."""
    stream = np.zeros(1, random.STREAM)
    stream["key"] = np.uint64(key)
    out = np.zeros(size)
    layouts = {"stream": random.STREAM}
    if plain:
        with without_compiling():
            entry = compile_function(function, DRAW, layouts, "draw").entry
    else:
        entry = compile_function(function, DRAW, layouts, "draw").entry
    entry(stream[0], float(parameter), np.array(weights, np.float64), out)
    return out, int(stream["counter"][0])
