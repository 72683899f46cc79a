"""Parts that several exported folders have: the float model with every node named, and the calibration samples."""

from __future__ import annotations

from engine.interop.bundle import MODEL, Bundle
from engine.interop.calibration_files import write_raw
from engine.interop.float_model import write_float_model
from engine.interop.layer_names import LayerNames
from engine.interop.order import Order
from engine.text import say

CALIBRATION = "calibration"


def put_float_model(made: Bundle, order: Order, names: LayerNames, *, opsets: range | None = None) -> None:
    """Write the float model into the folder and list it.

    Raises:
        ExportError: ONNX Runtime can't run what was written.
        Cancelled: If asked to stop.
    """
    order.progress(0.0, say("Writing {file}", file=MODEL))
    model = made.folder / MODEL
    made.notes += write_float_model(order.network, names, model, opsets=opsets, cancel=order.cancel)
    made.files.append((MODEL, "the float model, every node named"))


def put_calibration(made: Bundle, order: Order, names: LayerNames, *, channels_last: bool = False) -> int:
    """Write one file per sample and input into the folder and list them, or note that there are none.

    Returns:
        Number of samples that the target's configuration is to name: at least 1.
    """
    samples = order.extras.samples
    if samples is None:
        made.notes.append(say("No calibration samples were handed over; put one .bin per sample into calibration/."))
        return 1
    folder = made.folder / CALIBRATION
    write_raw(samples, order.network, names, folder, channels_last=channels_last, cancel=order.cancel)
    axes = ", 4-D inputs in NHWC order" if channels_last else ""
    made.files.append((f"{CALIBRATION}/", f"one .bin per sample and input{axes}"))
    return len(samples)
