"""Activation functions written as several nodes: SiLU, HardSwish, GELU, Mish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.fusion.growth import Closure, closures, near, scalars, signature
from engine.fusion.ops import ELEMENTWISE
from engine.fusion.regions import Region
from engine.fusion.types import Kind
from engine.fusion.view import View

_LIMIT, _LATEST = 11, 6
"""Most nodes of an activation; nodes within which its core stands."""

_CORES = frozenset({"Sigmoid", "HardSigmoid", "Clip", "Erf", "Tanh", "Exp", "Softplus"})
_STARTS = frozenset({
    "Sigmoid", "HardSigmoid", "Add", "Mul", "Div", "Pow", "Softplus", "Exp", "Cast",
})  # fmt: skip

_BY_OPERATORS = {
    ("Mul", "Sigmoid"): "SiLU",
    ("HardSigmoid", "Mul"): "HardSwish",
    ("Add.c", "Clip", "Div.c", "Mul"): "HardSwish",
    ("Add.c", "Clip", "Mul", "Mul.c"): "HardSwish",
    ("Add.c", "Clip", "Div.c"): "HardSigmoid",
    ("Add.c", "Clip", "Mul.c"): "HardSigmoid",
    ("Mul", "Softplus", "Tanh"): "Mish",
    ("Add.c", "Exp", "Log", "Mul", "Tanh"): "Mish",
}
_ERF = Counter({"Erf": 1, "Add.c": 1, "Mul": 1})


def name_activation(view: View, closure: Closure) -> str:
    """What the function is called, or '' if it is none that people have a name for."""
    found = signature(view, closure.nodes)
    key = tuple(sorted(found.elements()))
    if key in _BY_OPERATORS:
        return _BY_OPERATORS[key]
    values = scalars(view, closure.nodes)
    rest = found - _ERF
    if found >= _ERF and sum(rest.values()) == 2 and set(rest) <= {"Mul.c", "Div.c"}:
        return "GELU" if near(values, 2**0.5) or near(values, 0.5**0.5) else ""
    if found["Tanh"] == 1 and set(found) <= {"Tanh", "Pow.c", "Mul", "Mul.c", "Div.c", "Add", "Add.c"}:
        return "GELU" if near(values, 0.044715) and found["Mul"] else ""
    if key == ("Mul", "Mul.c", "Sigmoid"):
        return "QuickGELU" if near(values, 1.702) else "SiLU" if near(values, 1.0) else "Swish"
    return ""


def activation_from(view: View, start: int) -> tuple[Closure, str] | None:
    """The largest named function that begins with a node."""
    if view.ops[start] not in _STARTS:
        return None
    best = None
    for closure in closures(view, start, lambda at: _joins(view, at), _LIMIT):
        if len(closure.nodes) > _LATEST and not any(view.ops[at] in _CORES for at in closure.nodes):
            break
        name = name_activation(view, closure)
        if name and view.shape(closure.output) == view.shape(closure.entry):
            best = closure, name
    return best


def _joins(view: View, at: int) -> bool:
    return view.ops[at] in ELEMENTWISE and len(view.outputs[at]) == 1


def find_activations(view: View) -> Iterator[Region]:
    """All named functions of several nodes."""
    for start in range(len(view.nodes)):
        found = activation_from(view, start)
        if found and len(found[0].nodes) > 1:
            closure, name = found
            yield Region.of(closure.nodes, closure.nodes[-1], Kind.ELEMENTWISE, name)
