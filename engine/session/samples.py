"""The models that come with Mixbit."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.errors import ModelError
from engine.files import decode_json
from engine.interop.samples import SYNTHETIC, DataSource, guess_source
from engine.paths import sample_models
from engine.session.state import SampleModel
from engine.text import say


class _Words(msgspec.Struct):
    en: str
    zh: str


class _Reference(msgspec.Struct, frozen=True):
    accuracy: float | None = None


class _SampleFile(msgspec.Struct):
    title: _Words
    description: _Words
    model: str
    calibration: str | None = None
    evaluation: str | None = None
    shapes: dict[str, tuple[int, ...]] = {}
    reference: _Reference = _Reference()


def list_samples() -> list[SampleModel]:
    """All sample models, in name order."""
    return [_read(path) for path in sorted(sample_models().glob("*/sample.json"))]


def find_sample(name: str) -> SampleModel:
    """The sample of that folder name.

    Raises:
        ModelError: there is none.
    """
    for sample in list_samples():
        if sample.name == name:
            return sample
    names = ", ".join(s.name for s in list_samples())
    raise ModelError(say("There is no sample model named {name}; there are {names}.", name=name, names=names))


def sample_of(path: Path) -> SampleModel | None:
    """The sample whose model a file is, so that its own data is used with it; None for any other file."""
    description = path.resolve().parent / "sample.json"
    sample = _read(description) if description.is_file() else None
    return sample if sample is not None and sample.model.resolve() == path.resolve() else None


def sources(sample: SampleModel) -> tuple[DataSource, DataSource]:
    """Calibration and evaluation data of a sample."""
    return _source(sample.calibration), _source(sample.evaluation)


def _source(path: Path | None) -> DataSource:
    return SYNTHETIC if path is None else guess_source(path)


def _read(path: Path) -> SampleModel:
    try:
        read = decode_json(path.read_bytes(), _SampleFile)
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(say("{path} can't be read ({reason}).", path=path, reason=error)) from error
    folder = path.parent
    model = folder / read.model
    return SampleModel(
        folder.name,
        {"en": read.title.en, "zh": read.title.zh},
        {"en": read.description.en, "zh": read.description.zh},
        model,
        folder / read.calibration if read.calibration else None,
        folder / read.evaluation if read.evaluation else None,
        dict(read.shapes),
        read.reference.accuracy,
        model.stat().st_size,
    )
