"""One self-contained HTML page: the plan, its errors and its cost, with what to keep in mind about the figures.

No script, no link, nothing fetched: the page can be mailed. Light or dark follows the reader's system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from html.parser import HTMLParser
from math import isfinite

from engine.errors import ExportError
from engine.files import write_atomically
from engine.fusion.types import Network
from engine.interop import report_plots
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Measured, Written, hand_over
from engine.interop.order import Order
from engine.interop.report_units import amount, db, energy, latency, share
from engine.paths import resources
from engine.precision.plan import Plan
from engine.precision.presets import plan_title
from engine.precision.scheme import family, label
from engine.quant.ranges import Ranges
from engine.quant.sizes import plan_bytes
from engine.text import Text, say
from engine.version import VERSION

Say = Callable[[Text], str]


def check_report(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """The plan is shown as it is."""
    return hand_over(network, plan, lambda kernel, asked: (asked, None))


def export_report(order: Order) -> Written:
    """Write the page, read it back, compare its table with the plan, put it in place.

    Raises:
        ExportError: The file can't be written.
    """
    network, plan, path, extras = order.network, order.plan, order.path, order.extras
    text = page(network, plan, order.ranges, extras.measured, extras.translate)
    order.cancel.check()
    found = _table_of(text)
    wanted = [(kernel.name, label(plan[kernel.id]) if kernel.id in plan else "") for kernel in network.kernels]
    if found != wanted:
        raise ExportError(say("{path}: the page doesn't hold the plan; nothing was written.", path=path))
    write_atomically(path, text.encode())
    check = say("Read back: a row for each of {count} {count:layer|layers}.", count=len(found))
    return Written("report", path, (path,), check_report(network, plan), (check,))


def page(network: Network, plan: Plan, ranges: Ranges | None, measured: Measured, translate: Say = str) -> str:
    """The whole page.

    Args:
        network: The model.
        plan: Its precisions.
        ranges: Of the calibration; say how the activations were watched.
        measured: Figures; a section without figures is left out.
        translate: Turns sentences into the reader's language.
    """
    title = translate(say("{model}: precision plan", model=network.graph.path.name))
    sections = [
        _section(translate(say("Summary")), _tiles(network, plan, measured, translate)),
        _section(translate(say("What to keep in mind")), _notes(network, plan, ranges, measured, translate)),
        *(
            _section(translate(heading), body)
            for heading, body in report_plots.plots(network, plan, measured, translate)
        ),
        _section(translate(say("Layers")), _table(network, plan, measured, translate)),
    ]
    style = (resources() / "report" / "report.css").read_text(encoding="utf-8")
    facts = [
        translate(say("Plan {name}", name=plan_title(plan.name) or "–")),
        translate(say("{count} {count:layer|layers}, {tunable} with a precision of {tunable:its|their} own",
                      count=len(network.kernels), tunable=len(network.tunable))),
        f"SHA-256 {network.graph.sha256[:16]}",
        f"Mixbit {VERSION}",
    ]  # fmt: skip
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{style}</style></head><body><main>",
            f"<h1>{escape(title)}</h1>",
            f'<p class="sub">{escape(" · ".join(facts))}</p>',
            *sections,
            "</main></body></html>",
            "",
        ]
    )


def _section(heading: str, body: str) -> str:
    return f"<section><h2>{escape(heading)}</h2>\n{body}\n</section>"


def _tiles(network: Network, plan: Plan, measured: Measured, translate: Say) -> str:
    size = measured.size or plan_bytes(network, plan)
    tiles: list[tuple[Text, str, str]] = [
        (say("Model size"), amount(size.total), translate(say("file {size}", size=amount(network.graph.file_bytes)))),
    ]
    simulation = measured.simulation
    if simulation is not None:
        band = f"± {100 * simulation.band:.0f} %"
        tiles += [
            (say("Latency"), latency(simulation.latency_us), band),
            (say("Peak memory"), amount(simulation.memory.peak_bytes), ""),
            (say("Energy per run"), energy(simulation.energy_uj), ""),
        ]
    if measured.sustained is not None:
        minutes = f"{measured.sustained.scenario.minutes:g} min"
        tiles.append((say("Skin temperature"), f"{measured.sustained.final_skin_c:.1f} °C", minutes))
    if measured.evaluation is not None:
        output = measured.evaluation.output
        tiles.append(
            (
                say("Output SQNR"),
                db(output.sqnr_db),
                translate(say("{count} {count:sample|samples}", count=measured.evaluation.samples)),
            )
        )
        if output.top1_agreement is not None:
            tiles.append((say("Top-1 agreement"), share(output.top1_agreement), ""))
        if output.accuracy is not None and output.reference_accuracy is not None:
            reference = translate(say("FP32 {share}", share=share(output.reference_accuracy)))
            tiles.append((say("Accuracy"), share(output.accuracy), reference))
    body = "\n".join(_tile(translate(name), value, more) for name, value, more in tiles)
    return f'<div class="tiles">{body}</div>'


def _tile(name: str, value: str, more: str) -> str:
    inside = f"<span>{escape(name)}</span><b>{escape(value)}</b><small>{escape(more)}</small>"
    return f'<div class="tile">{inside}</div>'


def _notes(network: Network, plan: Plan, ranges: Ranges | None, measured: Measured, translate: Say) -> str:
    return _list(map(translate, notes(network, plan, ranges, measured)))


def notes(network: Network, plan: Plan, ranges: Ranges | None, measured: Measured) -> Sequence[Text]:
    """What stands behind the figures, and how far they can be trusted."""
    found: list[Text] = list(network.graph.notes)
    evaluation, simulation = measured.evaluation, measured.simulation
    if evaluation is not None:
        found.append(
            say("Errors compare {count} {count:sample|samples} ({source}), run by ONNX Runtime as FP32 and "
                "with the plan.",
                count=evaluation.samples, source=measured.evaluated_on or "–")
        )  # fmt: skip
        if evaluation.synthetic:
            found.append(say("The samples are synthetic: errors are indicative only."))
        if evaluation.output.sums.nonfinite:
            found.append(
                say("{count} output {count:value is|values are} NaN or infinite with the plan: FP16 overflows.",
                    count=evaluation.output.sums.nonfinite)
            )  # fmt: skip
    else:
        found.append(say("Errors were not measured."))
    if ranges is not None and ranges.samples:
        found.append(
            say("Activation ranges: {observer} over {count} {count:sample|samples} ({source}).",
                observer=ranges.observer, count=ranges.samples, source=measured.calibration or "–")
        )  # fmt: skip
        if ranges.synthetic:
            found.append(say("The activation ranges come from synthetic samples; calibrate with real ones."))
    if simulation is not None:
        found.append(
            say("Latency, memory and energy are simulated for {device}; its profile states an error of ± {band:.0%}.",
                device=simulation.device, band=simulation.band)
        )  # fmt: skip
    else:
        found.append(say("Cost was not simulated."))
    fixed = [kernel for kernel in network.kernels if not kernel.tunable]
    if fixed:
        found.append(
            say(
                "{count} {count:layer has no precision of its|layers have no precision of their} own "
                "and {count:runs|run} in FP16.",
                count=len(fixed),
            )
        )
    return found


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def _table(network: Network, plan: Plan, measured: Measured, translate: Say) -> str:
    size = measured.size or plan_bytes(network, plan)
    heads: list[tuple[Text, bool]] = [
        (say("#"), True), (say("Layer"), False), (say("Operator"), False), (say("Precision"), False),
        (say("Size"), True), (say("Local SQNR, dB"), True), (say("Accumulated SQNR, dB"), True),
        (say("Sensitivity, dB"), True), (say("Latency, µs"), True), (say("Unit"), False), (say("Bound by"), False),
    ]  # fmt: skip
    rows = []
    for kernel in network.kernels:
        scheme = plan.get(kernel.id)
        cost = measured.simulation.kernels[kernel.index] if measured.simulation else None
        local = measured.local.get((kernel.id, scheme)) if scheme else None
        accumulated = measured.evaluation.accumulated.get(kernel.id) if measured.evaluation else None
        one_in = measured.sensitivity.get((kernel.id, scheme)) if scheme else None
        mark = family(scheme).lower() if scheme else "none"
        precision = f'<i class="mark {mark}"></i>{escape(label(scheme))}' if scheme else ""
        cells: list[tuple[str, str]] = [
            ("n", str(kernel.index)),
            ("name", escape(kernel.name)),
            ("op", escape(kernel.op)),
            ("scheme", precision),
            ("n", escape(amount(size.per_kernel.get(kernel.id, 0)))),
            ("n", _figure(local.sqnr_db if local and kernel.tunable else None)),
            ("n", _figure(accumulated.sqnr_db if accumulated else None)),
            ("n", _figure(one_in)),
            ("n", _figure(cost.latency_us if cost else None)),
            ("", escape(cost.unit) if cost else ""),
            ("", escape(translate(say("{bound}", bound=cost.bound))) if cost else ""),
        ]
        rows.append("<tr>" + "".join(f'<td class="{kind}">{cell}</td>' for kind, cell in cells) + "</tr>")
    head = "".join(f'<th class="{"n" if right else ""}">{escape(translate(text))}</th>' for text, right in heads)
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n'
        + "\n".join(rows)
        + "\n</tbody></table></div>"
    )


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}".replace("-", "\u2212") if isfinite(value) else ("∞" if value > 0 else "\u2212∞")


class _Reader(HTMLParser):
    """Names and precisions out of the table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, str]] = []
        self._cell = ""
        self._found = {"name": "", "scheme": ""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "td":
            self._cell = dict(attrs).get("class") or ""
        elif tag == "tr":
            self._found = {"name": "", "scheme": ""}

    def handle_data(self, data: str) -> None:
        if self._cell in self._found:
            self._found[self._cell] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "td":
            self._cell = ""
        elif tag == "tr" and self._found["name"]:
            self.rows.append((self._found["name"], self._found["scheme"]))


def _table_of(text: str) -> list[tuple[str, str]]:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.rows
