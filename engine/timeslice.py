"""How long a slice of a core a thread asks the scheduler for: short for who answers, long for who computes.

Linux shares cores out by virtual deadlines (EEVDF). Since 6.12 an ordinary thread may say how long its slices are to
be (`sched_runtime` in sched_setattr(2), 0.1 to 100 ms). A shorter one gives no more of the core but an earlier
deadline: a thread that wakes up goes before one with longer slices instead of waiting until that has used its own up.
Elsewhere nothing happens: older kernels take the value and ignore it, other systems are not asked.
"""

from __future__ import annotations

import ctypes
import platform
import sys

PROMPT_S = 0.0001
"""For the thread of the window: the least that the kernel takes."""
STEADY_S = 0.01
"""For threads that compute. A thread inherits the slice of the one that started it, so they must say it themselves."""
_SET = {"x86_64": 314, "aarch64": 274, "riscv64": 274, "loongarch64": 274}
"""Number of the call sched_setattr by architecture; sched_getattr is the next one."""
_OTHER = 0
"""SCHED_OTHER, the policy of ordinary threads."""


class _Attributes(ctypes.Structure):
    """`struct sched_attr` in its first version, which every kernel with the call knows."""

    _fields_ = [
        ("size", ctypes.c_uint32), ("policy", ctypes.c_uint32), ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32), ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64), ("deadline", ctypes.c_uint64), ("period", ctypes.c_uint64),
    ]  # fmt: skip


def ask_for_slice(seconds: float) -> bool:
    """Ask for slices of this length for the calling thread; its niceness stays.

    Args:
        seconds: From 0.0001 to 0.1; the kernel clips others. 0 = as long as the kernel gives by itself.

    Returns:
        Whether the kernel took it. A thread with another policy than the ordinary one is left alone.
    """
    attributes = _read()
    if attributes is None or attributes.policy != _OTHER:
        return False
    attributes.runtime = round(seconds * 1e9)
    return _call(0, ctypes.byref(attributes), 0)


def slice_s() -> float | None:
    """Seconds of a slice of the calling thread: None where there is no such thing, 0 from kernels that don't tell."""
    attributes = _read()
    return None if attributes is None else attributes.runtime / 1e9


def _read() -> _Attributes | None:
    found = _Attributes()
    size = ctypes.sizeof(found)
    return found if _call(1, ctypes.byref(found), size, 0) else None


def _call(which: int, attributes: object, *rest: int) -> bool:
    """sched_setattr (0) or sched_getattr (1) for the calling thread; False if there is none, or it refuses."""
    number = _SET.get(platform.machine())
    if sys.platform != "linux" or number is None or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    try:
        call = ctypes.CDLL(None).syscall
    except (OSError, AttributeError):
        return False
    return bool(call(number + which, 0, attributes, *rest) == 0)
