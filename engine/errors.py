"""Refusals that a user reads: one sentence that names the file, layer or field, what was expected and what to do."""

from __future__ import annotations

from engine.text import Text


class MixbitError(Exception):
    """Something the user can mend. `text` is the sentence; whatever was open before stays as it was."""

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return str(self.text)


class ModelError(MixbitError):
    """The model file can't be opened or run."""


class ShapesNeededError(ModelError):
    """The model has free dimensions and nobody said what they are; see `engine.graph.read_inputs`."""


class NotRunnableError(ModelError):
    """ONNX Runtime opens the model but can't run it: its data, its bugs, or sizes of free dimensions that don't fit."""


class SizesRefusedError(NotRunnableError):
    """The model does not run at the sizes that were chosen for its free dimensions; others may do."""


class DataError(MixbitError):
    """Samples that don't fit the model, or can't be read."""


class PlanError(MixbitError):
    """A plan, scheme or preset that doesn't fit."""


class ForeignPlanError(PlanError):
    """A plan that was made for another model; what fits can be taken by the names of kernels and weights."""


class DeviceError(MixbitError):
    """A device profile with a missing or impossible field."""


class ExportError(MixbitError):
    """A file that can't be written."""


class ChangedElsewhereError(ExportError):
    """A project file is not the one that was opened: somebody else has written it since."""


class Cancelled(Exception):  # noqa: N818 - not an error: somebody asked for it
    """The work was stopped on request."""
