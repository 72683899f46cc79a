"""Frames in a row: the CPU prepares inputs, the NPU runs, and how the two share their time.

A frame is preprocessed (CPU), brought into the layout and format of the device (CPU), copied into a buffer that the NPU
can reach (CPU, unless the memory is shared), submitted (CPU) and run (NPU); its result is copied back (CPU). What may
overlap depends on the mode; the schedule is played event by event, and the steady state is read off its middle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Literal

from engine.errors import DeviceError
from engine.fusion.types import Network
from engine.npu.device import Device
from engine.npu.results import Simulation
from engine.text import say

FlowMode = Literal["synchronous", "asynchronous", "double-buffered"]
MODES: tuple[FlowMode, ...] = ("synchronous", "asynchronous", "double-buffered")
Step = Literal["preprocess", "layout", "copy in", "submit", "run", "copy out"]
Wait = Literal["CPU", "buffer", "next frame", "-"]
"""What the NPU waits for between two runs: the CPU at work, a CPU that waits for the only buffer, or new input."""
_FRAMES, _FROM, _TO = 96, 32, 80
"""Frames that are played, and those between which the steady state is read: behind the start, before the end."""
_SHOWN = 4
"""Frames of the steady state whose spans are handed back."""
_OPERATIONS = 20
"""Arithmetic per input element of resizing (bilinear: 8 multiplications and additions) and normalising."""
_SOURCE_BYTES = 1
"""Bytes of an element as a camera or decoder gives it."""
_FLOAT_BYTES, _HALF_BYTES = 4, 2
_BUFFERS: dict[FlowMode, int] = {"synchronous": 1, "asynchronous": 1, "double-buffered": 2}


@dataclass(frozen=True, slots=True)
class InputPath:
    """How inputs come in."""

    mode: FlowMode = "synchronous"
    zero_copy: bool = False
    """CPU and NPU share the memory of inputs and outputs."""
    layout: bool = True
    """The CPU turns interleaved FP32 pictures into planes of FP16; else they come that way."""
    preprocess_us: float | None = None
    """Time to prepare one input; None = estimated from its size; 0 = none."""
    frames_per_second: float | None = None
    """Rate at which input arrives; None = always there."""


@dataclass(frozen=True, slots=True)
class Span:
    """Work on one frame, from the start of the first frame on show."""

    lane: Literal["CPU", "NPU"]
    step: Step
    frame: int
    start_us: float
    duration_us: float


@dataclass(frozen=True, eq=False, slots=True)
class Flow:
    """The steady state."""

    path: InputPath
    steps_us: dict[Step, float]
    """Time of each step for one frame."""
    period_us: float
    """From one result to the next."""
    latency_us: float
    """From the arrival of a frame (its start where input is always there) to its result."""
    npu_utilization: float
    cpu_utilization: float
    waits_for: Wait
    gap_us: float
    """Time per frame that the NPU waits."""
    dropped: float
    """Part of the frames that arrive but can't be taken."""
    spans: tuple[Span, ...] = field(repr=False)

    @property
    def frames_per_second(self) -> float:
        """Results per second."""
        return 1e6 / self.period_us if self.period_us else 0.0


def input_steps(network: Network, simulation: Simulation, device: Device, path: InputPath) -> dict[Step, float]:
    """Us of every step for one frame.

    Each CPU step takes the longer of its arithmetic and its memory traffic.
    """
    floats = sum(info.elements for info in network.graph.inputs if info.dtype.kind in "fV")
    fixed = sum(info.nbytes for info in network.graph.inputs if info.dtype.kind not in "fV")
    results = sum(_HALF_BYTES * info.elements for info in network.graph.outputs)
    memory, arithmetic = device.number("cpu.bandwidth") * 1e3, device.number("cpu.rate") * 1e3
    copy = device.number("cpu.copy") * 1e3
    prepare = max(floats * _OPERATIONS / arithmetic, floats * (_SOURCE_BYTES + _FLOAT_BYTES) / memory)
    return {
        "preprocess": prepare if path.preprocess_us is None else path.preprocess_us,
        "layout": floats * (_FLOAT_BYTES + _HALF_BYTES) / memory if path.layout else 0.0,
        "copy in": 0.0 if path.zero_copy else (floats * _HALF_BYTES + fixed) / copy,
        "submit": simulation.invocation_us,
        "run": simulation.latency_us - simulation.invocation_us,
        "copy out": 0.0 if path.zero_copy else results / copy,
    }


def flow(network: Network, simulation: Simulation, device: Device, path: InputPath | None = None) -> Flow:
    """Play frames in a row and read off the steady state.

    Raises:
        DeviceError: an impossible rate or preprocessing time.
    """
    chosen = path or InputPath()
    _check(chosen)
    steps = input_steps(network, simulation, device, chosen)
    free = _play(steps, chosen, inf)
    rate = chosen.frames_per_second
    wanted = 1e6 / rate if rate else 0.0
    keeps_up = rate is None or wanted >= free.period_us * (1 - 1e-9)
    found = free if rate is None or not keeps_up else _play(steps, chosen, wanted)
    dropped = 0.0 if keeps_up else 1.0 - wanted / free.period_us
    busy_cpu = sum(us for step, us in steps.items() if step != "run")
    gap = max(0.0, found.period_us - steps["run"])
    return Flow(
        chosen,
        steps,
        found.period_us,
        found.latency_us,
        steps["run"] / found.period_us if found.period_us else 0.0,
        busy_cpu / found.period_us if found.period_us else 0.0,
        _waits(steps, chosen, found, gap, keeps_up and rate is not None and wanted > free.period_us * (1 + 1e-9)),
        gap,
        dropped,
        found.spans,
    )


def _check(path: InputPath) -> None:
    if path.mode not in MODES:
        raise DeviceError(
            say("Input path: mode is {value}, but must be one of {choices}.", value=path.mode, choices=", ".join(MODES))
        )
    rate, own = path.frames_per_second, path.preprocess_us
    if rate is not None and not 0 < rate < inf:
        raise DeviceError(say("Input path: frames per second is {value}, but must be above 0.", value=rate))
    if own is not None and not 0 <= own < inf:
        raise DeviceError(say("Input path: preprocessing is {value} us, but must be 0 or more.", value=own))


@dataclass(frozen=True, slots=True)
class _Played:
    period_us: float
    latency_us: float
    spans: tuple[Span, ...]


def _waits(steps: dict[Step, float], path: InputPath, found: _Played, gap: float, by_rate: bool) -> Wait:
    if gap <= 1e-6 * max(found.period_us, 1.0):
        return "-"
    if by_rate:
        return "next frame"
    cpu = sum(us for step, us in steps.items() if step != "run")
    alone = path.mode == "double-buffered" or cpu >= found.period_us * (1 - 1e-9)
    return "CPU" if alone or path.mode == "synchronous" else "buffer"


def _play(steps: dict[Step, float], path: InputPath, every_us: float) -> _Played:
    """Run frames through CPU and NPU; `every_us` is the time between arrivals, infinite for input that waits."""
    prepare = steps["preprocess"] + steps["layout"]
    deliver = steps["copy in"] + steps["submit"]
    buffers, in_place = _BUFFERS[path.mode], path.zero_copy
    fed = every_us != inf
    arrive = [frame * every_us if fed else 0.0 for frame in range(_FRAMES)]
    begun: list[float] = []
    delivered: list[float] = []
    run_end: list[float] = []
    done: list[float] = []
    spans: list[Span] = []
    cpu, npu = 0.0, 0.0

    def buffer_free(frame: int) -> float:
        return run_end[frame - buffers] if frame >= buffers else 0.0

    while len(done) < _FRAMES:
        # The CPU takes what can start first; on a tie what is nearest to a result.
        choices: list[tuple[float, int]] = []
        if len(done) < len(run_end):
            choices.append((max(cpu, run_end[len(done)]), 0))
        if len(delivered) < len(begun):
            choices.append((max(cpu, buffer_free(len(delivered))), 1))
        frame = len(begun)
        if frame < _FRAMES and frame == len(delivered):
            ready = arrive[frame]
            if path.mode == "synchronous":
                if frame == len(done):
                    choices.append((max(cpu, ready), 2))
            elif not in_place or frame < buffers + len(run_end):
                choices.append((max(cpu, ready, buffer_free(frame) if in_place else 0.0), 2))
        start, task = min(choices)
        if task == 2:
            begun.append(start)
            spans += _cpu_spans(steps, ("preprocess", "layout"), frame, start)
            cpu = start + prepare
        elif task == 1:
            number = len(delivered)
            spans += _cpu_spans(steps, ("copy in", "submit"), number, start)
            cpu = start + deliver
            delivered.append(cpu)
            npu = max(npu, cpu) + steps["run"]
            spans.append(Span("NPU", "run", number, npu - steps["run"], steps["run"]))
            run_end.append(npu)
        else:
            number = len(done)
            spans += _cpu_spans(steps, ("copy out",), number, start)
            cpu = start + steps["copy out"]
            done.append(cpu)
    period = (done[_TO] - done[_FROM]) / (_TO - _FROM)
    late = [done[i] - (arrive[i] if fed else begun[i]) for i in range(_FROM, _TO)]
    return _Played(period, sum(late) / len(late), _shown(spans, _FROM))


def _cpu_spans(steps: dict[Step, float], names: tuple[Step, ...], frame: int, start: float) -> list[Span]:
    made = []
    for name in names:
        if steps[name] > 0.0:
            made.append(Span("CPU", name, frame, start, steps[name]))
        start += steps[name]
    return made


def _shown(spans: list[Span], first: int) -> tuple[Span, ...]:
    """Spans of a few frames of the steady state, counted from the first of them."""
    chosen = [span for span in spans if first <= span.frame < first + _SHOWN]
    zero = min((span.start_us for span in chosen), default=0.0)
    return tuple(
        Span(span.lane, span.step, span.frame - first, span.start_us - zero, span.duration_us) for span in chosen
    )
