"""Room `numerics`: running kernels as reference and quantized, and the errors between them."""

from engine.numerics.budget import samples_within
from engine.numerics.calibration import calibrate
from engine.numerics.capture import Capture
from engine.numerics.evaluator import Evaluator
from engine.numerics.lowering import Lowered, lower
from engine.numerics.results import ErrorSums, Evaluation, OutputError
from engine.numerics.samples import SampleSet
from engine.numerics.synthetic import synthetic_samples

__all__ = [
    "Capture",
    "ErrorSums",
    "Evaluation",
    "Evaluator",
    "Lowered",
    "OutputError",
    "SampleSet",
    "calibrate",
    "lower",
    "samples_within",
    "synthetic_samples",
]
