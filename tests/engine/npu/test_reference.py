"""Against ZigZag (another simulator, same layers on a Da Vinci-like core) and the Cube's closed form."""

from __future__ import annotations

import csv
from math import ceil
from pathlib import Path

import pytest
from netlist import Netlist

from engine.npu import load_device
from engine.npu.activations import Traffic
from engine.npu.chip import Chip
from engine.npu.formats import HALF_MODE
from engine.npu.matrix import matrix
from engine.npu.simulate import workloads
from engine.npu.timing import Body, cube_work, pipeline
from engine.npu.workload import Workload

ROWS = list(csv.DictReader((Path(__file__).parent / "zigzag.csv").read_text(encoding="utf-8").splitlines()))
SPATIAL = {"conv3_64_56": (56, 3, 1), "conv3_256_14": (14, 3, 1), "conv1_512_2048_7": (7, 1, 1),
           "conv3s2_128_256_80": (80, 3, 2), "pw_96_24_56": (56, 1, 1), "dw3_32_112": (112, 3, 1),
           "dw3_576_14": (14, 3, 1)}  # fmt: skip


def bare(bytes_per_cycle: float) -> Chip:
    """The 310B1 core as it was given to ZigZag: one outer port, no launches, nothing lost."""
    return load_device("ascend310b1").edited({
        "core.clock": 1000.0, "cube.issue": 0.0, "cube.efficiency": 1.0, "buffer.l2": 0.0, "port.l2_read": 0.0,
        "port.l2_write": 0.0, "port.l1_efficiency": 1.0, "port.out": 65536.0, "port.ddr": bytes_per_cycle,
        "port.ddr_efficiency": 1.0, "port.burst": 0.0, "launch.cube": 0.0, "launch.overlap": 0.0,
    }).chip  # fmt: skip


def layer(row: dict[str, str]) -> tuple[Workload, Traffic, int]:
    m, n, k, groups = (int(row[key]) for key in ("M", "N", "K", "groups"))
    if row["kind"] == "gemm":
        net = Netlist(x=(m, k))
        net.linear("x", n)
    else:
        size, window, stride = SPATIAL[row["layer"]]
        channels = groups if row["kind"] == "dw" else k // window**2
        net = Netlist(x=(1, channels, size, size))
        net.conv("x", groups if row["kind"] == "dw" else n, window, stride, group=groups, after=())
    moved = Traffic(2 * int(row["ifmap_elems"]), 2 * int(row["ofmap_elems"]), 0, 0, False)
    work = workloads(net.network())[0]
    # ZigZag was given depthwise layers with their weights spread over 16 x 16 blocks.
    return work, moved, 2 * int(row["weight_elems"]) * (16 if row["kind"] == "dw" else 1)


def timed(row: dict[str, str], chip: Chip) -> Body:
    work, moved, weights = layer(row)
    # On the Cube, as there: an endlessly slow Vector unit keeps depthwise layers off it.
    return pipeline(cube_work(work, HALF_MODE, moved, weights, chip), moved, chip)


def naive(row: dict[str, str], bytes_per_cycle: float) -> float:
    nbytes = 2 * sum(int(row[key]) for key in ("ifmap_elems", "weight_elems", "ofmap_elems"))
    return max(int(row["macs"]) / 4096, nbytes / bytes_per_cycle)


def mean_error(config: str, bytes_per_cycle: float) -> tuple[float, float, float]:
    """Mean absolute relative error of our cycles, of the naive roofline's, and of our external bytes."""
    ours, roof, moved = [], [], []
    for row in ROWS:
        if row["config"] == config:
            body = timed(row, bare(bytes_per_cycle))
            cycles = float(row["cycles_total"])
            ours.append(abs(body.latency * 1000 / cycles - 1))
            roof.append(abs(naive(row, bytes_per_cycle) / cycles - 1))
            moved.append(abs((body.ddr_read + body.ddr_write) / float(row["dram_bytes"]) - 1))
    assert len(ours) == 14
    return sum(ours) / 14, sum(roof) / 14, sum(moved) / 14


def test_wide_port_within_six_percent_and_half_of_naive():
    ours, roof, _ = mean_error("davinci310b_l2-fp16-lpf6", 256.0)
    assert ours < 0.06
    assert ours < roof / 2


def test_narrow_port_cycles_and_bytes():
    ours, _, moved = mean_error("davinci310b-fp16-lpf6", 334 / 8)
    assert ours < 0.06
    assert moved < 0.03


@pytest.mark.parametrize("row", [r for r in ROWS if r["kind"] == "gemm"], ids=lambda r: f"{r['config']}-{r['layer']}")
def test_cube_cycles_of_matrix_products_are_equal(row):
    assert timed(row, bare(256.0)).cube * 1000 == pytest.approx(float(row["cycles_compute"]))


@pytest.mark.parametrize(("precision", "depth"), [("fp16", 16), ("int8", 32), ("int4", 64)])
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (17, 33, 100), (196, 256, 2304), (64, 64, 8192)])
def test_blocks_are_the_closed_form(precision, depth, m, n, k):
    net = Netlist(x=(m, k))
    net.linear("x", n)
    chip = load_device("ascend310b1").chip
    found = matrix(workloads(net.network())[0], precision, False, chip)
    assert (found.m, found.n, found.k) == (ceil(m / 16), ceil(n / 16), ceil(k / depth))
    assert found.macs == found.m * found.n * found.k * 16 * 16 * depth


@pytest.mark.parametrize(
    ("channels", "small", "depth"), [(3, True, 4), (3, False, 16), (20, False, 32), (64, False, 64)]
)
def test_channels_are_padded_to_blocks(channels, small, depth):
    net = Netlist(x=(1, channels, 8, 8))
    net.conv("x", 16, 3)
    found = matrix(workloads(net.network())[0], "fp16", small, load_device("ascend310b1").chip)
    assert found.k == ceil(depth * 9 / 16)


def test_depthwise_runs_sixteen_channels_at_a_time():
    net = Netlist(x=(1, 40, 8, 8))
    net.conv("x", 40, 3, group=40)
    found = matrix(workloads(net.network())[0], "fp16", False, load_device("ascend310b1").chip)
    assert (found.groups, found.n, found.k) == (3, 1, 9)


def test_small_groups_share_a_block():
    net = Netlist(x=(1, 32, 8, 8))
    net.conv("x", 64, 3, group=8)  # 4 channels a group: four groups fill a block of 16
    found = matrix(workloads(net.network())[0], "fp16", False, load_device("ascend310b1").chip)
    assert (found.groups, found.n, found.k) == (2, 2, 9)
