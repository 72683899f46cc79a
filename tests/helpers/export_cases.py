"""What an export is made of, and a stand-in for the programs that read it."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from engine.fusion.types import Network
from engine.interop.handover import Extras, Measured, Written
from engine.interop.targets import target
from engine.npu import load_device, simulate
from engine.numerics import calibrate, synthetic_samples
from engine.numerics.samples import SampleSet
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, Scheme
from engine.quant.ranges import Ranges
from engine.session.work import open_network


@dataclass(frozen=True)
class Case:
    network: Network
    plan: Plan
    ranges: Ranges
    samples: SampleSet

    def with_plan(self, *schemes: Scheme) -> Case:
        return replace(self, plan=plan_of(self.network, *schemes))

    def extras(self, **options: str) -> Extras:
        run = simulate(self.network, self.plan, load_device("kirin9030"))
        return Extras(samples=self.samples, options=options, measured=Measured(simulation=run))

    def export(self, name: str, path: Path, extras: Extras | None = None, **options: str) -> Written:
        return target(name).export(self.network, self.plan, self.ranges, path, extras=extras or self.extras(**options))


def plan_of(network: Network, *schemes: Scheme) -> Plan:
    """The schemes in turn, over all tunable kernels."""
    return Plan({k.id: schemes[at % len(schemes)] for at, k in enumerate(network.tunable)}, "mixed")


def case_of(path: Path, *schemes: Scheme) -> Case:
    network = open_network(path)
    samples = synthetic_samples(network.graph, 3)
    plan = plan_of(network, *(schemes or (INT4, INT8, FP16, INT8)))
    return Case(network, plan, calibrate(network, samples), samples)


def run_with_fakes(script: Path, *programs: str, **environment: str) -> list[list[str]]:
    """Run a shell script with programs that only note their arguments; returns these, call by call."""
    tools = script.parent / "fake_tools"
    tools.mkdir()
    log = tools / "calls"
    for program in programs:
        (tools / program).write_text(f'#!/bin/sh\nprintf "%s\\037" "$@" >> "{log}"\nprintf "\\n" >> "{log}"\n')
        (tools / program).chmod(0o755)
    found = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", **environment}
    subprocess.run(["sh", str(script)], check=True, env=found, timeout=20, cwd="/")
    return [line.split("\037")[:-1] for line in log.read_text().splitlines()]
