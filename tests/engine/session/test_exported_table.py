"""The table of the layers as CSV: which sensitivity it holds."""

from __future__ import annotations

import csv

from engine.precision.presets import preset
from engine.precision.scheme import INT8
from engine.session.exports import Snapshot, write_export
from engine.session.state import SensitivityCell


def sensitivities(path):
    with path.open(newline="") as file:
        return [(row["sensitivity_db"], row["sensitivity_at"], row["sensitivity_kind"]) for row in csv.DictReader(file)]


def test_estimates_and_measurements_are_told_apart(cnn, tmp_path):
    first, second, third, *_ = cnn.tunable
    cells = [
        SensitivityCell(first.id, INT8, 31.5, None),
        SensitivityCell(second.id, INT8, 28.25, None, "estimated"),
        SensitivityCell(third.id, INT8, None, None, "estimated", logits_db=17.0),
    ]
    snapshot = Snapshot(cnn, preset(cnn, "int8"), sensitivity={(c.kernel, c.scheme): c for c in cells})
    write_export("csv", tmp_path / "t.csv", snapshot)
    found = sensitivities(tmp_path / "t.csv")
    assert [found[kernel.index] for kernel in (first, second, third)] == [
        ("31.5", "output", "exact"),
        ("28.25", "output", "estimated"),
        ("17", "logits", "estimated"),
    ]
    others = [row for at, row in enumerate(found) if at not in {first.index, second.index, third.index}]
    assert set(others) == {("", "", "")}
