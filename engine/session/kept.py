"""Plans that are kept by name, side by side with what was measured of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from engine.errors import PlanError
from engine.precision.plan import Plan
from engine.session.state import Figures
from engine.text import say

MOST_KEPT = 64
LONGEST_NAME = 80
_COST = ("size_bytes", "latency_us", "peak_bytes", "energy_uj", "skin_c", "device", "device_content")
_ERRORS = ("sqnr_db", "kl", "top1_agreement", "accuracy", "data", "data_content")


@dataclass(frozen=True, slots=True)
class PlanFigures:
    """What is known of a plan in numbers, with the device and the data that they hold for. None = not known."""

    size_bytes: int | None = None
    latency_us: float | None = None
    peak_bytes: int | None = None
    energy_uj: float | None = None
    skin_c: float | None = None
    """Skin temperature at the end of sustained use."""
    device: str = ""
    """Name of the profile that the five above were simulated with; '' for none."""
    device_content: str = ""
    """Digest of that profile: a file of the same name may say something else by now."""
    sqnr_db: float | None = None
    kl: float | None = None
    top1_agreement: float | None = None
    accuracy: float | None = None
    data: str = ""
    """What the four above were measured with; '' for nothing."""
    data_content: str = ""
    """Digest of that: a file of the same name may hold something else by now."""


@dataclass(frozen=True, slots=True)
class KeptPlan:
    """A plan with a name of its own. What is known of it is not part of its identity."""

    name: str
    plan: Plan
    figures: PlanFigures = field(default=PlanFigures(), compare=False)


def numbers_of(
    figures: Figures, device: str, data: str, device_content: str = "", data_content: str = ""
) -> PlanFigures:
    """The numbers of a plan's figures.

    Args:
        figures: of the plan; parts that are missing stay unknown.
        device: name of the profile that is simulated.
        data: what is evaluated with.
        device_content: digest of the profile.
        data_content: digest of the data.
    """
    found = PlanFigures()
    if figures.simulated and figures.simulation is not None and figures.size is not None:
        found = replace(
            found,
            size_bytes=figures.size.total,
            latency_us=figures.simulation.latency_us,
            peak_bytes=figures.simulation.memory.peak_bytes,
            energy_uj=figures.simulation.energy_uj,
            skin_c=figures.sustained.final_skin_c if figures.sustained is not None and figures.warmed else None,
            device=device,
            device_content=device_content,
        )
    if figures.evaluation is not None:
        out = figures.evaluation.output
        found = replace(
            found,
            sqnr_db=out.sqnr_db,
            kl=out.kl,
            top1_agreement=out.top1_agreement,
            accuracy=out.accuracy,
            data=data,
            data_content=data_content,
        )
    return found


def merged(old: PlanFigures, new: PlanFigures) -> PlanFigures:
    """New numbers where there are some, the old ones elsewhere."""
    if new.device:
        old = replace(old, **{name: getattr(new, name) for name in _COST})
    if new.data:
        old = replace(old, **{name: getattr(new, name) for name in _ERRORS})
    return old


def find(kept: Iterable[KeptPlan], name: str) -> KeptPlan:
    """The kept plan of that name.

    Raises:
        PlanError: there is none.
    """
    kept = tuple(kept)
    for entry in kept:
        if entry.name == name:
            return entry
    names = ", ".join(entry.name for entry in kept) or "–"
    raise PlanError(say("There is no kept plan named {name}; there are {names}.", name=name, names=names))


def free_name(kept: Iterable[KeptPlan], wish: str) -> str:
    """A name that no kept plan has: the wish itself, else the wish with a number behind it."""
    taken = {entry.name for entry in kept}
    wish = wish.strip()[:LONGEST_NAME] or "Plan"
    if wish not in taken:
        return wish
    return next(name for number in range(2, len(taken) + 3) if (name := f"{wish} {number}") not in taken)


def checked_name(kept: Sequence[KeptPlan], name: str) -> str:
    """A name that can be given to a plan.

    Raises:
        PlanError: it is empty, too long, or taken.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME:
        raise PlanError(
            say("A plan's name has 1 to {most} characters; this one has {count}.", most=LONGEST_NAME, count=len(name))
        )
    if any(entry.name == name for entry in kept):
        raise PlanError(say("There is a plan named {name} already; choose another name.", name=name))
    return name
