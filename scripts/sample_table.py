"""Measure the sample models under four plans and print the table of the README.

run:   python scripts/sample_table.py [--into README.md] [--samples N] [SAMPLE ...]

Accuracy is measured on all held-out samples by `mixbit evaluate`. The mixed plan is found on the calibration samples
alone: each kernel's noise at the output is measured with only that kernel quantized; then every kernel takes the scheme
with the least noise + price x bytes, at the highest price at which the noises add up to a tenth of what all INT4 has.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.fusion.types import Network
from engine.precision.plan import Plan
from engine.precision.planfile import save_plan
from engine.precision.scheme import FP16, INT4, INT8, Scheme, label
from engine.quant import plan_bytes
from engine.session import work
from engine.session.samples import find_sample, list_samples, sources
from engine.session.state import SampleModel
from engine.tuning.sweep import cells_of, sweep_one_in

PLANS = ("fp32", "int8", "int4", "mixed")
BEGIN, END = "<!-- sample table -->", "<!-- end of sample table -->"
RUN = "import sys; from engine.cli import main; sys.exit(main())"
"""The mixbit command, whether or not it is installed."""
CHOOSING_SAMPLES = 32
NOISE_SHARE = 0.1
"""Summed noise of the mixed plan against all INT4: 10 dB less."""


@dataclass(frozen=True)
class Result:
    """One sample under one plan."""

    accuracy: float
    sqnr_db: float | None
    size_bytes: int
    samples: int
    split: str = ""


def cli(*arguments: str) -> dict[str, object]:
    """Run `mixbit ... --json` as a user would, and give back its object."""
    command = [sys.executable, "-c", RUN, *arguments, "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    found: dict[str, object] = json.loads(done.stdout)
    return found


def evaluate(sample: SampleModel, plan: Sequence[str], samples: int) -> Result:
    """All held-out samples (or `samples` of them) under one plan, given as command line options."""
    found = cli(
        "evaluate", str(sample.model), *plan, "--calib", str(sample.calibration), "--data", str(sample.evaluation),
        "--samples", str(samples), *(f"--shape={k}={','.join(map(str, v))}" for k, v in sample.shapes.items()),
    )  # fmt: skip
    output = found["output"]
    assert isinstance(output, dict)
    return Result(output["accuracy"], output["sqnr_db"], int(str(found["size_bytes"])), int(str(found["samples"])))


def one_in_noise(network: Network, sample: SampleModel) -> dict[str, dict[Scheme, float]]:
    """Noise at the output by kernel and scheme, on calibration samples."""
    calibration, _ = sources(sample)
    prepared = work.prepare(network, calibration, calibration, samples=CHOOSING_SAMPLES)
    try:
        noise: dict[str, dict[Scheme, float]] = {}
        for cell in sweep_one_in(prepared.evaluator, cells_of(network, (INT4, INT8, FP16))):
            noise.setdefault(cell.kernel, {})[cell.scheme] = cell.output.sums.noise
    finally:
        prepared.evaluator.close()
    return noise


def choose(noise: Mapping[str, Mapping[Scheme, float]], size: Mapping[str, Mapping[Scheme, int]]) -> Plan:
    """The smallest of the plans that a price per byte yields, with the noise that is allowed."""
    allowed = NOISE_SHARE * sum(by[INT4] for by in noise.values())

    def at(price: float) -> dict[str, Scheme]:
        return {k: min(by, key=lambda s: by[s] + price * size[k][s]) for k, by in noise.items()}

    low, high = 0.0, max(by[INT4] for by in noise.values()) + 1.0
    for _ in range(80):
        middle = (low + high) / 2
        total = sum(noise[k][s] for k, s in at(middle).items())
        low, high = (middle, high) if total <= allowed else (low, middle)
    return Plan(at(low), "mixed")


def mixed_plan(sample: SampleModel, folder: Path) -> tuple[Path, str]:
    """Write the mixed plan; gives the file and how many kernels have which precision."""
    network = work.open_network(sample.model, sample.shapes)
    sizes = {
        kernel.id: {scheme: plan_bytes(network, Plan({kernel.id: scheme})).total for scheme in (INT4, INT8, FP16)}
        for kernel in network.tunable
    }
    plan = choose(one_in_noise(network, sample), sizes)
    path = folder / f"{sample.name}.json"
    save_plan(plan, network, path)
    used = [label(scheme) for _, scheme in plan.items()]
    return path, ", ".join(f"{used.count(name)} {name}" for name in ("INT4", "INT8", "FP16") if name in used)


def measure(sample: SampleModel, samples: int) -> dict[str, Result]:
    """One sample under all plans."""
    results = {name: evaluate(sample, ("--preset", name), samples) for name in PLANS[:-1]}
    with tempfile.TemporaryDirectory() as place:
        path, split = mixed_plan(sample, Path(place))
        mixed = evaluate(sample, ("--plan", str(path)), samples)
    return {**results, "mixed": Result(mixed.accuracy, mixed.sqnr_db, mixed.size_bytes, mixed.samples, split)}


def table(measured: Iterable[tuple[SampleModel, Mapping[str, Result]]]) -> str:
    """Markdown: accuracy, output SQNR and size of the weights."""
    lines = ["| sample | FP32 | all INT8 | all INT4 | mixed | the mixed plan |", "|---|---|---|---|---|---|"]
    for sample, results in measured:
        cells = [cell(results[name]) for name in PLANS]
        held_out = f"`{sample.name}`<br>{results['fp32'].samples} held-out samples"
        lines.append(f"| {held_out} | {' | '.join(cells)} | {results['mixed'].split} |")
    return "\n".join(lines)


def cell(result: Result) -> str:
    """Accuracy, SQNR at the output where there is an error, size."""
    parts = [f"{result.accuracy:.1%}", f"{result.size_bytes / 1e6:.3f} MB"]
    if result.sqnr_db is not None and result.sqnr_db < 200:
        parts.insert(1, f"{result.sqnr_db:.1f} dB")
    return "<br>".join(parts)


def put_into(path: Path, text: str) -> None:
    """Replace what stands between the two markers of a file."""
    before, found, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise SystemExit(f"{path} has no lines {BEGIN} and {END}")
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="SAMPLE", help="default: all")
    parser.add_argument("--samples", type=int, default=100_000, help="at most so many held-out samples each")
    parser.add_argument("--into", type=Path, help=f"file whose lines between {BEGIN} and {END} are replaced")
    chosen = parser.parse_args()
    samples = [find_sample(name) for name in chosen.names] or list_samples()
    text = table([(sample, measure(sample, chosen.samples)) for sample in samples])
    print(text)
    if chosen.into:
        put_into(chosen.into, text)


if __name__ == "__main__":
    main()
