"""Parts that several exported folders have: the float model with every node named, and the calibration samples."""

from __future__ import annotations

from engine.fusion.types import Network
from engine.interop.bundle import MODEL, Bundle
from engine.interop.calibration_files import write_raw
from engine.interop.float_model import write_float_model
from engine.interop.handover import Extras
from engine.interop.layer_names import LayerNames
from engine.progress import CancelToken, Progress
from engine.text import say

CALIBRATION = "calibration"


def put_float_model(
    made: Bundle,
    network: Network,
    names: LayerNames,
    *,
    opsets: range | None = None,
    progress: Progress,
    cancel: CancelToken,
) -> None:
    """Write the float model into the folder and list it.

    Raises:
        ExportError: ONNX Runtime can't run what was written.
        Cancelled: If asked to stop.
    """
    progress(0.0, say("Writing {file}", file=MODEL))
    made.notes += write_float_model(network, names, made.folder / MODEL, opsets=opsets, cancel=cancel)
    made.files.append((MODEL, "the float model, every node named"))


def put_calibration(
    made: Bundle,
    network: Network,
    names: LayerNames,
    extras: Extras,
    *,
    channels_last: bool = False,
    cancel: CancelToken,
) -> int:
    """Write one file per sample and input into the folder and list them, or note that there are none.

    Returns:
        Number of samples that the target's configuration is to name: at least 1.
    """
    if extras.samples is None:
        made.notes.append(say("No calibration samples were handed over; put one .bin per sample into calibration/."))
        return 1
    write_raw(extras.samples, network, names, made.folder / CALIBRATION, channels_last=channels_last, cancel=cancel)
    order = ", 4-D inputs in NHWC order" if channels_last else ""
    made.files.append((f"{CALIBRATION}/", f"one .bin per sample and input{order}"))
    return len(extras.samples)
