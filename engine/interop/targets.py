"""The table of export targets: what a window and a command line offer, in its order.

A row names the module that does the work; it is loaded when it is asked for, so that a list costs nothing.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, cast

from engine.errors import ExportError
from engine.files import check_replaceable
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import Text, say

if TYPE_CHECKING:  # the real modules load ONNX Runtime, which a list does not wait for
    from engine.fusion.types import Network
    from engine.interop.handover import Extras, Handover, Written
    from engine.interop.order import Order
    from engine.precision.plan import Plan
    from engine.quant.ranges import Ranges

Need = Literal["ranges", "samples", "figures", "simulation"]
"""What the caller has to bring; "figures" are errors and a simulation, "simulation" is that alone."""
_WITHOUT_LAYERS = frozenset({"qdq", "csv", "plan", "report", "trace", "op_summary"})
"""Targets that make sense for a model without tunable layers."""


@dataclass(frozen=True, slots=True)
class Option:
    """Something that a user may choose for a target."""

    name: str
    title: Text
    default: str
    choices: tuple[str, ...] = ()
    """Empty where any text is possible."""


class _Check(Protocol):
    def __call__(self, network: Network, plan: Plan, *, extras: Extras) -> Handover: ...


class _Export(Protocol):
    def __call__(self, order: Order) -> Written: ...


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of export."""

    name: str
    """On the command line and in settings."""
    title: Text
    note: Text
    """One sentence: what is written and for whom."""
    form: Literal["file", "folder"]
    module: str
    """In `engine.interop`; holds `check_<name>` and `export_<name>`."""
    suffix: str = ""
    """Of the file, or proposed for the folder's name."""
    needs: frozenset[Need] = frozenset()
    options: tuple[Option, ...] = ()

    def check(self, network: Network, plan: Plan, extras: Extras | None = None) -> Handover:
        """What the target will make of a plan; nothing is written.

        Raises:
            ExportError: The target can't take this model at all, or an option has an unknown value.
        """
        self._something_to_say(network)
        function = cast(_Check, getattr(self._code(), f"check_{self.name}"))
        return function(network, plan, extras=self._checked(extras))

    def export(
        self,
        network: Network,
        plan: Plan,
        ranges: Ranges | None,
        path: Path,
        *,
        extras: Extras | None = None,
        progress: Progress = no_progress,
        cancel: CancelToken = NEVER,
    ) -> Written:
        """Check, write aside, read back, compare with the plan, put in place.

        Args:
            network: The model.
            plan: What the user wants.
            ranges: Activation ranges; needed by targets that say so.
            path: The file or folder.
            extras: Samples, options and figures.
            progress: Told about.
            cancel: Checked at least between files and constants.

        Raises:
            ExportError: It can't be written, or the target can't take this model; what was there before stays.
            PlanError: A range is missing.
            Cancelled: If asked to stop; nothing is left behind.
        """
        from engine.interop.order import Order

        cancel.check()
        self._something_to_say(network)
        if self.form == "file":
            check_replaceable(path)
        if ranges is None and "ranges" in self.needs:
            raise ExportError(say("{path}: calibration has not finished yet; export again when it has.", path=path))
        function = cast(_Export, getattr(self._code(), f"export_{self.name}"))
        return function(Order(network, plan, path, ranges, self._checked(extras), progress, cancel))

    def _something_to_say(self, network: Network) -> None:
        if not network.tunable and self.name not in _WITHOUT_LAYERS:
            raise ExportError(
                say(
                    "{model} has no layer with a precision of its own, so there is nothing to tell {target}.",
                    model=network.graph.path.name,
                    target=self.title,
                )
            )

    def _code(self) -> object:
        return importlib.import_module(f"engine.interop.{self.module}")

    def _checked(self, extras: Extras | None) -> Extras:
        from engine.interop.handover import Extras

        extras = extras or Extras()
        known = {option.name: option for option in self.options}
        for name, value in extras.options.items():
            option = known.get(name)
            if option is None:
                raise ExportError(
                    say(
                        "{target} has no option {option}; it knows {known}.",
                        target=self.title,
                        option=name,
                        known=", ".join(known) or "-",
                    )
                )
            if option.choices and value not in option.choices:
                raise ExportError(
                    say(
                        "{target}: {option} can't be {value}; choose one of {choices}.",
                        target=self.title,
                        option=name,
                        value=value,
                        choices=", ".join(option.choices),
                    )
                )
        return extras


QDQ = Target(
    "qdq",
    say("Quantized ONNX model"),
    say("One model that computes what the preview shows: integer weights, Q/DQ nodes, opset 21."),
    "file",
    "plain",
    ".onnx",
    frozenset({"ranges"}),
)
CSV = Target(
    "csv",
    say("Table of the layers"),
    say("CSV with one row per layer: precision, size, errors and cost."),
    "file",
    "plain",
    ".csv",
    frozenset({"figures"}),
)
PLAN = Target("plan", say("Plan file"), say("The plan itself, to be opened again."), "file", "plain", ".json")
RULES = Target(
    "rules",
    say("Rule file"),
    say("JSON with a default precision and the name patterns of the layers that keep another one."),
    "file",
    "rules_file",
    ".json",
)
RULES_CPP = Target(
    "rules_cpp",
    say("Rules as a C++ header"),
    say("The same rules as a constant for your own deployment code."),
    "file",
    "rules_file",
    ".h",
)

AMCT_PTQ = Target(
    "amct_ptq",
    say("AMCT, post-training"),
    say("Configurations, scales and a script for AMCT (ONNX edition): INT8 or FP16 per layer."),
    "folder",
    "amct_ptq",
    "_amct",
    frozenset({"ranges", "samples"}),
)
AMCT_QAT = Target(
    "amct_qat",
    say("AMCT, quantization-aware training"),
    say("qat.cfg and the mixed-precision JSON for AMCT (PyTorch edition): INT4, INT8 or FP16 per layer."),
    "folder",
    "amct_qat",
    "_amct_qat",
    frozenset({"ranges"}),
    (Option("names", say("Layer names"), "module", ("module", "node")),),
)
ATC = Target(
    "atc",
    say("ATC, Ascend"),
    say("Script, precision files, calibration settings and AIPP for the converter of Ascend devices."),
    "folder",
    "atc",
    "_atc",
    frozenset({"samples"}),
    (Option("soc_version", say("SoC version"), "Ascend310P3"),),
)
DOPT = Target(
    "dopt",
    say("CANN Kit quantizer (dopt) and OMG, Kirin"),
    say("config.prototxt, calibration data and scripts for Kirin phones: INT8 or FP16 per layer."),
    "folder",
    "dopt",
    "_dopt",
    frozenset({"samples"}),
    (
        Option("platform", say("Platform"), "kirin9030", ("kirin9020", "kirin9030", "kirinx90")),
        Option("exclude", say("Names of float layers"), "weight", ("weight", "node")),
    ),
)
DOPT_LM = Target(
    "dopt_lm",
    say("CANN Kit quantizer for language models (dopt_lm)"),
    say("dopt_config.json and config.yaml: INT4, INT8 or float weights per layer."),
    "folder",
    "dopt_lm",
    "_dopt_lm",
    frozenset(),
    (Option("platform", say("Platform"), "kirin9020", ("kirin9020", "kirinx90")),),
)
MINDSPORE_LITE = Target(
    "mindspore_lite",
    say("MindSpore Lite"),
    say("quant.cfg and a script for converter_lite: one integer width and FP16."),
    "folder",
    "mindspore_lite",
    "_mslite",
    frozenset({"samples"}),
    (Option("mode", say("Quantization"), "auto", ("auto", "weight4", "weight8", "full8")),),
)
MATMUL_NBITS = Target(
    "matmul_nbits",
    say("ONNX with MatMulNBits"),
    say("One model for ONNX Runtime, grouped weights of matrix products in its own packed kernel."),
    "file",
    "nbits",
    ".onnx",
    frozenset({"ranges"}),
)
ORT_RECIPE = Target(
    "ort_recipe",
    say("ONNX Runtime recipe"),
    say("quantize.py, which repeats the plan with onnxruntime.quantization."),
    "folder",
    "ort_recipe",
    "_ort",
    frozenset({"samples"}),
)
AIMET = Target(
    "aimet",
    say("AIMET encodings"),
    say("Precision and scales of every tensor, for AIMET and for Qualcomm's converters."),
    "file",
    "aimet",
    ".encodings",
    frozenset({"ranges"}),
)
QNN = Target(
    "qnn",
    say("QNN and SNPE overrides"),
    say("JSON for --quantization_overrides of Qualcomm's converters."),
    "file",
    "aimet",
    ".json",
    frozenset({"ranges"}),
)
NNCF = Target(
    "nncf",
    say("NNCF script"),
    say("nncf_plan.py, which repeats the plan with NNCF."),
    "folder",
    "nncf_script",
    "_nncf",
    frozenset({"samples"}),
)
TENSORRT = Target(
    "tensorrt",
    say("TensorRT"),
    say("A quantized model without zero points, a script for trtexec, and precisions per layer."),
    "folder",
    "tensorrt",
    "_tensorrt",
    frozenset({"ranges"}),
)
MODEL_EXPLORER = Target(
    "model_explorer",
    say("Model Explorer overlay"),
    say("Node data that colours the graph in Google's Model Explorer."),
    "file",
    "model_explorer",
    ".json",
    frozenset({"figures"}),
    (
        Option(
            "value",
            say("Value"),
            "bits",
            ("bits", "latency_us", "accumulated_sqnr_db", "local_sqnr_db", "sensitivity_db", "weight_bytes"),
        ),
    ),
)
REPORT = Target(
    "report",
    say("HTML report"),
    say("One page with the plan, its errors and its cost, to read in any browser."),
    "file",
    "report",
    ".html",
    frozenset({"figures"}),
)

TRACE = Target(
    "trace",
    say("Timeline for Perfetto"),
    say("Chrome trace of the simulated run: every unit, memory, traffic and power over time."),
    "file",
    "trace",
    ".trace.json",
    frozenset({"simulation"}),
)
OP_SUMMARY = Target(
    "op_summary",
    say("Simulated op_summary"),
    say("CSV of the simulated run, one row per kernel, in the columns of a profile by msprof."),
    "file",
    "op_summary",
    ".op_summary.csv",
    frozenset({"simulation"}),
)

TARGETS: tuple[Target, ...] = (
    QDQ,
    PLAN,
    CSV,
    REPORT,
    TRACE,
    OP_SUMMARY,
    RULES,
    RULES_CPP,
    AMCT_PTQ,
    AMCT_QAT,
    ATC,
    DOPT,
    DOPT_LM,
    MINDSPORE_LITE,
    MATMUL_NBITS,
    ORT_RECIPE,
    AIMET,
    QNN,
    NNCF,
    TENSORRT,
    MODEL_EXPLORER,
)


def target(name: str) -> Target:
    """The target of that name.

    Raises:
        ExportError: There is none.
    """
    for found in TARGETS:
        if found.name == name:
            return found
    raise ExportError(
        say("There is no export target {name}; choose one of {names}.",
            name=name, names=", ".join(found.name for found in TARGETS))
    )  # fmt: skip


def option(extras: Extras, of: Target, name: str) -> str:
    """The value of a target's option, or its default."""
    default = next(found.default for found in of.options if found.name == name)
    return extras.options.get(name, default)
