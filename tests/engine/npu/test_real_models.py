"""The whole way from an ONNX file: load, fuse, simulate."""

from __future__ import annotations

import pytest
from small_models import small_cnn
from test_simulate import assert_consistent, plan_of

from engine.fusion import fuse
from engine.graph import load
from engine.npu import list_devices, load_device, roof, roofline_points, simulate, workloads
from engine.precision.scheme import FP16, INT4, INT8


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return load(small_cnn(tmp_path_factory.mktemp("model") / "small.onnx"))


@pytest.mark.parametrize("rules", ["edge", "cloud"])
@pytest.mark.parametrize("device", [info.name for info in list_devices()])
def test_every_device_runs_it(graph, rules, device):
    network = fuse(graph, rules)
    for scheme in (FP16, INT8, INT4):
        found = simulate(network, plan_of(network, scheme), load_device(device))
        assert_consistent(network, found)
        assert all(cost.unit != "CPU" for cost in found.kernels)


def test_products_count_the_multiplications_of_the_kernels(graph):
    network = fuse(graph, "edge")
    for kernel, work in zip(network.kernels, workloads(network), strict=True):
        assert work.product.m * work.product.n * work.product.k * work.product.groups == kernel.macs


def test_fusing_saves_launches(graph):
    device = load_device("kirin9030")
    edge, cloud = (simulate(network, plan_of(network, FP16), device)
                   for network in (fuse(graph, "edge"), fuse(graph, "cloud")))  # fmt: skip
    assert edge.launch_us <= cloud.launch_us
    assert edge.latency_us <= cloud.latency_us


def test_no_kernel_is_above_the_roof(graph):
    device = load_device("kirin9030")
    network = fuse(graph, "edge")
    ceiling = roof(device)
    assert ceiling.peak_gmacs == {"FP16": pytest.approx(2048 * 0.96), "INT8": pytest.approx(4096 * 0.96)}
    points = roofline_points(network, simulate(network, plan_of(network, FP16), device))
    assert points
    for point in points:
        assert point.gmacs <= min(ceiling.peak_gmacs["FP16"], point.intensity * ceiling.ddr_gbps)
