"""Fitting a few physical constants of a device profile to measured times of its kernels.

Least squares on log(simulated / measured) per kernel, with a loss that outliers can't pull far, over the logarithms of
the constants: all of them are positive and act by factors. What the measurements can't tell keeps its value: a constant
is given up when its standard error, from s^2 (J^T J)^-1 at the solution, is larger than `VAGUE`, or when no residual
moves with it. Held-out errors come from fitting anew without a fifth of the kernels at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log

import numpy as np

from engine.errors import DataError
from engine.fusion.types import Kind, Network
from engine.graph.types import Array
from engine.npu import simulate
from engine.npu.device import Device, Quantity
from engine.npu.fields import BY_KEY
from engine.precision.plan import Plan
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import Text, say

PARAMETERS = (
    "launch.cube",
    "launch.vector",
    "launch.movement",
    "launch.invocation",
    "port.ddr",
    "cube.efficiency",
    "vector.efficiency",
)
"""Constants that are fitted; bandwidths and efficiencies that only act as a product are fitted as one of them."""
VAGUE = 0.35
"""Relative standard error above which a constant counts as not told by the measurements."""
SENSITIVE = 1e-3
"""Least change of a residual (per change of a logarithm) that counts."""
FOLDS = 5
LEAST = 5
"""Measured kernels below which nothing is fitted."""
_FACTOR = 30.0
"""A constant is looked for within this factor of where it starts."""
_TOTAL_WEIGHT = 3.0
"""The whole inference counts like so many squared kernels."""


@dataclass(frozen=True, eq=False, slots=True)
class Case:
    """One measured run."""

    network: Network
    plan: Plan
    kernels: Mapping[int, float]
    """Kernel index -> measured us. Missing kernels are fine."""
    total_us: float | None = None
    """Of the whole inference."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """One constant."""

    key: str
    before: float
    value: float
    error: float | None
    """Relative standard error; None where it could not be told."""
    sentence: Text | None = None
    """Why it could not be told."""


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """What came out."""

    device: Device
    """A new profile: fitted values, their origin, the error band of held-out kernels."""
    parameters: tuple[Fitted, ...]
    before: float
    """Median relative error per kernel with the profile as it was."""
    after: float
    """The same with the fitted one."""
    held_out: float
    """The same for kernels that the fit has not seen."""
    band: float
    """90th percentile of the relative error of held-out kernels."""
    measurements: int


def fit_device(
    device: Device,
    cases: Sequence[Case],
    *,
    name: str | None = None,
    parameters: Sequence[str] = PARAMETERS,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Fit:
    """Fit constants of a profile to one or several measured runs.

    Args:
        device: Where to start; everything that isn't fitted stays.
        cases: Measured runs on this device, of any models and plans.
        name: Of the new profile.
        parameters: Keys of the constants.
        progress: Told about.
        cancel: Checked between simulations.

    Raises:
        DataError: Too few measured kernels, or times that are no positive numbers.
        Cancelled: If asked to stop.
    """
    problem = _Problem(device, cases, cancel)
    if len(problem.measured) < LEAST:
        raise DataError(
            say(
                "Only {count} {count:kernel is|kernels are} measured and matched; a fit needs {least} or more.",
                count=len(problem.measured),
                least=LEAST,
            )
        )
    text = say("Fitting the device profile")
    everything = np.ones(len(problem.measured), bool)
    start = {key: device.number(key) for key in parameters if device.number(key) > 0}
    progress(0.0, text)
    values, errors, given_up = _identify(problem, start, everything)
    progress(0.4, text)
    held = np.zeros(len(problem.measured))
    for fold in range(FOLDS):
        test = np.arange(len(held)) % FOLDS == fold
        if test.any() and (~test).sum() >= len(values):
            part, _ = problem.solve(values, ~test) if values else (values, None)
            held[test] = problem.relative(part)[test]
        progress(0.4 + 0.6 * (fold + 1) / FOLDS, text)
    error = np.abs(held)
    found = tuple(
        Fitted(key, device.number(key), values.get(key, device.number(key)), errors.get(key), given_up.get(key))
        for key in parameters
    )
    band = float(np.quantile(error, 0.9))
    made = _profile(device, values, errors, band, name, len(problem.measured), cases)
    return Fit(
        made,
        found,
        float(np.median(np.abs(problem.relative({})))),
        float(np.median(np.abs(problem.relative(values)))),
        float(np.median(error)),
        band,
        len(problem.measured),
    )


class _Problem:
    """Residuals of the measured kernels for given constants."""

    def __init__(self, device: Device, cases: Sequence[Case], cancel: CancelToken) -> None:
        self._device, self._cases, self._cancel = device, cases, cancel
        idle = [{i for i, c in enumerate(simulate(case.network, case.plan, device).kernels) if c.latency_us <= 0}
                for case in cases]  # fmt: skip
        # Views take no time in the model, and a clock of whole microseconds shows short kernels as 0: neither tells.
        self._places = [
            (at, index)
            for at, case in enumerate(cases)
            for index in sorted(case.kernels)
            if index not in idle[at] and case.kernels[index] != 0
        ]
        self.measured: Array = np.array([cases[at].kernels[index] for at, index in self._places], np.float64)
        self._totals = [case.total_us for case in cases]
        all_times = [*self.measured.tolist(), *(t for t in self._totals if t is not None)]
        if any(not np.isfinite(t) or t <= 0 for t in all_times):
            raise DataError(say("Measured times must be positive numbers; take rows without a time out."))

    def simulated(self, values: Mapping[str, float]) -> tuple[Array, list[float]]:
        """Us of every measured kernel, and of every whole run."""
        self._cancel.check()
        device = self._device.edited(dict(values), origin="fitted") if values else self._device
        runs = [simulate(case.network, case.plan, device) for case in self._cases]
        kernels = np.array([runs[at].kernels[index].latency_us for at, index in self._places])
        return kernels, [run.latency_us for run in runs]

    def relative(self, values: Mapping[str, float]) -> Array:
        """Simulated / measured - 1 of every kernel."""
        found: Array = self.simulated(values)[0] / self.measured - 1
        return found

    def residuals(self, values: Mapping[str, float], used: Array) -> Array:
        """log(simulated / measured) of the used kernels, then of the whole runs."""
        kernels, totals = self.simulated(values)
        parts = [np.log(np.maximum(kernels[used], 1e-9) / self.measured[used])]
        whole = [
            _TOTAL_WEIGHT**0.5 * log(max(found, 1e-9) / wanted)
            for found, wanted in zip(totals, self._totals, strict=True)
            if wanted is not None
        ]
        return np.concatenate([parts[0], np.array(whole)])

    def solve(self, start: Mapping[str, float], used: Array) -> tuple[dict[str, float], Array]:
        """The best values of these constants, and the Jacobian of the residuals in their logarithms."""
        from scipy.optimize import least_squares  # takes longer to load than a window may take to open

        keys = list(start)
        low = np.array([log(max(BY_KEY[k].low, start[k] / _FACTOR, 1e-9)) for k in keys])
        high = np.array([log(min(BY_KEY[k].high, start[k] * _FACTOR)) for k in keys])
        first = np.clip(np.log([start[k] for k in keys]), low + 1e-9, np.maximum(high - 1e-9, low + 2e-9))

        def of(theta: Array) -> Array:
            return self.residuals(dict(zip(keys, np.exp(theta).tolist(), strict=True)), used)

        found = least_squares(
            of, first, bounds=(low, np.maximum(high, low + 1e-6)), loss="soft_l1", f_scale=0.1, diff_step=1e-4,
            ftol=1e-5, xtol=1e-5, max_nfev=25,
        )  # fmt: skip
        return {k: exp(t) for k, t in zip(keys, found.x, strict=True)}, _jacobian(of, found.x)


def _identify(
    problem: _Problem, start: Mapping[str, float], used: Array
) -> tuple[dict[str, float], dict[str, float], dict[str, Text]]:
    """Fit, and give up the least certain constant until all that are left are told by the measurements."""
    keys = dict(start)
    given_up: dict[str, Text] = {}
    while keys:
        values, jacobian = problem.solve(keys, used)
        norms = np.abs(jacobian).max(axis=0) if len(jacobian) else np.zeros(len(keys))
        silent = [key for key, norm in zip(keys, norms, strict=True) if norm < SENSITIVE]
        if silent:
            for key in silent:
                given_up[key] = _silent(key)
                del keys[key]
            continue
        errors = _errors(jacobian, problem.residuals(values, used))
        worst = max(range(len(errors)), key=lambda i: errors[i])
        if errors[worst] <= VAGUE:
            return values, dict(zip(values, errors, strict=True)), given_up
        key = list(values)[worst]
        given_up[key] = say(
            "{meaning} ({key}) can't be told apart from others by these runs, so it keeps its value; "
            "measure models that lean on it more.",
            meaning=BY_KEY[key].meaning,
            key=key,
        )
        del keys[key]
    return {}, {}, given_up


def _silent(key: str) -> Text:
    return say(
        "{meaning} ({key}) changes nothing in these runs, so it keeps its value; measure a model that uses it.",
        meaning=BY_KEY[key].meaning,
        key=key,
    )


def _errors(jacobian: Array, residuals: Array) -> list[float]:
    """Standard errors of the logarithms: relative errors of the constants."""
    rows, columns = jacobian.shape
    scale = max(1.4826 * float(np.median(np.abs(residuals))), 1e-4)  # robust: outliers don't count twice
    inverse = np.linalg.pinv(jacobian.T @ jacobian)
    weak = np.linalg.matrix_rank(jacobian, tol=1e-6) < columns
    spread = np.sqrt(np.maximum(np.diag(inverse), 0)) * scale * (rows / max(1, rows - columns)) ** 0.5
    return [float("inf") if weak and s == 0 else float(s) for s in spread]


def _jacobian(of: Callable[[Array], Array], at: Array) -> Array:
    """Central differences: the simulation has kinks where a bound changes."""
    step = 2e-3
    columns = []
    for i in range(len(at)):
        up, down = at.copy(), at.copy()
        up[i] += step
        down[i] -= step
        try:
            columns.append((of(up) - of(down)) / (2 * step))
        except Exception:  # at the end of its range: one side
            columns.append((of(at) - of(down)) / step)
    return np.stack(columns, axis=1)


def _profile(
    device: Device,
    values: Mapping[str, float],
    errors: Mapping[str, float],
    band: float,
    name: str | None,
    count: int,
    cases: Sequence[Case],
) -> Device:
    """The new profile, with where each value comes from."""
    made = device.edited(dict(values), name=name or f"{device.name}-fitted", origin="fitted") if values else device
    quantities = dict(made.values)
    for key in values:
        old = quantities[key]
        note = f"fitted to {count} measured kernels, standard error {100 * errors[key]:.1f} %"
        quantities[key] = Quantity(old.value, old.unit, "fitted", note)
    convolutional = any(k.kind in (Kind.CONV, Kind.DEPTHWISE) for case in cases for k in case.network.kernels)
    key = "band.convolution" if convolutional else "band.other"
    quantities[key] = Quantity(
        min(max(band, 0.01), 10.0), "fraction", "fitted", f"90th percentile of held-out errors of {count} kernels"
    )
    title = f"{device.title}, fitted"
    note = f"Fitted to {len(cases)} measured runs, {count} kernels. {device.note}"
    return replace(made, name=name or f"{device.name}-fitted", title=title, note=note, values=quantities, source="")
