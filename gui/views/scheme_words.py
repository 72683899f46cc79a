"""What the short name of a scheme leaves out, in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from engine.precision.notation import usually_symmetric
from engine.precision.scheme import ActivationFormat, Scheme, WeightFormat, label, widths


def scheme_words(scheme: Scheme) -> str:
    """Bits, grain and what is unusual: "W8A8 per channel", "group 32, dynamic" after a name that has the bits.

    '' for floats, which have nothing else.
    """
    weights, activations = scheme.weights, scheme.activations
    if weights.floating:
        return "" if activations.floating else ", ".join(_unusual_activations(activations))
    grain = _grain(weights.granularity, weights.group)
    words = ", ".join((grain, *_unusual_weights(weights), *_unusual_activations(activations)))
    return words if label(scheme.rounded) == widths(scheme) else f"{widths(scheme)} {words}"


def _unusual_weights(weights: WeightFormat) -> list[str]:
    if weights.symmetric == usually_symmetric(weights.bits):
        return []
    translate = QCoreApplication.translate
    return [translate("Schemes", "symmetric") if weights.symmetric else translate("Schemes", "asymmetric")]


def _unusual_activations(activations: ActivationFormat) -> list[str]:
    if activations.floating:
        return []
    translate = QCoreApplication.translate
    words = [translate("Schemes", "symmetric activations")] * activations.symmetric
    return words + [translate("Schemes", "dynamic")] * (not activations.static)


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
