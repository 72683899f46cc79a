"""Open every awkward kind of model, every sample, and the models of a folder; say what happened to each.

run:   python scripts/model_table.py [--into docs/models.md] [--only samples|kinds] [FOLDER]

Small models of each kind are made on the spot. Whatever opens is run kernel by kernel and compared with the file as
ONNX Runtime runs it; then all kernels with a switch are set to INT8 and exported, and that file is compared with the
preview.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnxruntime as ort

sys.path.insert(0, str(Path(__file__).parent))

from model_kinds import KINDS

from engine.errors import MixbitError
from engine.fusion.types import Network
from engine.graph.types import Array
from engine.interop.qdq import export_qdq
from engine.numerics import Evaluator, calibrate, synthetic_samples
from engine.precision import FP16, INT8, Plan, Scheme, label, stored_scheme
from engine.session.samples import list_samples
from engine.session.work import open_network

BEGIN, END = "<!-- {} -->", "<!-- end of {} -->"
HEAD = "| {} | what happens | kernels | with a switch | preview | INT8 file | remarks |"
RULE = "|---|---|---|---|---|---|---|"
PLAIN = "no weights: it follows its input"
SAME_DB, EXACT = 60.0, 1e-5
"""What counts as the same: the SQNR of two ways to round, the largest relative difference of two float runs."""


@dataclass(frozen=True)
class Row:
    """One model."""

    name: str
    opened: bool
    says: str
    """The refusal; or why kernels with weights have no switch, and what is special."""
    kernels: int = 0
    switches: int = 0
    preview: str = ""
    """The kernels' results against the file's."""
    exported: str = ""
    """An exported plan against its preview."""
    seconds: float = 0.0


def examine(name: str, path: Path, *, export: bool = True) -> Row:
    """Open a model and see how far it comes."""
    start = time.perf_counter()
    try:
        network = open_network(path)
    except MixbitError as error:
        return Row(name, False, str(error))
    seconds = time.perf_counter() - start
    row = Row(name, True, remarks(network), len(network.kernels), len(network.tunable), seconds=seconds)
    samples = synthetic_samples(network.graph, 1, 3)
    ranges = calibrate(network, samples)
    evaluator = Evaluator(network, samples, ranges=ranges)
    try:
        feeds = dict(samples.feeds[0])
        (found,) = evaluator.output(Plan())
        row = replace(row, preview=distance(found, run_file(path, feeds)))
        if export and network.tunable:
            row = replace(row, exported=exported(network, evaluator, feeds))
    except MixbitError as error:
        row = replace(row, says="; ".join(part for part in (row.says, str(error)) if part))
    finally:
        evaluator.close()
    return row


def exported(network: Network, evaluator: Evaluator, feeds: dict[str, Array]) -> str:
    """All INT8 (or FP16 where the operator set has no place for integers) as a file, against the preview."""
    plan = Plan({kernel.id: INT8 for kernel in network.tunable})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "exported.onnx"
        export_qdq(network, plan, evaluator.ranges, path)
        (preview,) = evaluator.output(plan)
        results = run_file(path, feeds)
        assert results is not None, "the file was read back when it was written"
        worst = min((sqnr_db(preview[name], array) for name, array in results.items()), default=np.inf)
    return "same" if worst >= SAME_DB else f"{worst:.0f} dB"


def run_file(path: Path, feeds: dict[str, Array]) -> dict[str, Array] | None:
    """Outputs of a file in ONNX Runtime, quantizers as they are written; None if the runtime refuses it."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    try:
        session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception:  # the runtime's exceptions have no common base
        return None
    names = [output.name for output in session.get_outputs()]
    wanted = {entry.name: entry.type for entry in session.get_inputs()}
    given = {
        name: [array] if wanted[name].startswith("seq") else array for name, array in feeds.items() if name in wanted
    }
    try:
        results = session.run(names, given)
    except Exception:  # an input or output that Python can't hand over, such as a map or bfloat16
        return None
    return {name: array for name, array in zip(names, results, strict=True) if isinstance(array, np.ndarray)} or None


def distance(found: dict[str, Array], wanted: dict[str, Array] | None) -> str:
    """'same', or the largest difference relative to the largest value of an output; '–' without a file to compare."""
    if wanted is None:
        return "–"
    worst = 0.0
    for name, array in wanted.items():
        if array.dtype == object or array.size == 0:
            worst = max(worst, 0.0 if np.array_equal(found[name], array) else np.inf)
            continue
        finite = np.isfinite(array.astype(np.float64))
        if not np.array_equal(finite, np.isfinite(found[name].astype(np.float64))):
            return "differs"
        a, b = found[name].astype(np.float64)[finite], array.astype(np.float64)[finite]
        worst = max(worst, float(np.abs(a - b).max(initial=0.0) / max(np.abs(b).max(initial=0.0), 1e-30)))
    return "same" if worst <= EXACT else f"{worst:.0e}"


def sqnr_db(found: Array, wanted: Array) -> float:
    """Signal over the difference of two results, dB."""
    if wanted.dtype == object or wanted.size == 0:
        return np.inf
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    noise, power = float(np.sum((a - b)[finite] ** 2)), float(np.sum(b[finite] ** 2))
    return np.inf if noise == 0 else float(10 * np.log10(max(power, 1e-300) / noise))


def remarks(network: Network) -> str:
    """Why kernels with weights have no switch, the precision that the file has, and the notes of opening it."""
    reasons = dict.fromkeys(str(kernel.why_not) for kernel in network.kernels if kernel.why_not is not None)
    parts = [reason for reason in reasons if reason != PLAIN]
    stored = Counter(name_of(scheme) for kernel in network.kernels if (scheme := stored_scheme(kernel)) is not None)
    parts += [f"in the file {count} × {name}" for name, count in stored.items()]
    parts += [str(note) for note in network.graph.notes]
    return "; ".join(part.rstrip(".") for part in parts)


def name_of(scheme: Scheme) -> str:
    """A scheme in a word."""
    return "FP16" if scheme == FP16 else label(scheme)


def kind_rows() -> list[tuple[str, Row]]:
    """Every awkward kind, by group."""
    rows = []
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            row = examine(kind.title, kind.write(Path(folder)))
        if row.opened != kind.opens:
            raise SystemExit(f"{kind.group}, {kind.title}: {row.says or 'opened'}")
        rows.append((kind.group, row))
    return rows


def sample_rows() -> list[Row]:
    """The sample models."""
    return [examine(sample.name, sample.model) for sample in list_samples()]


def kind_table() -> str:
    """Markdown of all kinds."""
    lines = [HEAD.format("kind"), RULE]
    lines += [cells(f"{group}: {row.name}", row) for group, row in kind_rows()]
    return "\n".join(lines)


def sample_table() -> str:
    """Markdown of the sample models."""
    return plain_table(sample_rows())


def plain_table(rows: Iterable[Row], *, timed: bool = False) -> str:
    """Markdown of real models."""
    lines = [HEAD.format("model") + (" opened in |" if timed else ""), RULE + ("---|" if timed else "")]
    lines += [cells(row.name, row) + (f" {row.seconds:.1f} s |" if timed else "") for row in rows]
    return "\n".join(lines)


def cells(name: str, row: Row) -> str:
    """One line."""
    text = row.says.replace("|", "\\|").replace("<", "&lt;")
    if not row.opened:
        return f"| {name} | refused | | | | | {text} |"
    return f"| {name} | opens | {row.kernels} | {row.switches} | {row.preview} | {row.exported or '–'} | {text} |"


def folder_table(folder: Path) -> str:
    """Markdown of all models in a folder, its subfolders included; by file name."""
    paths = sorted(folder.rglob("*.onnx"), key=lambda path: path.name)
    return plain_table([examine(path.name, path) for path in paths], timed=True)


def put_into(path: Path, name: str, text: str) -> None:
    """Replace what stands between the markers of that name."""
    begin, end = BEGIN.format(name), END.format(name)
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{path} has no lines {begin} and {end}")
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Examine, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="also examine the models in it")
    parser.add_argument("--only", choices=("kinds", "samples", "folder"), help="one table instead of all")
    parser.add_argument("--into", type=Path, help="file whose tables are replaced")
    chosen = parser.parse_args(arguments)
    tables = {"kinds": kind_table, "samples": sample_table}
    if chosen.folder is not None:
        tables["folder"] = lambda: folder_table(chosen.folder)
    for name, make in tables.items():
        if chosen.only in (None, name):
            text = make()
            print(text)
            if chosen.into:
                put_into(chosen.into, name, text)


if __name__ == "__main__":
    main()
