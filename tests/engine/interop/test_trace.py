"""The Chrome trace and the op_summary table, held against the documented formats and against the simulation."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from export_cases import case_of
from handmade import Step, network

from engine.errors import ExportError
from engine.interop.handover import Extras, Measured
from engine.interop.op_summary import COLUMNS
from engine.interop.targets import target
from engine.interop.trace import THREADS, _slice
from engine.npu import load_device, simulate
from engine.precision.plan import Plan
from engine.session.samples import find_sample

PHASES = {
    "X": {"name", "cat", "pid", "tid", "ts", "dur", "args"},
    "M": {"name", "pid", "tid", "ts", "args"},
    "C": {"name", "pid", "tid", "ts", "args"},
    "s": {"name", "cat", "id", "pid", "tid", "ts", "args"},
    "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"},
}
"""Keys that the Trace Event Format asks for, by phase."""


@pytest.fixture(scope="module")
def case():
    return case_of(find_sample("mobile_vision_encoder").model)


@pytest.fixture(scope="module")
def trace(case, tmp_path_factory):
    place = tmp_path_factory.mktemp("trace") / "run.json"
    case.export("trace", place)
    return json.loads(place.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def run(case):
    return simulate(case.network, case.plan, load_device("kirin9030"))


def test_every_event_has_what_the_format_asks_for(trace):
    assert set(trace) == {"traceEvents", "displayTimeUnit", "otherData"}
    assert trace["displayTimeUnit"] in ("ms", "ns")
    for event in trace["traceEvents"]:
        assert set(event) == PHASES[event["ph"]] | {"ph"}
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        assert event["ts"] >= 0
        assert event.get("dur", 1) > 0
        if event["ph"] == "C":
            assert all(isinstance(value, (int, float)) for value in event["args"].values())


def test_bars_of_one_thread_never_overlap(trace):
    threads = defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            threads[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    assert len(threads) > 4
    for spans in threads.values():
        spans.sort()
        assert all(now[1] <= after[0] + 1e-6 for now, after in pairwise(spans))


@pytest.mark.parametrize("whole", [int, round], ids=["cut", "rounded"])
def test_bars_do_not_overlap_when_a_reader_makes_whole_nanoseconds_of_ts_and_dur(trace, whole):
    threads = defaultdict(list)
    draw, now = Random(1), 0.0
    for _ in range(500):  # bars that follow each other without a gap
        long = draw.choice((0.0004, draw.uniform(0.001, 3.0), draw.uniform(50.0, 5000.0)))
        event = _slice("k", "compute", "Kernel", now, long, {})
        start = whole(event["ts"] * 1000.0)
        assert abs(start - now * 1000.0) <= 0.5 + 1e-6
        threads["made"].append((start, start + whole(event["dur"] * 1000.0)))
        now += long
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            start = whole(event["ts"] * 1000.0)
            threads[event["tid"]].append((start, start + whole(event["dur"] * 1000.0)))
    for spans in threads.values():
        spans.sort()
        assert all(now[1] <= after[0] for now, after in pairwise(spans))


def test_every_thread_with_bars_has_a_name_and_a_place(trace):
    named = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    sorted_ = {e["tid"] for e in trace["traceEvents"] if e["name"] == "thread_sort_index"}
    used = {e["tid"] for e in trace["traceEvents"] if e["ph"] == "X"}
    assert used <= set(named) == sorted_
    assert named[THREADS["Cube"][0]] == "Cube"


def test_bars_are_those_of_the_simulation(trace, run, case):
    bars = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["name"] != "invocation"]
    assert len(bars) == sum(bar.duration_us > 0 for bar in run.bars)
    cube = sum(e["dur"] for e in bars if e["tid"] == THREADS["Cube"][0])
    assert cube == pytest.approx(sum(cost.cube_us for cost in run.kernels), abs=1e-3 * len(run.kernels))
    assert max(e["ts"] + e["dur"] for e in bars) == pytest.approx(run.latency_us, abs=2e-3)
    assert trace["otherData"]["sha256"] == case.network.graph.sha256


def test_arrows_come_in_pairs_inside_bars_of_writer_and_reader(trace, case):
    arrows = defaultdict(dict)
    for event in trace["traceEvents"]:
        if event["ph"] in "sf":
            assert event["ph"] not in arrows[event["id"]]
            arrows[event["id"]][event["ph"]] = event
    bars = [(e["ts"], e["ts"] + e["dur"]) for e in trace["traceEvents"] if e["ph"] == "X" and e["tid"] == 1]
    writers = {name for kernel in case.network.kernels for name in kernel.outputs}
    inside = sum(name in writers for kernel in case.network.kernels for name in kernel.inputs)
    assert 0 < len(arrows) <= inside
    for pair in arrows.values():
        assert pair["s"]["ts"] < pair["f"]["ts"]
        assert pair["f"]["bp"] == "e"
        assert all(any(low < pair[ph]["ts"] < high for low, high in bars) for ph in "sf")


def test_op_summary_adds_up(case, run, tmp_path):
    case.export("op_summary", tmp_path / "s.csv")
    with (tmp_path / "s.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert [row["Op Name"] for row in rows] == [kernel.name for kernel in case.network.kernels]
    total = sum(float(row["Task Duration(us)"]) for row in rows)
    assert total == pytest.approx(run.latency_us - run.invocation_us, abs=1e-3 * len(rows))
    for row, cost in zip(rows, run.kernels, strict=True):
        assert float(row["mac_time(us)"]) == pytest.approx(cost.cube_us, abs=1e-3)
        body = float(row["aicore_time(us)"])
        assert body <= float(row["Task Duration(us)"])
        assert all(float(row[f"{unit}_ratio"]) <= 1.001 for unit in ("mac", "vec", "mte2", "mte3"))


@pytest.mark.parametrize("name", ["trace", "op_summary"])
def test_without_a_simulation_nothing_is_written(case, tmp_path, name):
    with pytest.raises(ExportError, match="has not been simulated yet"):
        case.export(name, tmp_path / "out", Extras())
    assert not list(tmp_path.iterdir())


def test_kernels_on_the_cpu_have_a_thread(tmp_path):
    steps = [Step([("Asinh", ["x"], ["y"], {})], ["y"]), Step([("Relu", ["y"], ["z"], {})], ["z"])]
    net = network({"x": np.zeros((2, 3), np.float32)}, ["z"], steps)
    run = simulate(net, Plan(), load_device("kirin9030"))
    extras = Extras(measured=Measured(simulation=run))
    target("trace").export(net, Plan(), None, tmp_path / "t.json", extras=extras)
    events = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))["traceEvents"]
    cpu = [e["dur"] for e in events if e["ph"] == "X" and e["tid"] == THREADS["CPU"][0]]
    assert cpu == [pytest.approx(run.kernels[0].cpu_us, abs=2e-3)]
