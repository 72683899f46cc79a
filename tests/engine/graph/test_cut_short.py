"""A file that is cut short while its model is open."""

import subprocess
import sys

import numpy as np
import pytest
from build import N, model, save, save_external, weights

from engine.errors import ModelError
from engine.graph import arrays, load

W = weights(64, 64)
LOOK = """
import sys
import numpy as np
from engine.graph import load
graph = load(sys.argv[1])
open(sys.argv[2], "r+b").truncate(0)
print(float(np.sum(graph.constants["w"], dtype=np.float64)))
"""


@pytest.mark.parametrize("keep", [save, save_external])
def test_a_small_file_cut_short_takes_nothing_from_the_model_that_is_open(keep, tmp_path):
    """In a process of its own: where the weights are mapped, the system ends it."""
    path = keep(model([N("MatMul", ["x", "w"], ["y"])], {"x": (1, 64)}, ["y"], {"w": W}), tmp_path)
    cut = tmp_path / ("model.onnx" if keep is save else "weights.bin")
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(path), str(cut)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == float(np.sum(W, dtype=np.float64))
    assert cut.stat().st_size == 0


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("gone", [True, False])
def test_a_file_that_changes_between_a_look_and_reading_is_told(tmp_path, monkeypatch, whole, gone):
    path, weights_file = save_external(model([N("MatMul", ["x", "w"], ["y"])], {"x": (1, 64)}, ["y"], {"w": W}),
                                       tmp_path), tmp_path / "weights.bin"  # fmt: skip
    read = arrays.TensorReader._external

    def late(reader, tensor, place):
        if gone:
            weights_file.unlink()
        else:
            weights_file.write_bytes(bytes(100))
        return read(reader, tensor, place)

    monkeypatch.setattr(arrays.TensorReader, "_external", late)
    monkeypatch.setattr(arrays, "READ_WHOLE", 1 << 20 if whole else 0)
    with pytest.raises(ModelError, match=r"weights\.bin was changed while it was read"):
        load(path)
