"""A function of the user's own as the figure of an exact sweep.

Nobody knows whether more or less of it is better, nor where it saturates. What a sweep ranks by is how far the figure
moves away from its value in full precision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from engine.errors import DataError
from engine.graph.types import Array
from engine.numerics import Evaluator
from engine.numerics.user_metric import MetricProcess, UserMetric
from engine.precision.plan import Plan
from engine.progress import NEVER, CancelToken
from engine.text import say

Outputs = Sequence[dict[str, Array]]
"""The model's outputs by name, for each sample."""


class OwnFigure:
    """Asks the function about one plan after the other, in one process. From one thread at a time."""

    def __init__(self, metric: UserMetric, evaluator: Evaluator) -> None:
        """Take a function; nothing runs yet.

        Args:
            metric: The function.
            evaluator: Whose reference outputs and labels it gets. Its current values are overwritten.

        Raises:
            DataError: If the file is gone.
        """
        self.metric, self._evaluator = metric, evaluator
        self.key = _digest(metric)
        """Equal for equal functions: same file content, same name."""
        self._process: MetricProcess | None = None
        self._reference: float | None = None

    @property
    def reference(self) -> float | None:
        """Its value in full precision, once it has been asked for."""
        return self._reference

    def change(self, outputs: Outputs, *, cancel: CancelToken = NEVER) -> float:
        """Its value for some outputs, less its value in full precision.

        Raises:
            DataError: If the function fails, as a sentence.
            Cancelled: If asked to stop.
        """
        if self._process is None:
            references = self._evaluator.output(Plan(), cancel=cancel)
            self._process = MetricProcess(self.metric, references, self._evaluator.samples.labels)
            self._reference = self._process.figures([references], cancel=cancel)[0]
        assert self._reference is not None
        return self._process.figures([outputs], cancel=cancel)[0] - self._reference

    def close(self) -> None:
        """End its process."""
        process, self._process = self._process, None
        if process is not None:
            process.close()


def _digest(metric: UserMetric) -> str:
    try:
        content = metric.path.read_bytes()
    except OSError as error:
        raise DataError(
            say("{path} can't be read ({reason}).", path=metric.path, reason=error.strerror or error)
        ) from error
    return hashlib.blake2b(content + b"\0" + metric.function.encode(), digest_size=16).hexdigest()
