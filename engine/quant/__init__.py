"""Room `quant`: number formats, packing, observers, calibration and weight methods."""

from engine.quant.observers import OBSERVERS
from engine.quant.packing import pack_codes, pack_int4, unpack_codes, unpack_int4
from engine.quant.sizes import PlanBytes, plan_bytes, weight_bytes
from engine.quant.weights import LEARNED, METHODS, SCALED, QuantizedWeight, fake_quantize, quantize_weight

__all__ = [
    "LEARNED",
    "METHODS",
    "OBSERVERS",
    "SCALED",
    "PlanBytes",
    "QuantizedWeight",
    "fake_quantize",
    "pack_codes",
    "pack_int4",
    "plan_bytes",
    "quantize_weight",
    "unpack_codes",
    "unpack_int4",
    "weight_bytes",
]
