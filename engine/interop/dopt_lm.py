"""dopt_lm, the CANN Kit quantizer for language models: a strategy per layer, in the model's PyTorch names.

Format: CANN Kit guide, "lightweighting of large models" (dopt_config.json, config.yaml). One page of it spells the
root `layer_stategy`; both are read, the right one is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal

import msgspec

from engine.errors import ExportError, PlanError
from engine.files import decode_json
from engine.fusion.types import Kernel, Kind, Network
from engine.interop.bundle import Bundle, bundle, command, shell, written
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.kernel_index import Imported, KernelIndex
from engine.interop.layer_names import layer_names
from engine.interop.nearest import Ability, dividing, nearest
from engine.interop.order import Order
from engine.interop.targets import DOPT_LM, option
from engine.misshapen import form_words
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, ActivationFormat, Granularity, Scheme, WeightFormat
from engine.text import Text, say

GROUPS = (32, 64, 128)
_WEIGHTED = "Quant_act_weight_eco"
_TYPE = "<class 'torch.nn.modules.linear.Linear'>"
_KINDS = frozenset({Kind.GEMM, Kind.MATMUL, Kind.CONV, Kind.DEPTHWISE, Kind.EMBEDDING})


class _Weight(msgspec.Struct, omit_defaults=True):
    bit: Literal[4, 8, 16]
    group_size: int = 0


class _Input(msgspec.Struct):
    bit: Literal[8, 16]


class Strategy(msgspec.Struct, omit_defaults=True):
    """One layer. Members that Mixbit doesn't use are read over."""

    quant_strategy: str
    type: str = ""
    weight: _Weight | None = None
    input: _Input | None = None


class _File(msgspec.Struct, omit_defaults=True):
    layer_strategy: dict[str, Strategy] = {}
    layer_stategy: dict[str, Strategy] = {}


def check_dopt_lm(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """INT4, INT8 or float weights; activations of 16 bits (here: FP16) or 8."""
    notes = (say("dopt_lm works on the PyTorch model: the names must be those of its modules, see names.csv."),)
    return hand_over(network, plan, _rule, notes)


def _rule(kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
    if asked.weights.floating:
        if asked == FP16:
            return asked, None
        if asked.brain:
            return FP16, say(
                "BF16 is not handed to {target}; this layer runs in {scheme}.", target="dopt_lm", scheme="FP16"
            )
        return FP16, say("dopt_lm runs in FP16 what it doesn't quantize.")
    if kernel.kind is Kind.EMBEDDING:
        if asked.weights.bits > 8:
            return FP16, say("dopt_lm has embeddings of 8 bits or FP16, nothing between.")
        gets = Scheme(WeightFormat(8, symmetric=False, granularity="channel"), FP16.activations)
        return gets, None if gets == asked else say("dopt_lm quantizes embeddings per row to INT8, by its own method.")
    return nearest(_ABILITY, kernel, asked)


def _refuses(kernel: Kernel) -> Text | None:
    if kernel.kind not in _KINDS:
        return say("dopt_lm quantizes linear layers, convolutions and embeddings only; this layer stays FP16.")
    return None


def _widths(kernel: Kernel) -> tuple[int, ...]:
    return (8,) if kernel.kind in (Kind.CONV, Kind.DEPTHWISE) else (4, 8)


def _grains(kernel: Kernel, bits: int) -> tuple[Granularity, ...]:
    plain = kernel.kind in (Kind.CONV, Kind.DEPTHWISE) or not dividing(GROUPS, kernel)
    return ("channel",) if plain else ("group",)


_ABILITY = Ability(
    say("dopt_lm"),
    _refuses,
    _widths,
    _grains,
    groups=lambda kernel: dividing(GROUPS, kernel),
    activation_widths=(8,),
    weight_only=True,
)


def export_dopt_lm(order: Order) -> Written:
    """Write the folder.

    Raises:
        ExportError: It can't be written.
    """
    network, plan, extras = order.network, order.plan, order.extras
    handover = check_dopt_lm(network, plan, extras=extras)
    names = layer_names(network)
    effective = handover.effective_plan
    strategies = {names.modules[k.id]: _strategy(k, effective[k.id], network) for k in network.tunable}
    with bundle(DOPT_LM, order, handover, names) as made:
        order.progress(0.0, say("Writing {file}", file="dopt_config.json"))
        data = msgspec.json.format(msgspec.json.encode(_File(strategies)), indent=2).decode() + "\n"
        made.text("dopt_config.json", data, "strategy of each layer")
        newer = option(extras, DOPT_LM, "platform") == "kirin9020"
        made.text("config.yaml", _yaml(network, newer), "settings of the run; fill in the files")
        made.text("dopt_lm.sh", _script(strategies), "runs dopt_lm; set DOPT_LM and MODEL", executable=True)
        made.steps += ["Fill in dataset.train_files in config.yaml.", "DOPT_LM=... MODEL=... ./dopt_lm.sh"]
        _read_back(made, network, effective)
    return written(DOPT_LM, order, handover, made)


def _strategy(kernel: Kernel, scheme: Scheme, network: Network) -> Strategy:
    if scheme.weights.floating:
        return Strategy("float")
    if kernel.kind is Kind.EMBEDDING:
        return Strategy("Quant_Embed_MinMax")
    weights = _Weight(scheme.weights.bits, scheme.weights.group)  # type: ignore[arg-type]
    activations = _Input(16 if scheme.activations.floating else 8)
    kind = _TYPE if kernel.kind in (Kind.GEMM, Kind.MATMUL) else ""
    return Strategy(_WEIGHTED, kind, weights, activations)


def _yaml(network: Network, newer: bool) -> str:
    head = network.tunable[-1] if network.tunable else None
    rows = head.weight.shape[head.weight.channel_axes[0]] if head and head.weight and head.weight.channel_axes else 0
    return "\n".join(
        [
            "# Written by Mixbit; the files of the data set are yours to name.",
            "kd: false",
            "dataset:",
            "  train_files: []",
            "  train_samples: 128",
            "  ptq_samples: 128",
            "extra_training_config: {}",
            "cutoff_len: 2048",
            "num_samples: 128",
            f"quant_param_2: {'true' if newer else 'false'}",
            "embedding_separate: true",
            f"lm_head_size: {rows}",
            "",
        ]
    )


def _script(strategies: Mapping[str, Strategy]) -> str:
    groups = Counter(s.weight.group_size for s in strategies.values() if s.weight and s.weight.group_size)
    bits = min((s.weight.bit for s in strategies.values() if s.weight), default=16)
    inputs = min((s.input.bit for s in strategies.values() if s.input), default=16)
    arguments = [
        '--model-path "${MODEL:?set it to the folder of the PyTorch model}"',
        "--optimize-config config.yaml",
        "--dopt-config dopt_config.json",
        "--quant-stage stage1",
        f"--group-size {groups.most_common(1)[0][0] if groups else 128}",
        f"--w-bits {bits}",
        f"--act-bits {inputs}",
        "--output-dir result",
    ]
    program = 'python "${DOPT_LM:?set it to the folder of opt_main.py}/opt_main.py"'
    return shell(
        [command(program, arguments)], "Quantizes a language model with dopt_lm; widths per layer are in the JSON."
    )


def decode_strategies(data: bytes, path: str) -> dict[str, Strategy]:
    """Layer -> strategy.

    Raises:
        PlanError: Not such a file.
    """
    try:
        read = decode_json(data, _File)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlanError(
            say("{path} is no configuration of dopt_lm: {reason}.", path=path, reason=form_words(error))
        ) from error
    found = read.layer_strategy or read.layer_stategy
    if not found:
        raise PlanError(
            say("{path} is no configuration of dopt_lm: it has no member {member}.", path=path, member="layer_strategy")
        )
    return found


def plan_of_strategies(strategies: Mapping[str, Strategy], network: Network, base: Plan) -> Imported:
    """Match strategies to layers.

    Raises:
        PlanError: An ambiguous name, or no layer of this model.
    """
    index, source = KernelIndex(network), say("configuration of dopt_lm")
    asked = {name: _scheme(strategy) for name, strategy in strategies.items()}
    found = index.plan(network, asked, base, source)
    named = {kernel.id for name in asked for kernel in index.find(name)}
    gets = {kernel.id: _rule(kernel, found.plan[kernel.id])[0] for kernel in network.tunable if kernel.id in named}
    return Imported(found.plan.with_schemes(gets), source, found.unmatched, found.untouched)


def _scheme(strategy: Strategy) -> Scheme:
    if strategy.quant_strategy in ("float", "Quant_Dummy"):
        return FP16
    bits = strategy.weight.bit if strategy.weight else 8
    if bits == 16:
        return FP16
    group = strategy.weight.group_size if strategy.weight else 0
    activations = ActivationFormat(8) if strategy.input and strategy.input.bit == 8 else FP16.activations
    grain: Granularity = "group" if group else "channel"
    return Scheme(WeightFormat(bits, symmetric=False, granularity=grain, group=group), activations)


def _read_back(made: Bundle, network: Network, plan: Plan) -> None:
    """Import the file again and compare with the plan, but for zero points, which it doesn't speak of.

    Raises:
        ExportError: If they differ.
    """
    name = "dopt_config.json"
    found = plan_of_strategies(decode_strategies((made.folder / name).read_bytes(), name), network, Plan()).plan
    for kernel in network.tunable:
        if _key(found[kernel.id]) != _key(plan[kernel.id]):
            raise ExportError(
                say("{file} disagrees with the plan about layer {layer}; nothing was written.",
                    file=name, layer=kernel.name)
            )  # fmt: skip
    made.checks.append(
        say("Read back: every one of {count} {count:layer|layers} has its precision.", count=len(network.tunable))
    )


def _key(scheme: Scheme) -> tuple[object, ...]:
    weights = scheme.weights
    return weights.bits, weights.floating, weights.granularity, weights.group, scheme.activations.bits
