"""docs/fidelity.md is what the code gives, and its figures keep the bars that the project has set itself."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts")]

import fidelity  # noqa: E402

PAGE = (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "section", [fidelity.published, fidelity.independent, fidelity.zigzag, fidelity.memory, fidelity.thermal]
)
def test_quick_sections_are_up_to_date(section):
    assert section() in PAGE, "run python scripts/fidelity.py"


def summary(title: str) -> list[str]:
    (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| {title} | ")]
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize(("chip", "bar"), [("Ascend 310", 12.0), ("Ascend 310B1", 12.0), ("Ascend 310P3", 20.0)])
def test_networks_that_are_left_out_are_predicted_within_the_bar(chip, bar):
    cells = summary(chip)
    left_out = float(re.sub(r"[*%]", "", cells[3]))
    assert left_out <= bar
    assert left_out < float(cells[5].rstrip("%"))  # the naive roofline


def test_ranks_at_batch_one():
    assert float(summary("Ascend 310")[7]) >= 0.95


def test_every_error_band_covers_what_is_left_out():
    for chip in fidelity.TITLES:
        stated = fidelity.load_device(chip).number("band.convolution")
        measured = float(re.sub(r"[*%]", "", summary(fidelity.TITLES[chip])[3])) / 100
        assert stated >= measured - 0.005


def test_the_constants_in_the_profiles_are_the_fitted_ones():
    record = fidelity.msgspec.json.decode(fidelity.fit_npu.RECORD.read_bytes())["whole"]
    for chip in fidelity.fit_npu.CHIPS:
        device = fidelity.load_device(chip)
        for name, fitted in record.items():
            key, _, of = name.partition("@")
            if of in ("", chip):
                stored = device.number("launch.cube" if key == "launch" else key)
                assert stored == pytest.approx(fitted, rel=0.03, abs=0.01), (chip, key)


def test_transformers_and_swish_networks_are_within_a_quarter():
    rows = [
        line
        for line in PAGE.splitlines()
        if line.startswith(("| deit_small |", "| bert_base |", "| efficientnet_b0 |")) and "%" in line
    ]
    assert len(rows) == 7  # five of devices, two end to end
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        ours = [cell for cell in cells[:-2] if cell.endswith("%")]  # the last two are the roofline's
        assert ours, row
        assert all(abs(float(cell.rstrip("%"))) <= 25 for cell in ours), row


def test_the_wide_port_tells_models_apart():
    ours, naive, _ = (float(cell.rstrip("%")) for cell in summary("L2 resident, 256 B/cycle")[1:])
    assert ours <= 6.0
    assert ours <= naive / 2
    assert float(summary("memory, 41.75 B/cycle")[3].rstrip("%")) <= 3.0
