"""Mixbit's own exports as targets: the quantized model, the table, the plan."""

from __future__ import annotations

from engine.errors import ExportError
from engine.fusion.types import Network
from engine.interop import qdq
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.order import Order
from engine.interop.table import rows, write_csv
from engine.precision.plan import Plan
from engine.precision.planfile import plan_from_file, plan_to_file, save_plan
from engine.text import Text, say
from engine.tuning.methods import apart


def check_qdq(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """Every scheme can be said; the reader needs one setting."""
    return hand_over(network, plan, lambda kernel, asked: (asked, None), (*_setting(plan), *_scales(network, plan)))


def _setting(plan: Plan) -> tuple[Text, ...]:
    """The session setting that gives what is shown, and what its default does to such a plan."""
    schemes = [scheme for _, scheme in plan.items()]
    notes = [
        say(
            "To get the errors that are shown, run the file with ONNX Runtime's session setting "
            "session.disable_quant_qdq=1; it stands in the model's metadata, too."
        )
    ]
    if any(not s.weights.floating and s.weights.bits <= 4 for s in schemes):
        notes.append(say("Without it, ONNX Runtime rounds the activations beside INT4 weights to 8 bits."))
    if any(not s.activations.floating and s.activations.bits <= 8 for s in schemes):
        notes.append(
            say(
                "Without it, ONNX Runtime multiplies 8-bit activations and weights as integers, whose products "
                "saturate in pairs on x86 processors without VNNI: errors can be several dB worse than shown."
            )
        )
    return tuple(notes)


def _scales(network: Network, plan: Plan) -> tuple[Text, ...]:
    """Scales of channels that stay multiplications."""
    found = apart(network, plan)
    if not found:
        return ()
    return (
        say(
            "{name} and {more} more: the scale of the input stays a multiplication of its own, as what is in front of "
            "it or beside it has another scheme. Errors are as shown; the latency of the product is not counted.",
            name=network.by_id(found[0]).name,
            more=len(found) - 1,
        ),
    )


def check_csv(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """The plan is shown as it is."""
    return hand_over(network, plan, lambda kernel, asked: (asked, None))


check_plan = check_csv


def export_qdq(order: Order) -> Written:
    """Write the quantized model; errors as in `engine.interop.qdq.export_qdq`."""
    network, plan, path = order.network, order.plan, order.path
    qdq.export_qdq(network, plan, order.calibrated, path, progress=order.progress, cancel=order.cancel)
    data = path.with_name(f"{path.name}.data")
    files = (path, data) if data.is_file() else (path,)
    return Written("qdq", path, files, check_qdq(network, plan), (say("Run once by ONNX Runtime."),))


def export_csv(order: Order) -> Written:
    """Write the table; columns of figures that nobody measured stay empty.

    Raises:
        ExportError: The file can't be written.
    """
    network, plan, path = order.network, order.plan, order.path
    known = order.extras.measured
    table = rows(
        network,
        plan,
        size=known.size,
        simulation=known.simulation,
        evaluation=known.evaluation,
        local=known.local,
        sensitivity=known.sensitivity,
        estimated=known.estimated,
    )
    write_csv(path, table)
    return Written("csv", path, (path,), check_csv(network, plan), ())


def export_plan(order: Order) -> Written:
    """Make the plan file, read it again, write it.

    Raises:
        ExportError: The file can't be written.
    """
    network, plan, path = order.network, order.plan, order.path
    found = plan_from_file(plan_to_file(plan, network), network, str(path))
    if any(found.get(kernel.id) != plan.get(kernel.id) for kernel in network.tunable):
        raise ExportError(say("{path}: the file doesn't hold the plan; nothing was written.", path=path))
    save_plan(plan, network, path)
    return Written("plan", path, (path,), check_plan(network, plan), (say("Read back: the same plan."),))
