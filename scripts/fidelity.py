"""Write docs/fidelity.md: how near the simulator is to what others measured or computed.

    python scripts/fidelity.py [--check]

--check writes nothing and fails if the file is not what the code gives. The errors of networks that are left out come
from benchmarks/fit_npu.json: the constants fitted without each network are stored there, the predictions are made anew.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import log
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "engine" / "npu"), str(ROOT / "benchmarks")]

import fit_npu  # noqa: E402
import msgspec  # noqa: E402
import zoo  # noqa: E402
from known_optimum import HEIGHT, guillotine  # noqa: E402
from published import ROWS, roofline  # noqa: E402
from test_reference import ROWS as ZIGZAG  # noqa: E402
from test_reference import mean_error  # noqa: E402
from thermal_reference import one_node_error, worst_error  # noqa: E402

from engine.npu import Device, load_device, plan_memory  # noqa: E402
from engine.npu.memory import ALIGNMENT, place  # noqa: E402
from engine.npu.simulate import latency_us  # noqa: E402
from engine.precision.plan import Plan  # noqa: E402
from engine.precision.scheme import FP16, INT8, Scheme  # noqa: E402

TARGET = ROOT / "docs" / "fidelity.md"
TITLES = {"ascend310": "Ascend 310", "ascend310b1": "Ascend 310B1", "ascend310p3": "Ascend 310P3"}
HOST_US = 300.0
"""Cost of a call from the host, assumed for end-to-end figures; published ones lie between 0.3 and 0.45 ms."""
KIRIN = {"alexnet": (9.92, 4.49), "vgg16": (16.56, 8.55), "resnet50": (5.15, 3.54), "mobilenetv1": (2.16, 0.52),
         "mobilenetv2": (2.49, 1.18), "squeezenet10": (2.13, 1.24), "vdsr": (17.71, 10.67)}  # fmt: skip
"""ms of FP16 and INT8 on a Kirin 9000, from the vendor's model zoo, of the networks that can be built."""
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
            "of a network. The choice to compute norms, softmax and GELU in FP32 was made",
            "with the transformer in sight.",
        )
        + table(head, totals)
        + "\n"
        + words(
            "ResNet-50 at batch 64 is the worst: its activations alone, moved once, take",
            "longer at the chip's bandwidth",
            "than the measured run (the roofline says the same), so the chip must keep parts",
            "of the batch in L2, which",
            "the model doesn't.",
        )
        + "\n".join(sections)
    )


def independent() -> str:
    """End-to-end latencies on the 310 that no constant has seen."""
    device, rows, errors, roofs = load_device("ascend310"), [], [], []
    for row in ROWS:
        if row["device"] == "ascend310" and row["scope"].startswith("end to end") and hasattr(zoo, row["network"]):
            network, measured = getattr(zoo, row["network"])(1), float(row["latency_ms_per_batch"]) * 1e3
            us, roof = latency_us(network, Plan(), device) + HOST_US, roofline(network, device)
            errors.append(us / measured - 1)
            roofs.append(roof / measured - 1)
            rows.append((row["network"], f"{measured / 1e3:.2f}", f"{us / 1e3:.2f}", percent(errors[-1]),
                         f"{roof / 1e3:.2f}", percent(roofs[-1])))  # fmt: skip
    head = ("network", "measured ms", "ours ms", "error", "roofline ms", "error")
    return (
        "## Latency: Ascend 310 end to end, not used in any fit\n\n"
        + words(
            f"Published by another project with the host's share in it; {HOST_US / 1e3:g} ms",
            "per call are assumed for",
            f"that. Mean absolute error {mean(map(abs, errors)):.1%}, roofline {mean(map(abs, roofs)):.1%}.",
            "BERT is taken",
            "with 128 tokens, which the source doesn't say.",
        )
        + table(head, rows)
    )


def kirin() -> str:
    """Kirin 9000: speed-ups and ranks, and what can't be told from them."""
    device = load_device("kirin9030")
    networks = {name: getattr(zoo, name)(1) for name in KIRIN}

    def times(chip: Device, scheme: Scheme) -> list[float]:
        plans = (Plan({k.id: scheme for k in net.tunable}) for net in networks.values())
        return [latency_us(net, plan, chip) / 1e3 for net, plan in zip(networks.values(), plans, strict=True)]

    half, whole = times(device, FP16), times(device, INT8)
    rows = [
        (name, f"{KIRIN[name][0]:.2f}", f"{half[i]:.2f}", f"{roofline(net, device) / 1e3:.2f}", f"{KIRIN[name][1]:.2f}",
         f"{whole[i]:.2f}", f"{KIRIN[name][0] / KIRIN[name][1]:.2f}", f"{half[i] / whole[i]:.2f}")
        for i, (name, net) in enumerate(networks.items())
    ]  # fmt: skip
    measured = [pair[0] for pair in KIRIN.values()], [pair[1] for pair in KIRIN.values()]
    ratios = [a / b for a, b in KIRIN.values()], [a / b for a, b in zip(half, whole, strict=True)]
    ranks = [rank_correlation(half, measured[0]), rank_correlation(whole, measured[1]), rank_correlation(*ratios)]
    errors = {}
    for cores, ddr, call, launch in product((1, 2), (20.0, 34.0, 51.2), (100.0, 300.0, 600.0), (3.0, 15.0)):
        chip = device.edited(
            {"core.count": float(cores), "port.ddr": ddr, "launch.invocation": call, "launch.cube": launch}
        )
        pairs = zip((*times(chip, FP16), *times(chip, INT8)), (*measured[0], *measured[1]), strict=True)
        errors[cores, ddr, call, launch] = mean(abs(log(a / b)) for a, b in pairs)
    best = min(errors.values())
    near = [key for key, error in errors.items() if error < 1.2 * best]
    spans = (f"{min(v):g} to {max(v):g}" if min(v) < max(v) else f"{v[0]:g}" for v in zip(*near, strict=True))
    cores_, ddr_, call_, launch_ = spans
    head = ("network", "FP16 measured ms", "ours", "roofline", "INT8 measured ms", "ours", "speed-up measured", "ours")
    return (
        "## Latency: Kirin 9000, FP16 and INT8\n\n"
        + words(
            "From the vendor's model zoo, which gives no input sizes: the usual ones are taken. Ours is the profile",
            "`kirin9030` as it ships, another chip of the family and fitted to none of these rows, so only ranks and",
            "speed-ups are held against each other. The vendor's GoogLeNet (34.7 ms in",
            "float) is left out as an outlier.",
        )
        + table(head, rows)
        + "\n"
        + words(
            f"Rank correlation: FP16 {ranks[0]:.2f}, INT8 {ranks[1]:.2f}, speed-up",
            f"{ranks[2]:.2f}. Mean speed-up measured",
            f"{mean(ratios[0]):.2f}, ours {mean(ratios[1]):.2f}: who gains more from INT8 is",
            "not predicted, and MobileNetV1",
            "(0.52 ms, less than a call of the profile) not at all.",
        )
        + words(
            f"What can't be identified: of {len(errors)} combinations of cores, bandwidth,",
            f"call and launch, {len(near)}",
            f"come within a fifth of the best error ({best:.0%} of the logarithm): {cores_}",
            f"cores, {ddr_} GB/s, {call_} µs",
            f"per call, {launch_} µs per launch. Fourteen end-to-end figures settle none of",
            "bandwidth, call and launch;",
            "clock and width of the Cube show as their product only.",
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
            "layer waits for it, and any model is right; the wide port tells models apart.",
        )
        + table(("port", "cycles, ours", "cycles, roofline", "bytes of memory, ours"), rows)
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
- SE networks on the 310: EfficientNet-B0 end to end is missed by half, although the 310B1's is not.
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
