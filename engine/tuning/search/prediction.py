"""Predicting whole plans: damages of single kernels, added up, and bent through plans that have been measured.

Sums over kernels foresee mixed plans to a few tenths of a dB on transformers. On convolutional networks errors
saturate: single kernels are foreseen to do more damage than the whole network has to lose, and the curve from
predicted to measured damage bends. Two or three measured plans (uniform ones are wanted anyway) tell both. Where the
damages of single kernels have been measured, the same plans tell how they add up: in deep convolutional networks many
small damages do less together than a large one of the same sum, as if a power of them added up. Where a plan
turns out far worse than foreseen, or coarser plans get worse faster than the sums of their kernels, single kernels
don't tell what they do together: the network is not additive, and only measured plans count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, isfinite, log

import numpy as np

from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.tuning.estimate import CellKey, Estimates
from engine.tuning.exact import ExactCell
from engine.tuning.metrics import Metric, damage, in_decibels

_NOT_ADDITIVE_DB = 8.0
"""A measured plan that is so much worse than predicted can't be explained by noise of the estimate."""
_RISE_DB = 4.0
"""Saturation makes coarse plans better than foreseen, by more the coarser they are; where they get worse by so much
instead, errors feed each other. Noise of the estimate moves a plan by 1 to 1.5 dB."""
_FIRST = 4
"""Plans that are looked at for that, those that anchor the curve: extremes of many differ by so much by chance."""
_APART_DB = 3.0
"""Nearer plans say nothing about how damage rises."""
_NEGLIGIBLE_DB = -90.0
"""Differences below are rounding noise of the runtime."""
_EXPONENTS = np.geomspace(1.0, 3.0, 45)
"""Of 1 and more: where errors feed each other, single damages tell nothing anyway (see `Calibration.additive`)."""
_NEAR_ONE = 100.0
"""(1.5 dB / 0.15)^2: how far plans are off by themselves, over how far the logarithms of exponents lie from 0."""


def damages(
    estimates: Estimates | None, exact: Iterable[ExactCell] = (), metric: Metric | None = None
) -> dict[tuple[str, Scheme], float]:
    """One table of damages for a search.

    Estimated cells come from the estimate alone; kernels that it could not reach come from the exact sweep. With no
    estimate all come from the exact sweep. The two are not mixed within a kernel: their biases differ.

    Args:
        estimates: An estimated sweep.
        exact: Cells of an exact one-in sweep.
        metric: Of the exact cells, if there is no estimate.
    """
    known = {} if estimates is None else {key: cell.damage for key, cell in estimates.cells.items()}
    kind = metric if estimates is None else estimates.metric
    estimated = {kernel for kernel, _ in known}
    for cell in exact:
        if cell.kernel not in estimated and kind is not None:
            known[cell.kernel, cell.scheme] = damage(kind, cell.value(kind))
    return {key: value for key, value in known.items() if isfinite(value)}


def sum_of(harm: Mapping[tuple[str, Scheme], float], plan: Plan) -> float:
    """Predicted damage of a plan, as the sum over its kernels; kernels that nothing is known of add nothing."""
    return sum(harm.get((kernel, scheme), 0.0) for kernel, scheme in plan.items())


def saturation(measured: Iterable[tuple[float, float]]) -> float:
    """The damage C at which a network has nothing more to lose, so that measured = N / (1 + N / C) for a sum N.

    Args:
        measured: (sum over kernels, measured damage) of plans. The one with the largest sum tells.

    Returns:
        C; inf where that plan is no better than foreseen.
    """
    foreseen, real = max(measured, default=(0.0, 0.0))
    return real / (1 - real / foreseen) if 0 < real < foreseen < inf else inf


def exponent(harm: Mapping[CellKey, float], measured: Mapping[Plan, float]) -> float:
    """The q with which measured plans look like (sum of damage^q)^(1/q): 1 where damages add up, 2 for mere amplitudes.

    It rises as a network forgets what came in front: on MobileNetV2 it is 1.4, on transformers 1. Plans tell it to
    about 1.5 dB each, and other networks have shown it to lie near 1, so a least-squares fit in dB is drawn there.

    Args:
        harm: Measured damages of single kernels; estimates overshoot where networks saturate, and tell nothing of it.
        measured: Damage by plan.
    """
    each = [([harm.get(cell, 0.0) for cell in plan.items()], real) for plan, real in measured.items()]
    usable = [
        (np.asarray(parts), in_decibels(real)) for parts, real in each if real > 0 and isfinite(real) and any(parts)
    ]
    if not usable:
        return 1.0

    def misfit(q: float) -> float:
        off = [in_decibels(float((parts**q).sum())) / q - level for parts, level in usable]
        return sum(value * value for value in off) + _NEAR_ONE * log(q) ** 2

    return min((float(q) for q in _EXPONENTS), key=misfit)


@dataclass(frozen=True, slots=True)
class Calibration:
    """A curve from predicted to measured damage through measured plans.

    Linear in dB between the points, monotone, slope 1 outside of them; the identity without points. Plans that are far
    worse than predicted say that the network is not additive; bending the curve through them would make others worse.
    """

    points: tuple[tuple[float, float], ...] = ()
    """(predicted, measured) in dB, in the order in which they were measured."""
    limit: float = inf
    """Damage that no kernel alone comes near; see `saturation`."""
    power: float = 1.0
    """Of the damages that add up; see `exponent`. Sums are of such powers, points are not."""

    def with_plan(self, predicted: float, measured: float) -> Calibration:
        """With one more measured plan; damages without a logarithm, and tiny ones, teach nothing."""
        point = in_decibels(predicted) / self.power, in_decibels(measured)
        if not all(isfinite(value) and value > _NEGLIGIBLE_DB for value in point):
            return self
        return replace(self, points=(*self.points, point))

    @property
    def additive(self) -> bool:
        """Whether sums over kernels told about how good plans are. Without points: as far as is known."""
        if any(measured - predicted > _NOT_ADDITIVE_DB for predicted, measured in self.points):
            return False
        first = sorted(self.points[:_FIRST])
        return all(
            (y1 - x1) - (y0 - x0) <= _RISE_DB for (x0, y0), (x1, y1) in combinations(first, 2) if x1 - x0 >= _APART_DB
        )

    def bent(self, harm: Mapping[tuple[str, Scheme], float]) -> dict[tuple[str, Scheme], float]:
        """What adds up: powers of damages, none above what the network has to lose, N / (1 + N / limit)."""
        return {key: float((value / (1 + value / self.limit)) ** self.power) for key, value in harm.items()}

    def measured(self, predicted: float) -> float:
        """The damage to expect, from the sum over kernels."""
        return self._through(predicted if self.power == 1 else predicted ** (1 / self.power), 0)

    def predicted(self, measured: float) -> float:
        """The sum over kernels that stands for a damage: the inverse."""
        found = self._through(measured, 1)
        return found if self.power == 1 else float(found**self.power)

    def _through(self, value: float, side: int) -> float:
        level = in_decibels(value)
        curve = self._curve()
        if not curve or not isfinite(level):
            return value
        xs, ys = [point[side] for point in curve], [point[1 - side] for point in curve]
        if level <= xs[0]:
            level += ys[0] - xs[0]
        elif level >= xs[-1]:
            level += ys[-1] - xs[-1]
        else:
            level = float(np.interp(level, xs, ys))
        return inf if level > 300 else float(10 ** (level / 10))

    def _curve(self) -> list[tuple[float, float]]:
        """Points by rising prediction; neighbours that fall (or coincide) are pooled to their mean."""
        pools: list[list[tuple[float, float]]] = []
        for point in sorted(point for point in self.points if point[1] - point[0] <= _NOT_ADDITIVE_DB):
            pools.append([point])
            while len(pools) > 1 and not _rises(pools[-2], pools[-1]):
                pools[-2:] = [[*pools[-2], *pools[-1]]]
        return [_mean(pool) for pool in pools]


def _rises(before: Sequence[tuple[float, float]], after: Sequence[tuple[float, float]]) -> bool:
    (x0, y0), (x1, y1) = _mean(before), _mean(after)
    return x1 - x0 > 1e-6 and y1 - y0 > 1e-6


def _mean(pool: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum(p[0] for p in pool) / len(pool), sum(p[1] for p in pool) / len(pool)
