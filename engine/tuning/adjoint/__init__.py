"""Backward graphs with respect to activations, as ONNX graphs: one small rule per operator, in files by family."""

from engine.tuning.adjoint.backward import Found, backward
from engine.tuning.adjoint.call import RULES, ZERO, Blocked, Call, Segment
from engine.tuning.adjoint.tape import Sym, Tape

__all__ = ["RULES", "ZERO", "Blocked", "Call", "Found", "Segment", "Sym", "Tape", "backward"]
