"""The values of export options as people read them; names of devices and files stay as they are."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


def option_word(name: str, value: str) -> str:
    """A value of an option of `engine.interop.targets` in the window's language."""
    words = {
        ("names", "module"): translate("ExportOptions", "module path"),
        ("names", "node"): translate("ExportOptions", "ONNX node"),
        ("exclude", "weight"): translate("ExportOptions", "by weight"),
        ("exclude", "node"): translate("ExportOptions", "by ONNX node"),
        ("mode", "auto"): translate("ExportOptions", "as the plan asks"),
        ("mode", "weight4"): translate("ExportOptions", "weights, 4 bits"),
        ("mode", "weight8"): translate("ExportOptions", "weights, 8 bits"),
        ("mode", "full8"): translate("ExportOptions", "weights and activations, 8 bits"),
        ("value", "bits"): translate("ExportOptions", "weight bits"),
        ("value", "latency_us"): translate("ExportOptions", "latency, µs"),
        ("value", "accumulated_sqnr_db"): translate("ExportOptions", "accumulated SQNR, dB"),
        ("value", "local_sqnr_db"): translate("ExportOptions", "local SQNR, dB"),
        ("value", "sensitivity_db"): translate("ExportOptions", "sensitivity, dB"),
        ("value", "weight_bytes"): translate("ExportOptions", "size of weights, bytes"),
    }
    return words.get((name, value), value)
