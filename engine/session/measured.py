"""What a device has measured, in a session: profiles beside the simulation, a fitted device, a list of latencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from engine.fusion.types import Network
from engine.interop.fit import Case, Fit, fit_device
from engine.interop.jitter import Jitter, analyse, read_latencies
from engine.interop.msprof import read_fusions
from engine.interop.profile import ProfileFile
from engine.interop.profile_compare import Measured, compare_profile
from engine.interop.profile_open import open_profile
from engine.jobs import Job, JobContext, Jobs
from engine.npu import Device, save_device, simulate
from engine.npu.results import Simulation
from engine.precision.plan import Plan
from engine.text import Text, say

T = TypeVar("T")


@dataclass(frozen=True, eq=False, slots=True)
class Loaded:
    """One profile, and the plan that was on the device."""

    profile: ProfileFile
    plan: Plan
    fusions: dict[str, tuple[str, ...]]
    corrections: dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Host:
    """What measurements need of their session."""

    network: Callable[[], Network | None]
    plan: Callable[[], Plan]
    simulation: Callable[[], Simulation | None]
    """Of the current plan on the current device."""
    device: Callable[[], Device]
    use_device: Callable[[Path], None]
    announce: Callable[[], None]
    note: Callable[[Text], None]
    failed: Callable[[Text], None]


class Measurements:
    """Commands start work, properties are read by views; all on the owner's thread."""

    def __init__(self, jobs: Jobs, host: Host) -> None:
        self._jobs, self._host = jobs, host
        self.jitter: Jitter | None = None
        self.jitter_path: Path | None = None
        self.forget()

    def forget(self) -> None:
        """Another model: its profiles are others. Latencies stay, they belong to no model."""
        self.profiles: tuple[Loaded, ...] = ()
        self.fit: Fit | None = None
        self._known: tuple[object, Measured] | None = None

    # profiles -------------------------------------------------------------------------------------------------------

    def open_profile(self, path: Path) -> Job | None:
        """Read a profile of the current plan; a fusion table beside it is used. It is shown at once, and added."""
        network, plan = self._host.network(), self._host.plan()
        if network is None:
            return None

        def work(_: JobContext) -> Loaded:
            profile = open_profile(path)
            folder = profile.path.parent
            tables = sorted(folder.glob("fusion_op*.csv")) if profile.origin == "msprof" else []
            return Loaded(profile, plan, read_fusions(tables[-1]) if tables else {}, {})

        def done(found: Loaded) -> None:
            if self._host.network() is network:
                for note in found.profile.notes:
                    self._host.note(note)
                self.profiles = (*self.profiles, found)
                self._changed()

        title = say("Reading the profile {file}", file=path.name)
        return self._submit(title, work, done, "open profile")

    def close_profile(self) -> None:
        """Take the profile on show off the list."""
        self.profiles = self.profiles[:-1]
        self._changed()

    def measured(self) -> Measured | None:
        """The profile on show (the latest) beside the current simulation; None without one."""
        network, simulation = self._host.network(), self._host.simulation()
        if not self.profiles or network is None or simulation is None:
            return None
        loaded = self.profiles[-1]
        key = (loaded, simulation)
        if self._known is None or self._known[0] != key:
            self._known = key, _compare(loaded, network, simulation)
        return self._known[1]

    def correct(self, op: str, kernel: str | None) -> None:
        """Say which kernel an operator of the profile on show belongs to (None: no kernel)."""
        if self.profiles:
            last = self.profiles[-1]
            self.profiles = (*self.profiles[:-1], replace(last, corrections={**last.corrections, op: kernel}))
            self._changed()

    # fitting --------------------------------------------------------------------------------------------------------

    def start_fit(self) -> Job | None:
        """Fit constants of the device to all profiles that are open."""
        network, device, profiles = self._host.network(), self._host.device(), self.profiles
        if network is None or not profiles:
            return None

        def work(ctx: JobContext) -> Fit:
            return fit_device(device, _cases(profiles, network, device), progress=ctx.progress, cancel=ctx.token)

        def done(found: Fit) -> None:
            if self._host.network() is network:
                self.fit = found
                self._host.announce()

        title = say("Fitting {device} to measured times", device=device.name)
        return self._submit(title, work, done, "fit device")

    def use_fit(self, path: Path) -> None:
        """Write the fitted profile and simulate it from now on.

        Raises:
            ExportError: It can't be written.
        """
        if self.fit is not None:
            save_device(self.fit.device, path)
            self._host.use_device(path)
            self._host.note(say("Wrote {path}.", path=path))

    # latencies ------------------------------------------------------------------------------------------------------

    def open_latencies(self, path: Path) -> Job:
        """Read a list of latencies and take it apart."""

        def done(found: Jitter) -> None:
            self.jitter, self.jitter_path = found, path
            self._host.announce()

        title = say("Reading latencies from {file}", file=path.name)
        return self._submit(title, lambda _: analyse(read_latencies(path)), done, "open latencies")

    def _changed(self) -> None:
        self._known, self.fit = None, None
        self._host.announce()

    def _submit(self, title: Text, work: Callable[[JobContext], T], done: Callable[[T], None], key: str) -> Job:
        return self._jobs.submit(title, work, lane="query", supersede=key, on_done=done, on_failed=self._host.failed)


def _compare(loaded: Loaded, network: Network, simulation: Simulation) -> Measured:
    return compare_profile(loaded.profile, network, simulation, fusions=loaded.fusions, corrections=loaded.corrections)


def _cases(profiles: Sequence[Loaded], network: Network, device: Device) -> list[Case]:
    cases = []
    for loaded in profiles:
        found = _compare(loaded, network, simulate(network, loaded.plan, device))
        times = {row.index: row.measured_us for row in found.kernels}
        cases.append(Case(network, loaded.plan, times, found.profile.total_us))
    return cases
