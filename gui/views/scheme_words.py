"""What the short name of a scheme leaves out, in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from engine.precision.scheme import Scheme, label


def scheme_words(scheme: Scheme) -> str:
    """Bits and grain of a scheme: "W8A8 per channel", "group 32" after a name that has the bits; '' for floats."""
    weights = scheme.weights
    if weights.floating:
        return ""
    code = f"W{weights.bits}A{'B' * scheme.activations.brain}{scheme.activations.bits}"
    grain = _grain(weights.granularity, weights.group)
    return grain if label(scheme.rounded) == code else f"{code} {grain}"


def method_words(scheme: Scheme) -> str:
    """How weights are rounded: "GPTQ, corrected bias"."""
    translate = QCoreApplication.translate
    name = method_name(scheme.method)
    return f"{name}, {translate('Schemes', 'corrected bias')}" if scheme.corrected else name


METHOD_NAMES = {
    "rtn": "",
    "mse": "MSE clip",
    "hqq": "HQQ",
    "gptq": "GPTQ",
    "awq": "AWQ",
    "smooth": "SmoothQuant",
    "cle": "",
}
"""Names that papers gave; '' for what is said in words."""


def method_name(method: str) -> str:
    """A weight method in the window's language."""
    translate = QCoreApplication.translate
    if method == "cle":
        return translate("Schemes", "cross-layer equalization")
    return METHOD_NAMES.get(method) or translate("Schemes", "round to nearest")


def _grain(granularity: str, group: int) -> str:
    translate = QCoreApplication.translate
    if granularity == "group":
        return translate("Schemes", "group {size}").format(size=group)
    return translate("Schemes", "per channel") if granularity == "channel" else translate("Schemes", "per tensor")
