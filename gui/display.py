"""Whether there is a display that Qt can open. Asked before Qt is: without one it ends the process with a core."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path

PACKAGES = (
    "libglib2.0-0 libgl1 libegl1 libxkbcommon0 libfontconfig1 libdbus-1-3 "
    "libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
)
"""What Qt's wheels need on a bare Debian or Ubuntu; `scripts/setup.sh` installs the same."""
INSTALL = f"sudo apt-get install --no-install-recommends {PACKAGES}"


def problem(environment: Mapping[str, str] = os.environ) -> str:
    """Why no window can be opened, in one sentence; '' if nothing speaks against it."""
    if not sys.platform.startswith("linux"):
        return ""
    wanted = environment.get("QT_QPA_PLATFORM", "")
    if not wanted and environment.get("WAYLAND_DISPLAY"):
        return ""
    if wanted.partition(";")[0].partition(":")[0] not in ("", "xcb"):
        return ""
    if not environment.get("DISPLAY"):
        return (
            "Mixbit needs a display for its window, and neither DISPLAY nor WAYLAND_DISPLAY is set; "
            "its commands work without one: mixbit --help."
        )
    return _plugin_problem() or _server_problem(environment["DISPLAY"])


def library_problem(error: OSError | ImportError) -> str:
    """The sentence for a system library that is missing."""
    return f"Mixbit's window can't be opened: {error}. Install what Qt needs: {INSTALL}"


def _plugin_problem() -> str:
    """Load what Qt would load, where a missing library is an exception and not the end."""
    found = importlib.util.find_spec("PySide6")
    if found is None or found.origin is None:
        return ""
    plugin = Path(found.origin).parent / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    try:
        if plugin.is_file():
            ctypes.CDLL(str(plugin))
    except OSError as error:
        return library_problem(error)
    return ""


def _server_problem(display: str) -> str:
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError as error:
        return library_problem(error)
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = (ctypes.c_void_p,)
    connection = xcb.xcb_connect(None, None)
    refused = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return f"Mixbit can't reach the display {display}; check DISPLAY, and that it may be used." if refused else ""
