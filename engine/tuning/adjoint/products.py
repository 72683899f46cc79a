"""Backward rules of matrix products."""

from __future__ import annotations

from math import prod

from engine.tuning.adjoint.call import Call, Gradients, rule
from engine.tuning.adjoint.tape import Sym


def _swapped(value: Sym, rank: int) -> Sym:
    return value.transpose([*range(rank - 2), rank - 1, rank - 2])


@rule("MatMul")
def matmul(call: Call, g: Sym) -> Gradients:
    """G B^T and A^T G; vectors become matrices first, broadcast batches are summed."""
    left, right = call.shape(0), call.shape(1)
    a = call.x(0).reshape([1, left[0]]) if len(left) == 1 else call.x(0)
    b = call.x(1).reshape([right[0], 1]) if len(right) == 1 else call.x(1)
    result = call.result_shape()
    batch = result[: len(result) - (len(left) > 1) - (len(right) > 1)]
    rows, columns, inner = left[-2] if len(left) > 1 else 1, right[-1] if len(right) > 1 else 1, left[-1]
    if len(left) == 1 or len(right) == 1:
        g = g.reshape([*batch, rows, columns])
    made: list[Sym | None] = [None, None]
    if 0 in call.wanted:
        if len(right) == 2:  # Gemm reads the weight transposed: no second copy of it
            flat = g.reshape([prod(batch) * rows, columns])
            back = call.tape.op("Gemm", flat, b, transB=1).reshape([*batch, rows, inner])
        else:
            back = call.tape.op("MatMul", g, _swapped(b, max(2, len(right))))
        made[0] = _fitted(back, [*batch, rows, inner], left, [*batch, inner])
    if 1 in call.wanted:
        back = call.tape.op("MatMul", _swapped(a, max(2, len(left))), g)
        made[1] = _fitted(back, [*batch, inner, columns], right, [*batch, inner])
    return made


def _fitted(value: Sym, shape: list[int], target: tuple[int, ...], as_vector: list[int]) -> Sym:
    """Sum batches that the operand was repeated over; a vector loses the axis of size 1 that it was given."""
    if len(target) > 1:
        return value.to_shape(shape, target)
    return value.reshape(as_vector).to_shape(as_vector, target)


@rule("Gemm")
def gemm(call: Call, g: Sym) -> Gradients:
    """With the transpositions of the forward product; the addend gets beta g."""
    a, b = call.x(0), call.x(1)
    turn_a, turn_b = int(call.attribute("transA", 0)), int(call.attribute("transB", 0))
    alpha, op = float(call.attribute("alpha", 1.0)), call.tape.op
    made: list[Sym | None] = [None, None, None]
    if 0 in call.wanted:
        if turn_a:
            made[0] = op("Gemm", b, g, transA=turn_b, transB=1, alpha=alpha)
        else:
            made[0] = op("Gemm", g, b, transB=1 - turn_b, alpha=alpha)
    if 1 in call.wanted:
        if turn_b:
            made[1] = op("Gemm", g, a, transA=1, transB=turn_a, alpha=alpha)
        else:
            made[1] = op("Gemm", a, g, transA=1 - turn_a, alpha=alpha)
    if 2 in call.wanted:
        made[2] = (g * float(call.attribute("beta", 1.0))).to_shape(call.result_shape(), call.shape(2))
    return made


@rule("Einsum")
def einsum(call: Call, g: Sym) -> Gradients:
    """The gradient takes the operand's place in the equation."""
    left, arrow, result = str(call.attribute("equation", "")).replace(" ", "").partition("->")
    terms = left.split(",")
    if not arrow or "." in left or any(len(set(term)) < len(term) for term in terms):
        call.block("this equation")
    made: list[Sym | None] = []
    for at, term in enumerate(terms):
        others = [other for place, other in enumerate(terms) if place != at]
        if set(term) - set(result) - set("".join(others)):
            call.block("this equation")
        rest = [call.x(place) for place in range(len(terms)) if place != at]
        equation = ",".join([result, *others]) + "->" + term
        made.append(call.tape.op("Einsum", g, *rest, equation=equation) if at in call.wanted else None)
    return made
