"""Scenarios that a project keeps: every choice survives, nonsense becomes the default."""

from __future__ import annotations

import pytest

from engine.npu.results import Scenario
from engine.session.document import sound_scenario


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(),
        Scenario(12.0, 30.0, 40.0, "power-allocator", 0.75),
        Scenario(governor="fixed"),
        Scenario(clock_cap=0.3),
    ],
)
def test_sound_scenarios_stay(scenario):
    assert sound_scenario(scenario) == scenario


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Scenario(governor="turbo"), Scenario()),
        (Scenario(clock_cap=0.0), Scenario()),
        (Scenario(clock_cap=float("nan"), minutes=5.0), Scenario(minutes=5.0)),
    ],
)
def test_nonsense_becomes_the_default(given, expected):
    assert sound_scenario(given) == expected
