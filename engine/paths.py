"""Where the data files are, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

_ENGINE = Path(__file__).parent


def resources() -> Path:
    """Folder of device profiles, icons, translations and style."""
    return _first(_ENGINE / "_resources", _ENGINE.parent / "resources")


def sample_models() -> Path:
    """Folder of the sample models and their data."""
    return _first(_ENGINE / "_sample_models", _ENGINE.parent / "sample_models")


def manual() -> Path:
    """Folder of the manual, one folder per language."""
    return _first(_ENGINE / "_manual", _ENGINE.parent / "docs" / "manual")


def _first(*candidates: Path) -> Path:
    return next((path for path in candidates if path.is_dir()), candidates[-1])
