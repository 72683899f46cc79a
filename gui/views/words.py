"""Words that the engine uses as identifiers, as people read them in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


def bound_word(bound: str) -> str:
    """What a kernel is bound by."""
    return {
        "": "–",
        "-": "–",
        "Launch": translate("Words", "Launch"),
        "DDR weights": translate("Words", "DDR weights"),
        "DDR read": translate("Words", "DDR read"),
        "DDR write": translate("Words", "DDR write"),
    }.get(bound, bound)


def unit_word(unit: str) -> str:
    """Executing unit; the hardware names stay in Latin."""
    return "–" if unit in ("", "-") else unit


def no_switch_word(kind: str, unit: str) -> str:
    """Why a row has no switch, in two words; the tooltip has the whole reason."""
    if unit == "CPU":
        return translate("Words", "runs on CPU")
    if kind in ("conv", "depthwise", "conv_transpose", "gemm", "matmul", "embedding", "recurrent"):
        return translate("Words", "keeps its precision")
    return translate("Words", "follows input")


def kind_word(kind: str) -> str:
    """Kind of a kernel, for the filter."""
    return {
        "conv": translate("Words", "Convolution"),
        "depthwise": translate("Words", "Depthwise"),
        "conv_transpose": translate("Words", "Transposed convolution"),
        "gemm": translate("Words", "Gemm"),
        "matmul": translate("Words", "MatMul"),
        "matmul_dynamic": translate("Words", "MatMul of activations"),
        "embedding": translate("Words", "Embedding"),
        "recurrent": translate("Words", "Recurrent"),
        "norm": translate("Words", "Norm"),
        "softmax": translate("Words", "Softmax"),
        "pool": translate("Words", "Pooling"),
        "reduce": translate("Words", "Reduction"),
        "elementwise": translate("Words", "Elementwise"),
        "movement": translate("Words", "Data movement"),
        "other": translate("Words", "Other"),
    }.get(kind, kind)


def energy_word(part: str) -> str:
    """Part of the energy."""
    return translate("Words", "idle") if part == "Idle" else part
