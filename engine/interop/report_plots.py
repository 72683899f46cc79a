"""The plots of the report; one that has no figures is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from math import isfinite

from engine.fusion.types import Network
from engine.interop.handover import Measured
from engine.interop.report_units import amount, clock, latency
from engine.interop.svg import WIDTH, Bar, Line, area, bars, lines
from engine.npu.results import Simulation, Sustained
from engine.precision.plan import Plan
from engine.precision.scheme import family, label
from engine.quant.sizes import plan_bytes
from engine.text import Text, say

Say = Callable[[Text], str]
_CAP_DB = 90.0
"""Above this a ratio says no more than "exact for all purposes"."""
_WORST = 25


def plots(network: Network, plan: Plan, measured: Measured, translate: Say) -> Iterator[tuple[Text, str]]:
    """Heading and body of each section, in the order of the page."""
    yield say("Weights by precision"), _weights(network, plan, measured, translate)
    if measured.evaluation is not None or measured.local:
        yield say("Error along the network"), _errors(network, plan, measured, translate)
    ranked = _ranked(network, plan, measured)
    if ranked:
        caption = say("Output SQNR when only this layer is quantized; the lowest {count}.", count=len(ranked))
        drawn = bars(ranked, y_label="dB", x_label=translate(say("rank")))
        yield say("Most sensitive layers"), drawn + _legend(_word(translate(caption)))
    if measured.simulation is not None:
        yield say("Latency of each layer"), _latency(network, plan, measured.simulation, translate)
        yield say("Live activations"), _live(measured.simulation, translate)
    if measured.sustained is not None:
        yield say("Sustained use"), _heat(measured.sustained, translate)


def _latency(network: Network, plan: Plan, simulation: Simulation, translate: Say) -> str:
    items = []
    for kernel, cost in zip(network.kernels, simulation.kernels, strict=True):
        title = f"{kernel.name}: {latency(cost.latency_us)}, {cost.unit}"
        items.append(Bar(cost.latency_us, _style(plan, kernel.id), title))
    words = [_word(name, f"mark {name.lower()}") for name in ("INT4", "INT8", "FP16")]
    words.append(_word(translate(say("no precision of its own")), "mark none"))
    return bars(items, y_label="µs", x_label=translate(say("layer"))) + _legend(*words)


def _live(simulation: Simulation, translate: Say) -> str:
    memory = simulation.memory
    caption = say(
        "Planned peak {peak}, least possible {bound}.",
        peak=amount(memory.peak_bytes),
        bound=amount(memory.lower_bound_bytes),
    )
    drawn = area([value / 1024 for value in memory.live_bytes], y_label="KiB", x_label=translate(say("layer")))
    return drawn + _legend(_word(translate(caption)))


def _word(text: str, style: str = "") -> str:
    mark = f'<i class="{style}"></i>' if style else ""
    return f"<span>{mark}{escape(text)}</span>"


def _legend(*words: str) -> str:
    return f'<p class="legend">{"".join(words)}</p>'


def _style(plan: Plan, kernel: str) -> str:
    return family(plan[kernel]).lower() if kernel in plan else "none"


def _weights(network: Network, plan: Plan, measured: Measured, translate: Say) -> str:
    size = measured.size or plan_bytes(network, plan)
    total = max(1, size.total)
    pieces, words, at = [], [], 0.0
    for name, nbytes in sorted(size.by_family.items(), key=lambda item: -item[1]):
        if not nbytes:
            continue
        count = sum(1 for kernel in network.tunable if family(plan.scheme(kernel.id)) == name)
        style = "none" if name == "other" else name.lower()
        width = WIDTH * nbytes / total
        pieces.append(f'<rect class="{style}" x="{at:.1f}" y="0" width="{width:.1f}" height="22"/>')
        at += width
        what = translate(say("other constants")) if name == "other" else f"{name} ({count})"
        words.append(_word(f"{what}: {amount(nbytes)}", f"mark {style}"))
    drawn = f'<svg viewBox="0 0 {WIDTH:.0f} 22" aria-hidden="true">{"".join(pieces)}</svg>'
    return drawn + _legend(*words)


def _errors(network: Network, plan: Plan, measured: Measured, translate: Say) -> str:
    accumulated = measured.evaluation.accumulated if measured.evaluation else {}
    curves = []
    words = []
    if accumulated:
        values = [accumulated[k.id].sqnr_db if k.id in accumulated else None for k in network.kernels]
        curves.append(Line([_capped(v) for v in values], "one"))
        words.append(_word(translate(say("accumulated")), "key"))
    local = [
        measured.local[k.id, plan[k.id]].sqnr_db if k.id in plan and (k.id, plan[k.id]) in measured.local else None
        for k in network.kernels
    ]
    if any(value is not None for value in local):
        curves.append(Line([_capped(v) for v in local], "two"))
        words.append(_word(translate(say("local")), "key two"))
    drawn = lines(curves, y_label=translate(say("SQNR, dB")), x_label=translate(say("layer")), from_zero=True)
    return drawn + _legend(*words)


def _capped(value: float | None) -> float | None:
    return None if value is None else max(-_CAP_DB, min(_CAP_DB, value))


def _ranked(network: Network, plan: Plan, measured: Measured) -> list[Bar]:
    found = []
    for kernel in network.tunable:
        value = measured.sensitivity.get((kernel.id, plan.scheme(kernel.id)))
        if value is not None and isfinite(value):
            title = f"{kernel.name}, {label(plan.scheme(kernel.id))}: {value:.1f} dB"
            found.append(Bar(max(0.0, value), _style(plan, kernel.id), title))
    return sorted(found, key=lambda bar: bar.value)[:_WORST]


def _heat(sustained: Sustained, translate: Say) -> str:
    step = max(1, len(sustained.time_s) // 500)
    minutes = [float(t) / 60 for t in sustained.time_s[::step]]
    curves = [
        Line([float(v) for v in sustained.skin_c[::step]], "one"),
        Line([float(v) for v in sustained.die_c[::step]], "three"),
    ]
    at = sustained.throttled_at_s
    slower = (
        say("The clock is lowered for the first time after {time} min.", time=clock(at))
        if at is not None
        else say("The clock is never lowered.")
    )
    words = [_word(translate(say("skin")), "key"), _word(translate(say("die")), "key three"), _word(translate(slower))]
    return lines(curves, y_label="°C", x_label="min", xs=minutes) + _legend(*words)
