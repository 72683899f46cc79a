"""Write docs/fidelity.md: how near the simulator is to what others measured or computed.

    python scripts/fidelity.py [--check]

--check writes nothing and fails if the file is not what the code gives. The errors of networks that are left out come
from benchmarks/fit_npu.json: the constants fitted without each network are stored there, the predictions are made anew.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "engine" / "npu"), str(ROOT / "benchmarks")]

import fit_kirin  # noqa: E402
import fit_npu  # noqa: E402
import msgspec  # noqa: E402
import zoo  # noqa: E402
from known_optimum import HEIGHT, guillotine  # noqa: E402
from published import ROWS, roofline  # noqa: E402
from test_reference import ROWS as ZIGZAG  # noqa: E402
from test_reference import mean_error  # noqa: E402
from thermal_reference import one_node_error, worst_error  # noqa: E402

from engine.fusion.types import Network  # noqa: E402
from engine.npu import load_device, plan_memory  # noqa: E402
from engine.npu.memory import ALIGNMENT, place  # noqa: E402
from engine.npu.simulate import latency_us  # noqa: E402
from engine.precision.plan import Plan  # noqa: E402
from engine.precision.scheme import FP16, INT8, Scheme  # noqa: E402

TARGET = ROOT / "docs" / "fidelity.md"
TITLES = {"ascend310": "Ascend 310", "ascend310b1": "Ascend 310B1", "ascend310p3": "Ascend 310P3"}
HOST_US = 300.0
"""Cost of a call from the host, assumed for end-to-end figures; published ones lie between 0.3 and 0.45 ms."""
HEAD = """# How near the simulator is

<!-- made by scripts/fidelity.py; change the code, not this page -->

Every table has the naive roofline beside our figure: each kernel at the peak of the Cube or of memory,
max(MACs / peak, bytes / bandwidth), without launches. An error is predicted / measured − 1.

"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def words(*sentences: str) -> str:
    """A paragraph, wrapped."""
    return textwrap.fill(" ".join(sentences), 120, break_long_words=False, break_on_hyphens=False) + "\n\n"


def mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Spearman's, for values without ties."""

    def ranks(values: Sequence[float]) -> list[int]:
        order = sorted(range(len(values)), key=values.__getitem__)
        places = [0] * len(values)
        for place_, index in enumerate(order):
            places[index] = place_
        return places

    count = len(a)
    squares = sum((x - y) ** 2 for x, y in zip(ranks(a), ranks(b), strict=True))
    return 1 - 6 * squares / (count * (count**2 - 1))


def percent(value: float) -> str:
    return f"{value:+.0%}"


def published() -> str:
    """Ascend chips: rows, then per chip what it comes to."""
    record = msgspec.json.decode(fit_npu.RECORD.read_bytes())
    cases = fit_npu.cases()
    outside = {}
    for name, constants in record["without"].items():
        mine = [case for case in cases if case.network == name]
        for case, us in fit_npu.predictions(fit_npu.from_plain(constants), mine):
            outside[case.chip, name, case.batch] = us / case.measured_us - 1
    sections, totals = [], []
    for chip, title in TITLES.items():
        device, rows, networks = load_device(chip), [], {}
        ours, naive, measured, first = [], [], [], []
        for case in (case for case in cases if case.chip == chip):
            network = zoo.ZOO[case.network](case.batch)
            us, roof = latency_us(network, Plan(), device), roofline(network, device)
            left = outside[chip, case.network, case.batch]
            rows.append((case.network, str(case.batch), f"{case.measured_us / 1e3:.2f}", f"{us / 1e3:.2f}",
                         percent(us / case.measured_us - 1), percent(left), f"{roof / 1e3:.2f}",
                         percent(roof / case.measured_us - 1)))  # fmt: skip
            ours.append(us)
            naive.append(roof)
            measured.append(case.measured_us)
            networks.setdefault(case.network, []).append(abs(left))
            first.append(case.batch == 1)
        one = [i for i, flag in enumerate(first) if flag]
        worst = max(networks, key=lambda name: mean(networks[name]))
        totals.append((
            title, f"{len(rows)} / {len(networks)}",
            f"{mean(abs(u / m - 1) for u, m in zip(ours, measured, strict=True)):.1%}",
            f"**{mean(abs(e) for values in networks.values() for e in values):.1%}**",
            f"{worst} {mean(networks[worst]):.0%}",
            f"{mean(abs(u / m - 1) for u, m in zip(naive, measured, strict=True)):.1%}",
            f"{rank_correlation(ours, measured):.3f} / {rank_correlation(naive, measured):.3f}",
            f"{rank_correlation([ours[i] for i in one], [measured[i] for i in one]):.3f}",
        ))  # fmt: skip
        head = ("network", "batch", "measured ms", "ours ms", "error", "left out", "roofline ms", "error")
        sections.append(f"### {title}\n\n{table(head, rows)}")
    head = (
        "chip", "rows / networks", "in-sample", "left out", "worst network, left out", "roofline",
        "rank ours / roofline", "rank, batch 1",
    )  # fmt: skip
    return (
        "## Latency: Ascend, FP16\n\n"
        + words(
            "Published device latencies (model zoo of Ascend/ModelZoo-PyTorch). *left out* is the error on a network",
            "by constants that were fitted without it on any chip (`benchmarks/fit_npu.py`):",
            f"{len(record['whole'])} constants for {len(cases)} rows, three of the core",
            "family, three of each chip, none",
            "of a network. Three choices were made with a network in sight: norms, softmax",
            "and GELU in FP32 (the transformer), a batch cut into slices that fit L2 on the 310P3 (ResNet-50), and",
            "launches of independent branches ahead of time on all but the 310 (GoogLeNet).",
        )
        + table(head, totals)
        + "\n"
        + words(
            "Slices: three batches of the 310P3 run a fifth or more below the time in which memory could move their",
            "activations once (roofline +27 to +64 %), none of the other chips does. With slices, the",
            "reached part of the L2 ports is near that of the other chips, too (0.34",
            "against 0.36 and 0.29; 0.52 without).",
            "Branches: on the 310P3, one run of GoogLeNet costs 3 µs for each of its 72 kernels beyond",
            "what grows with the batch and its weights, chains of kernels (MobileNetV1,",
            "SqueezeNet) 4.5 to 5; on the 310 it is 17 against 7, so that chip pays for every branch.",
        )
        + words(
            "What the data contradict: on the 310B1, what doesn't grow with the batch (4 runs of one against one of",
            "4) is 0.31 ms for MobileNetV1's 30 kernels and 0.11 ms for GoogLeNet's 72, whose weights alone take",
            "0.26 ms at the chip's bandwidth: no cost per kernel or per byte fits both, and ours is between.",
            "On the 310, a picture takes 0.66 ms in ResNet-18's batch of 16, 0.91 ms in its batch of 4.",
        )
        + "\n".join(sections)
    )


def as_handed_over(name: str) -> Network:
    """The network as the project that published its end-to-end latency gives it to the compiler."""
    return zoo.efficientnet_b0(1, swish_apart=True) if name == "efficientnet_b0" else getattr(zoo, name)(1)


def independent() -> str:
    """End-to-end latencies on the 310 that no constant has seen."""
    device, rows, errors, roofs = load_device("ascend310"), [], [], []
    for row in ROWS:
        if row["device"] == "ascend310" and row["scope"].startswith("end to end") and hasattr(zoo, row["network"]):
            network, measured = as_handed_over(row["network"]), float(row["latency_ms_per_batch"]) * 1e3
            us, roof = latency_us(network, Plan(), device) + HOST_US, roofline(network, device)
            errors.append(us / measured - 1)
            roofs.append(roof / measured - 1)
            rows.append((row["network"], f"{measured / 1e3:.2f}", f"{us / 1e3:.2f}", percent(errors[-1]),
                         f"{roof / 1e3:.2f}", percent(roofs[-1])))  # fmt: skip
    fused, apart = zoo.efficientnet_b0(1), as_handed_over("efficientnet_b0")
    alone = (latency_us(fused, Plan(), device) + HOST_US) / 1e3
    head = ("network", "measured ms", "ours ms", "error", "roofline ms", "error")
    return (
        "## Latency: Ascend 310 end to end, not used in any fit\n\n"
        + words(
            f"Published by another project with the host's share in it; {HOST_US / 1e3:g} ms",
            "per call are assumed for",
            f"that. Mean absolute error {mean(map(abs, errors)):.1%}, roofline {mean(map(abs, roofs)):.1%}.",
            "BERT is taken",
            "with 128 tokens, which the source doesn't say. EfficientNet-B0 is taken as that project hands it to the",
            "compiler: its converter (`huawei_ascend_npu/converter/swish.cc` of Paddle-Lite) writes a Swish as Sigmoid",
            f"and Mul, {len(apart.kernels)} kernels instead of {len(fused.kernels)}. With each Swish in the kernel",
            f"of its convolution, as the latencies of the 310B1 above show it, it would take {alone:.2f} ms. Whether",
            "the compiler put some of them together again isn't known.",
        )
        + table(head, rows)
    )


def kirin() -> str:
    """Kirin 9000: what its figures tell, and what can't be told from them."""
    device = load_device("kirin9030")
    networks = {name: getattr(zoo, name)(1) for name in fit_kirin.MEASURED}

    def times(scheme: Scheme) -> list[float]:
        plans = (Plan({k.id: scheme for k in net.tunable}) for net in networks.values())
        return [latency_us(net, plan, device) / 1e3 for net, plan in zip(networks.values(), plans, strict=True)]

    half, whole = times(FP16), times(INT8)
    points = fit_kirin.grid()
    best, near = fit_kirin.spans(points)
    measured = list(zip(*fit_kirin.MEASURED.values(), strict=True))
    gains = [a / b for a, b in fit_kirin.MEASURED.values()]
    rows = [
        (name, f"{measured[0][i]:.2f}", f"{half[i]:.2f}", f"{best.ms[i][0]:.2f}", f"{roofline(net, device) / 1e3:.2f}",
         f"{measured[1][i]:.2f}", f"{whole[i]:.2f}", f"{best.ms[i][1]:.2f}", f"{gains[i]:.2f}",
         f"{half[i] / whole[i]:.2f}", f"{best.gains[i]:.2f}")
        for i, (name, net) in enumerate(networks.items())
    ]  # fmt: skip
    possible = [i for i, gain in enumerate(gains) if gain < 2]
    ranks = [
        rank_correlation([pair[0] for pair in best.ms], measured[0]),
        rank_correlation([pair[1] for pair in best.ms], measured[1]),
        rank_correlation(best.gains, gains),
        rank_correlation([best.gains[i] for i in possible], [gains[i] for i in possible]),
    ]
    over = ", ".join(f"{name} {gain:.2f}" for name, gain in zip(networks, gains, strict=True) if gain >= 2)

    def span(name: str) -> str:
        values = sorted({getattr(point, name) for point in near})
        if values[-1] == max(getattr(point, name) for point in points):
            return f"at least {values[0]:g}" if values[0] else f"anything up to {values[-1]:g}"
        return f"{values[0]:g} to {values[-1]:g}" if len(values) > 1 else f"{values[0]:g}"

    head = ("network", "FP16 measured ms", "profile", "fitted", "roofline", "INT8 measured ms", "profile", "fitted",
            "speed-up measured", "profile", "fitted")  # fmt: skip
    return (
        "## Latency: Kirin 9000, FP16 and INT8\n\n"
        + words(
            "From the vendor's model zoo, which gives no input sizes: the usual ones are taken. *profile* is",
            "`kirin9030` as it ships, another chip of the family; *fitted* is the best of",
            f"{len(points)} combinations of clock, bandwidth, call and launch",
            f"(`benchmarks/fit_kirin.py`, mean error {best.error:.0%} of the logarithm).",
            "The vendor's GoogLeNet (34.7 ms in float) is left out as an outlier.",
        )
        + table(head, rows)
        + "\n"
        + words(
            f"Rank correlation of the fitted: FP16 {ranks[0]:.2f}, INT8 {ranks[1]:.2f}, speed-up {ranks[2]:.2f}.",
            f"The speed-ups can't be ranked by any model of this kind: {len(over.split(', '))} of {len(gains)} are",
            f"above 2 ({over}), but INT8 halves bytes and doubles the rate of the Cube, so that no",
            "kernel gains more, and calls and launches only take from that. Float must have run something that INT8",
            "did not (layout conversions, kernels on the CPU), which the table doesn't say.",
            f"Among the {len(possible)} that are possible the rank is {ranks[3]:.2f}: SqueezeNet gains more than its",
            "small kernels let expect, VDSR less.",
        )
        + words(
            f"What the {len(near)} combinations within a tenth of the best error leave: the clock of one core of the",
            f"profile (width and number of cores act as more clock) {span('clock_mhz')} MHz, the",
            f"bandwidth {span('ddr_gbps')} GB/s, the call {span('call_us')} µs, the launch",
            f"{span('launch_us')} µs. Call and launch stand in for each other: neither is identified, nor is an upper",
            "end of the clock.",
        ).rstrip("\n")
        + "\n"
    )


def zigzag() -> str:
    """Another simulator on the same core."""
    rows = []
    for title, config, rate in (("L2 resident, 256 B/cycle", "davinci310b_l2-fp16-lpf6", 256.0),
                                ("memory, 41.75 B/cycle", "davinci310b-fp16-lpf6", 334 / 8)):  # fmt: skip
        ours, roof, moved = mean_error(config, rate)
        rows.append((title, f"{ours:.1%}", f"{roof:.1%}", f"{moved:.1%}"))
    count = len({row["layer"] for row in ZIGZAG})
    return (
        f"## Cycles and bytes: ZigZag, {count} layers on a Da Vinci-like core\n\n"
        + words(
            "Tests the equations, not silicon: another simulator with the same core. With",
            "the narrow port nearly every",
            "layer waits for it, and any model is right; the wide port tells models apart. Bytes are those through the",
            "port: of DRAM with the narrow one (bar 3 %), of L2 with the wide one, which has no bar.",
        )
        + table(("port", "cycles, ours", "cycles, roofline", "bytes through the port, ours"), rows)
    )


def memory() -> str:
    """The planner against optima that are known by construction, and against lower bounds."""
    ratios = []
    for seed in range(20):
        lives = guillotine(seed)
        ratios.append(place(lives).peak / (HEIGHT * ALIGNMENT))
    rows = []
    for name in ("resnet50", "googlenet", "efficientnet_b0", "deit_small", "squeezenet11", "mobilenetv2"):
        plan = plan_memory(getattr(zoo, name)(1), Plan())
        rows.append((name, f"{plan.peak_bytes:,}", f"{plan.lower_bound_bytes:,}",
                     f"{plan.peak_bytes / plan.lower_bound_bytes:.3f}"))  # fmt: skip
    return (
        "## Memory planner\n\n"
        + words(
            "Twenty generated instances of 60 buffers whose optimum is known (a block cut into rectangles): peak /",
            f"optimum mean {mean(ratios):.3f}, worst {max(ratios):.3f}. Ordinary networks",
            "against the largest live set,",
            "which no plan can beat:",
        )
        + table(("network", "peak bytes", "lower bound", "ratio"), rows)
    )


def thermal() -> str:
    """Exactness of the thermal step."""
    return (
        "## Thermal network\n\n"
        + words(
            "Half-second steps over 30 minutes of changing power against scipy's matrix exponential: at most",
            f"{_bound(worst_error())} K apart. One node against T = P R (1 − e^(−t / RC)): at most",
            f"{_bound(one_node_error())} K. The constants of the network itself are",
            "assumptions; no public source gives any",
            "for these devices.",
        ).rstrip("\n")
        + "\n"
    )


def _bound(value: float) -> str:
    """A power of ten that is not exceeded: rounding differs from machine to machine."""
    power = 0
    while power > -9 and value < 10.0 ** (power - 1):
        power -= 1
    return f"{10.0**power:g}"


LIMITS = """## What nothing stands behind

- INT8 and INT4 latency on Ascend: all published rows are FP16.
- Time of single kernels: no public per-kernel profile of these chips was found; only sums are tested.
- Energy, temperature, governors: assumptions of the profile, marked as such; only the arithmetic is tested.
- SE networks on the 310: one latency, end to end, and only with each Swish as two kernels of its own (see there).
- Slices of a batch and launches ahead: read off latencies of whole networks, seen in no profile of a device.
- Cold start: load times of three small models on one phone fix two constants of `kirin9030`; the rest is assumed.
"""
SECTIONS: tuple[Callable[[], str], ...] = (published, independent, kirin, zigzag, memory, thermal)


def render() -> str:
    return HEAD + "\n".join(section() for section in SECTIONS) + "\n" + LIMITS


def main(check: bool) -> int:
    text = render()
    if not check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    same = TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text
    if not same:
        print("docs/fidelity.md is out of date: run python scripts/fidelity.py")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
