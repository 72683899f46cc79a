"""Jobs as rows: what runs, how far it is, and what has become of the others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.jobs import Job
from gui import format as form
from gui.i18n import text as translated

translate = QCoreApplication.translate

Index = QModelIndex | QPersistentModelIndex
WORTH_S = 0.5
"""Finished previews and other queries that took less are not listed."""
_ROOT = QModelIndex()


def listed(jobs: Sequence[Job]) -> list[Job]:
    """Jobs worth a row: running ones first, then the newest."""
    worth = [
        job for job in jobs if job.active or job.state == "failed" or job.lane != "query" or job.seconds >= WORTH_S
    ]
    return sorted(worth, key=lambda job: (not job.active, -job.id))


def state_words(job: Job) -> str:
    """How it stands: "queued", "0:07 left", "41 ms"."""
    if job.state == "queued":
        return translate("Jobs", "queued")
    if job.state == "cancelled":
        return translate("Jobs", "cancelled")
    if job.state == "failed":
        return translate("Jobs", "failed after {0}").format(form.job_time(job.seconds))
    if job.state == "done":
        return form.job_time(job.seconds)
    if job.token.cancelled:
        return translate("Jobs", "stopping")
    if job.paused:
        return translate("Jobs", "paused after {0}").format(form.job_time(job.seconds))
    left = form.time_left(job.seconds_left)
    return translate("Jobs", "{0} left").format(left) if left else form.job_time(job.seconds)


def detail_words(job: Job) -> str:
    """Second line: what it is doing, or why it failed."""
    if job.error is not None:
        return translated(job.error)
    return translated(job.message) if job.active and job.message is not None else ""


class JobsModel(QAbstractListModel):
    """Rows of jobs; `poll` repaints those whose figures move."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.jobs: list[Job] = []
        self._moving = 0

    def show(self, jobs: Sequence[Job]) -> None:
        """Take over another history."""
        found = listed(jobs)
        if [job.id for job in found] != [job.id for job in self.jobs] or any(
            a is not b for a, b in zip(found, self.jobs, strict=True)
        ):
            self.beginResetModel()
            self.jobs = found
            self.endResetModel()
        else:
            self.poll()

    def poll(self) -> None:
        """Progress has moved: running jobs come first, so it is one stretch, with those that have just ended."""
        moving = sum(job.active for job in self.jobs)
        for row in range(max(moving, self._moving)):
            self.dataChanged.emit(self.index(row), self.index(row))
        self._moving = moving

    def rowCount(self, parent: Index = _ROOT) -> int:
        """One row per job."""
        return 0 if parent.isValid() else len(self.jobs)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Title; state and detail for tooltips and screen readers."""
        if not index.isValid() or index.row() >= len(self.jobs):
            return None
        job = self.jobs[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return translated(job.title)
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(part for part in (translated(job.title), detail_words(job)) if part)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{translated(job.title)}, {state_words(job)}. {detail_words(job)}"
        return None
