"""Every target takes a plan's weight methods or says for each layer that it does not."""

from __future__ import annotations

import pytest

from engine.interop.handover import Extras
from engine.interop.targets import TARGETS
from engine.precision.presets import preset
from engine.tuning.methods import with_method

KEEP = {"qdq", "plan", "csv", "report", "trace", "op_summary", "matmul_nbits", "tensorrt", "model_explorer"}
"""Files that hold rounded weights, or the plan itself."""


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_methods_are_taken_or_refused_by_name(target, cnn):
    plan = with_method(cnn, preset(cnn, "int8"), "gptq", True)
    found = target.check(cnn, plan, Extras())
    changed = {change.kernel for change in found.changes}
    for kernel, asked in plan.items():
        gets = found.effective_plan[kernel]
        kept = (gets.method, gets.corrected) == (asked.method, asked.corrected)
        assert kept or kernel in changed
        assert kept or target.name not in KEEP
    assert all(str(change.reason) for change in found.changes)
