"""Convert an export for MindSpore Lite with the public wheel, run the `.ms`, and hold it against the preview.

    python scripts/mindspore_lite.py sample:page_orientation --preset int8 --mode weight8 --python ml/bin/python

`--python` is an interpreter with `pip install mindspore-lite==2.0.0`, of which there is a wheel for Python 3.7 on Linux
only. Full quantization needs the wheel's converter library loaded first, and a file with quantized weights runs only
beside a small library that gives its weights room; that one is compiled here, with g++. No part of the program or of
its tests: what it printed stands in docs/exports.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from engine.cli.arguments import parser  # noqa: E402
from engine.cli.given import data_sources, named_plan, open_network  # noqa: E402
from engine.interop.handover import Extras  # noqa: E402
from engine.interop.layer_names import layer_names  # noqa: E402
from engine.interop.targets import target  # noqa: E402
from engine.session import work  # noqa: E402

CONVERT = """
import os, sys
folder, out, name, dims = sys.argv[1:5]
os.chdir(folder)
import mindspore_lite as ml
made = ml.Converter()
made.save_type, made.weight_fp16 = ml.ModelType.MINDIR_LITE, True
made.input_shape = {name: [int(d) for d in dims.split(",")]}
made.convert(ml.FmkType.ONNX, "model.onnx", out, config_file="quant.cfg")
"""
RUN = """
import sys
import numpy as np
import mindspore_lite as ml
context = ml.Context()
context.target = ["cpu"]
model = ml.Model()
model.build_from_file(sys.argv[1], ml.ModelType.MINDIR_LITE, context)
feeds, results = np.load(sys.argv[2]), []
for values in feeds:
    inputs = model.get_inputs()
    inputs[0].set_data_from_numpy(np.ascontiguousarray(values))
    outputs = model.predict(inputs)
    results.append(np.array(outputs[0].get_data_to_numpy()))  # its memory is used again
np.save(sys.argv[3], np.stack(results))
"""
ROOM = """
#include <cstddef>
#include <cstdlib>
namespace mindspore { namespace lite {
class PackWeightManager {
 public:
  void *GetPackData(const void *, size_t, bool *);
  void Free(void *);
};
void *PackWeightManager::GetPackData(const void *, size_t size, bool *packed) {
  void *room = nullptr;
  *packed = false;
  return posix_memalign(&room, 64, size) ? nullptr : room;
}
void PackWeightManager::Free(void *) {}
} }
"""


def main() -> None:
    """Export, convert, run, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", help="an .onnx file with one input, or sample:NAME")
    options.add_argument("--preset", default="int8")
    options.add_argument("--mode", choices=("weight4", "weight8", "full8"), default="weight8")
    options.add_argument("--python", type=Path, required=True, help="Python 3.7 with mindspore-lite")
    options.add_argument("--samples", default="16")
    chosen = options.parse_args()
    args = parser().parse_args(
        ["evaluate", chosen.model, "--preset", chosen.preset, "--samples", chosen.samples, "--quiet"]
    )
    network = open_network(args)
    plan = named_plan(args, network)
    prepared = work.prepare(network, *data_sources(args), samples=int(chosen.samples))
    made, evaluator = target("mindspore_lite"), prepared.evaluator
    extras = Extras(samples=prepared.calibration, options={"mode": chosen.mode})
    output = network.graph.outputs[0].name
    try:
        effective = made.check(network, plan, extras=extras).effective_plan
        info = network.tensors.get(output)
        reference = [np.array(evaluator.reference(i)[output].numpy(info)) for i in range(len(evaluator.samples))]
        preview = [np.array(found[output]) for found in evaluator.output(effective)]
        feeds = [next(iter(feed.values())) for feed in evaluator.samples.feeds]
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "export"
            made.export(network, plan, prepared.ranges, folder, extras=extras)
            size, results = convert_and_run(folder, network, feeds, chosen.python.absolute(), chosen.mode)
    finally:
        evaluator.close()
    print(f"{chosen.model} {chosen.preset} {chosen.mode}: {size:,} bytes, {len(feeds)} samples")
    for title, a, b in (
        ("preview of the plan as handed over, against FP32", reference, preview),
        ("the .ms, against FP32", reference, results),
        ("the .ms, against the preview", preview, results),
    ):
        x, y = (np.stack([np.asarray(v, np.float64).reshape(-1) for v in each]) for each in (a, b))
        noise = np.sum((x - y) ** 2)
        sqnr = 10 * np.log10(np.sum(x * x) / noise) if noise else np.inf
        cosine = np.sum(x * y) / np.sqrt(np.sum(x * x) * np.sum(y * y))
        print(
            f"  {title}: SQNR {sqnr:.1f} dB, cosine {cosine:.6f}, same top 1 {np.mean(x.argmax(1) == y.argmax(1)):.2%}"
        )


def convert_and_run(folder: Path, network, feeds, python: Path, mode: str):  # type: ignore[no-untyped-def]
    """Size of the `.ms` and its first output for every sample."""
    libraries = next(python.parent.parent.glob("lib/python3.7/site-packages/mindspore_lite/lib"))
    source = network.graph.inputs[0]
    name, dims = layer_names(network).tensors[source.name], ",".join(map(str, source.shape))
    full = {"LD_LIBRARY_PATH": str(libraries), "LD_PRELOAD": str(libraries / "libmindspore_converter.so")}
    converted = folder.parent / "model"
    _child(python, CONVERT, [folder, converted, name, dims], full if mode == "full8" else {})
    room = folder.parent / "room.so"
    subprocess.run(["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", room], input=ROOM, text=True, check=True)
    last = [np.moveaxis(f, 1, -1) if f.ndim == 4 else f for f in feeds]  # the converted model reads NHWC
    kinds = {"i": np.int32, "f": np.float32}
    np.save(folder.parent / "in.npy", np.stack([f.astype(kinds[f.dtype.kind]) for f in last]))
    file = converted.with_suffix(".ms")
    _child(python, RUN, [file, folder.parent / "in.npy", folder.parent / "out.npy"],
           {} if mode == "full8" else {"LD_PRELOAD": str(room)})  # fmt: skip
    return file.stat().st_size, list(np.load(folder.parent / "out.npy"))


def _child(python: Path, code: str, arguments: list[object], environment: dict[str, str]) -> None:
    done = subprocess.run(
        [python, "-c", code, *map(str, arguments)], env={**os.environ, **environment}, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit("\n".join((done.stdout + done.stderr).splitlines()[-20:]))


if __name__ == "__main__":
    main()
