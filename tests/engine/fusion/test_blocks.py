"""Repeated blocks: found by names, by structure, and not where nothing repeats."""

import pytest
from build import N, model, save, weights

from engine.fusion import fuse
from engine.fusion.blocks import find_series
from engine.graph import load
from engine.paths import sample_models


def chain(tmp_path, names, ops=None):
    """MatMuls in a row, with an activation each where `ops` says one."""
    nodes, constants, before = [], {}, "x"
    for i, name in enumerate(names):
        constants[f"w{i}"] = weights(4, 4)
        nodes.append(N("MatMul", [before, f"w{i}"], [f"m{i}"], name))
        op = ops[i] if ops else ""
        if op:
            nodes.append(N(op, [f"m{i}"], [f"a{i}"], f"{name}_{op}"))
        before = f"a{i}" if op else f"m{i}"
    return fuse(load(save(model(nodes, {"x": (2, 4)}, [before], constants), tmp_path)))


def test_numbered_modules_are_blocks(tmp_path):
    names = ["/stem/MatMul", *(f"/net.0/layers.{i}/{part}/MatMul" for i in range(4) for part in ("up", "down"))]
    (series,) = find_series(chain(tmp_path, names))
    assert series.prefix == "net.0.layers"  # the wrapper's own number counts nothing
    assert [(b.name, b.number, b.first, b.last) for b in series.blocks] == [
        (f"net.0.layers.{i}", i, 1 + 2 * i, 2 + 2 * i) for i in range(4)
    ]
    assert series.roles == ("up", "down")


def test_a_block_that_differs_ends_a_series(tmp_path):
    names = [f"/layers.{i}/{part}/MatMul" for i in range(7) for part in ("up", "down")]
    ops = [""] * 14
    ops[6] = "Relu"
    first, second = find_series(chain(tmp_path, names, ops))
    assert [b.number for b in first.blocks] == [0, 1, 2]
    assert [b.number for b in second.blocks] == [4, 5, 6]


def test_structure_is_enough(tmp_path):
    ops = ["Tanh", *["Relu", ""] * 3, "Sigmoid"]
    (series,) = find_series(chain(tmp_path, [""] * 8, ops))
    assert series.prefix == ""
    assert [list(b.kernels) for b in series.blocks] == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("count", [1, 2])
def test_two_alike_blocks_are_no_series(tmp_path, count):
    assert find_series(chain(tmp_path, [f"/layers.{i}/{p}/MatMul" for i in range(count) for p in "ab"])) == ()


def test_the_decoder_sample():
    path = sample_models() / "swiglu_decoder" / "swiglu_decoder.onnx"
    network = fuse(load(path, shapes={"input_ids": (1, 17)}))
    (series,) = find_series(network)
    assert series.prefix == "model.layers"
    assert [b.number for b in series.blocks] == [0, 1, 2]
    assert {len(b) for b in series.blocks} == {19}
    assert "mlp.down_proj" in series.roles
