"""The HTML page: whole, alone, and with the figures it was made of."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.interop.handover import Extras, Measured
from engine.interop.report import notes, page
from engine.interop.report_units import amount, db, energy, latency, share
from engine.interop.svg import Bar, Line, area, bars, lines, ticks
from engine.npu import load_device
from engine.npu.results import Scenario
from engine.numerics import Evaluator
from engine.precision.plan import Plan
from engine.session.work import simulate_plan


@pytest.fixture(scope="module")
def measured(case):
    figures = simulate_plan(case.network, case.plan, load_device("kirin9030"), Scenario(minutes=5))
    evaluator = Evaluator(case.network, case.samples, ranges=case.ranges)
    try:
        evaluation = evaluator.evaluate(case.plan)
        local = {(kernel, scheme): sums for kernel, scheme, sums in evaluator.local_errors(case.plan)}
    finally:
        evaluator.close()
    sensitivity = {(k.id, case.plan[k.id]): 10.0 + k.index for k in case.network.tunable}
    return Measured(
        figures.size, figures.simulation, figures.sustained, evaluation, local, sensitivity, "cal", "eval"
    )  # fmt: skip


def test_the_page_stands_alone_and_is_well_formed(case, measured, tmp_path):
    written = case.export("report", tmp_path / "r.html", Extras(measured=measured))
    text = (tmp_path / "r.html").read_text()
    assert len(written.checks) == 1
    assert not re.search(r"https?://|<script|<link|<img|@import|url\(|\son\w+=", text)
    assert "prefers-color-scheme: dark" in text
    body = text[text.index("<main>") : text.index("</main>") + 7]
    root = ElementTree.fromstring(body)  # every tag is closed, in every plot too
    assert len(root.findall(".//svg")) == 6
    assert len(root.findall(".//tbody/tr")) == len(case.network.kernels)


def test_the_figures_are_those_that_were_measured(case, measured):
    text = page(case.network, case.plan, case.ranges, measured)
    evaluation, simulation = measured.evaluation, measured.simulation
    for figure in (
        db(evaluation.output.sqnr_db), latency(simulation.latency_us), amount(measured.size.total),
        energy(simulation.energy_uj), amount(simulation.memory.peak_bytes),
        f"{measured.sustained.final_skin_c:.1f} °C", f"± {100 * simulation.band:.0f} %",
    ):  # fmt: skip
        assert figure in text, figure
    root = ElementTree.fromstring(text[text.index("<main>") : text.index("</main>") + 7])
    row = ["".join(cell.itertext()) for cell in root.findall(".//tbody/tr")[0]]
    kernel = case.network.kernels[0]
    assert row[:4] == ["0", "stem", kernel.op, "INT4"]
    assert row[5] == f"{measured.local[kernel.id, case.plan[kernel.id]].sqnr_db:.1f}"
    assert row[7] == "10.0"
    assert row[8] == f"{simulation.kernels[0].latency_us:.1f}"


def test_without_figures_there_are_no_plots_of_them(case):
    text = page(case.network, Plan(), None, Measured())
    assert text.count("<svg") == 1  # the weights
    said = [str(note) for note in notes(case.network, Plan(), None, Measured())]
    assert "Errors were not measured." in said
    assert "Cost was not simulated." in said


def test_what_limits_the_figures_is_said(case, measured):
    said = " ".join(str(note) for note in notes(case.network, case.plan, case.ranges, measured))
    assert "The samples are synthetic: errors are indicative only." in said
    assert "The activation ranges come from synthetic samples" in said
    assert "3 samples (eval)" in said
    output = measured.evaluation.output
    bad = replace(measured.evaluation, output=replace(output, sums=replace(output.sums, nonfinite=7)))
    said = " ".join(str(n) for n in notes(case.network, case.plan, None, replace(measured, evaluation=bad)))
    assert "7 output values are NaN or infinite" in said


def test_names_cannot_break_the_page(case, measured):
    kernels = list(case.network.kernels)
    kernels[0] = replace(kernels[0], name='<b>&"x"</b>', op="</td>")
    text = page(replace(case.network, kernels=tuple(kernels)), case.plan, None, measured)
    root = ElementTree.fromstring(text[text.index("<main>") : text.index("</main>") + 7])
    assert "".join(root.findall(".//tbody/tr")[0][1].itertext()) == '<b>&"x"</b>'


def test_another_language(case, measured):
    text = page(case.network, case.plan, None, measured, lambda sentence: f"ZH{sentence.template}")
    assert "<h2>ZHSummary</h2>" in text
    assert '<th class="">ZHLayer</th>' in text


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 10))
def test_ticks_are_round_and_inside(low, span, count):
    found = ticks(low, low + span, count)
    assert 1 <= len(found) <= 3 * count + 2
    slack = 1e-6 * (abs(low) + span)
    assert all(low - slack <= t <= low + span + slack for t in found)


def test_plots_put_values_where_they_belong():
    drawn = ElementTree.fromstring(bars([Bar(1, "a", "one"), Bar(4, "b", "<two>")], y_label="y", x_label="x"))
    first, second = drawn.findall("rect")
    assert float(second.get("height")) == pytest.approx(4 * float(first.get("height")), rel=1e-3)
    assert second.find("title").text == "<two>"
    drawn = ElementTree.fromstring(lines([Line([0, None, 10, inf], "one")], y_label="", x_label=""))
    path = drawn.find("path").get("d")
    points = [tuple(map(float, p.split(","))) for p in re.findall(r"[-\d.]+,[-\d.]+", path)]
    assert points[0][1] > points[1][1] == points[2][1]  # what is infinite lies at the edge
    assert len(points) == 3
    for draw in (bars, lines, area):
        ElementTree.fromstring(draw([], y_label="", x_label=""))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (amount(1000), "1000 B"), (amount(2048), "2.0 KiB"), (amount(3 << 20), "3.0 MiB"),
        (amount(5 << 30), "5.00 GiB"),
        (latency(12.34), "12.3 µs"), (latency(12345), "12.35 ms"), (energy(5), "5.0 µJ"), (energy(5000), "5.00 mJ"),
        (db(inf), "exact"), (db(-3.21), "−3.2 dB"), (share(0.123), "12.3 %"),
    ],
)  # fmt: skip
def test_units(text, wanted):
    assert text.replace("\u202f", " ") == wanted
