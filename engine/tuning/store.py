"""Measured figures in a file: one row as soon as it is known, so that a killed sweep goes on where it was.

A store belongs to one model. What else a figure depends on (samples, ranges, versions) is part of a row's key, so one
file serves many sweeps, and a row is used again exactly when nothing that matters has changed.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf, isnan
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from engine.errors import MixbitError
from engine.fusion.types import Network
from engine.precision.planfile import encode
from engine.precision.scheme import Scheme
from engine.text import say
from engine.version import VERSION

T = TypeVar("T")
Mode = Literal["one-in", "one-out", "plan"]
SCHEMA = 1
_SPARE = 256 << 10
"""Bytes that SQLite needs at least beside a small file."""
_APPLICATION = 0x4D584254
"""Tells this program's databases from others (SQLite's application_id)."""
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE cells (
    context TEXT NOT NULL, mode TEXT NOT NULL, base TEXT NOT NULL, kernel TEXT NOT NULL, scheme TEXT NOT NULL,
    sqnr_db REAL, logits_db REAL, kl REAL, cosine REAL, mse REAL, max_abs REAL, top1 REAL, top5 REAL, accuracy REAL,
    seconds REAL NOT NULL, finished REAL NOT NULL,
    PRIMARY KEY (context, mode, base, kernel, scheme)
) WITHOUT ROWID;
"""


_OWN_TABLE = """
CREATE TABLE IF NOT EXISTS own (
    context TEXT NOT NULL, mode TEXT NOT NULL, base TEXT NOT NULL, kernel TEXT NOT NULL, scheme TEXT NOT NULL,
    metric TEXT NOT NULL, change REAL NOT NULL,
    PRIMARY KEY (context, mode, base, kernel, scheme, metric)
) WITHOUT ROWID
"""
"""Figures of functions of the user's own; stores of older versions get the table when they are opened."""


class StoreError(MixbitError):
    """A result store that can't be used, or written to."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Output figures of one measured plan; None where a figure has no meaning or was not asked for."""

    sqnr_db: float
    logits_db: float | None
    kl: float | None
    cosine: float
    mse: float
    max_abs: float
    top1: float | None
    top5: float | None
    accuracy: float | None
    seconds: float
    own: float | None = None
    """What a function of the user's own gives, less what it gives in full precision."""


@dataclass(frozen=True, slots=True)
class Row:
    """A stored cell."""

    mode: Mode
    base: str
    kernel: str
    scheme: Scheme
    figures: Figures


_COLUMNS = tuple(name for name in Figures.__dataclass_fields__ if name != "own")
_FIGURES = ", ".join(_COLUMNS)
_WHERE = "context = ? AND mode = ? AND base = ? AND kernel = ? AND scheme = ?"


class ResultStore:
    """An open store. Safe to use from several threads."""

    def __init__(self, path: Path, network: Network) -> None:
        """Open or create a store.

        Args:
            path: The file.
            network: Whose figures it holds.

        Raises:
            StoreError: If it belongs to another model or version, is no store, or can't be opened.
        """
        self.path = path
        self._lock = threading.Lock()
        if path.exists() and not path.is_file():  # the database would put files beside a device
            raise StoreError(say("{path} is no ordinary file; choose another place.", path=path))
        try:
            self._base = sqlite3.connect(path, timeout=5.0, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise StoreError(
                say("{path} can't be opened ({reason}); choose another place.", path=path, reason=error)
            ) from error
        try:
            self._guarded(lambda: self._begin(network))
        except BaseException:
            self._base.close()
            raise

    def get(self, context: str, mode: Mode, base: str, kernel: str, scheme: Scheme, own: str = "") -> Figures | None:
        """A cell, if it has been measured.

        Args:
            context: `context_of` what it was measured with.
            mode: Kind of sweep.
            base: `plan_digest` of the plan around it.
            kernel: Kernel id.
            scheme: Its scheme.
            own: Digest of a function of the user's own: a cell without its figure is not known.

        Raises:
            StoreError: If the file can't be read.
        """
        key = context, mode, base, kernel, _name(scheme)
        rows = self._guarded(
            lambda: self._base.execute(f"SELECT {_FIGURES} FROM cells WHERE {_WHERE}", key).fetchall()
        )  # fmt: skip
        if not rows or not own:
            return None if not rows else _figures(rows[0])
        query = f"SELECT change FROM own WHERE {_WHERE} AND metric = ?"
        found = self._guarded(lambda: self._base.execute(query, (*key, own)).fetchall())
        return None if not found else replace(_figures(rows[0]), own=found[0][0])

    def put(
        self, context: str, mode: Mode, base: str, kernel: str, scheme: Scheme, figures: Figures, own: str = ""
    ) -> None:
        """Enter a cell; it is in the file when this returns. `own` is the digest of the function behind `figures.own`.

        Raises:
            StoreError: If the disk is full or the file can't be written; what is there stays.
        """
        numbers = [getattr(figures, name) for name in _COLUMNS]
        numbers = [None if value is not None and isnan(value) else value for value in numbers]
        key = context, mode, base, kernel, _name(scheme)
        row = [*key, *numbers, time.time()]
        places = ", ".join("?" * len(row))
        names = f"context, mode, base, kernel, scheme, {_FIGURES}, finished"
        if own and figures.own is not None:  # first: a cell that is there is whole
            own_row = (*key, own, figures.own)
            self._guarded(
                lambda: self._base.execute("INSERT OR REPLACE INTO own VALUES (?, ?, ?, ?, ?, ?, ?)", own_row)
            )
        self._guarded(lambda: self._base.execute(f"INSERT OR REPLACE INTO cells ({names}) VALUES ({places})", row))

    def rows(self, context: str, own: str = "") -> Iterator[Row]:
        """All cells measured in a context, oldest first; with the figure of a function of the user's own, if known.

        Raises:
            StoreError: If the file can't be read.
        """
        query = "SELECT mode, base, kernel, scheme, change FROM own WHERE context = ? AND metric = ?"
        changes = {} if not own else {
            tuple(key): change
            for *key, change in self._guarded(lambda: self._base.execute(query, (context, own)).fetchall())
        }  # fmt: skip
        cells = f"SELECT mode, base, kernel, scheme, {_FIGURES} FROM cells WHERE context = ? ORDER BY finished"
        for mode, base, kernel, scheme, *numbers in self._guarded(
            lambda: self._base.execute(cells, (context,)).fetchall()
        ):
            figures = replace(_figures(tuple(numbers)), own=changes.get((mode, base, kernel, scheme)))
            yield Row(mode, base, kernel, _scheme(scheme, self.path), figures)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._base.close()

    def _begin(self, network: Network) -> None:
        base = self._base
        # In this order: what another window makes between the two is a store, not a foreign file.
        empty = not base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        application = base.execute("PRAGMA application_id").fetchone()[0]
        if application != _APPLICATION and not empty:
            raise StoreError(say("{path} is no result store; choose another file.", path=self.path))
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = NORMAL")
        if empty:
            self._create(network)
        meta = dict(base.execute("SELECT key, value FROM meta").fetchall())
        if meta.get("schema") != str(SCHEMA):
            raise StoreError(
                say(
                    "{path} was written by Mixbit {theirs} in another format than this version ({ours}) uses; "
                    "choose another file.",
                    path=self.path,
                    theirs=meta.get("mixbit", "?"),
                    ours=VERSION,
                )
            )
        if meta.get("sha256") != network.graph.sha256:
            raise StoreError(
                say(
                    "{path} holds results of another model ({model}); choose another file.",
                    path=self.path,
                    model=meta.get("model", "?"),
                )
            )
        base.execute(_OWN_TABLE)

    def _create(self, network: Network) -> None:
        """Make the tables, unless another program that found the file empty as well was first."""
        base = self._base
        base.execute("BEGIN IMMEDIATE")
        if base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            base.execute("ROLLBACK")
            return
        for statement in _TABLES.split(";"):
            base.execute(statement)
        facts = {
            "schema": str(SCHEMA),
            "mixbit": VERSION,
            "model": network.graph.path.name,
            "sha256": network.graph.sha256,
        }
        base.execute(_OWN_TABLE)
        base.executemany("INSERT INTO meta VALUES (?, ?)", facts.items())
        base.execute(f"PRAGMA application_id = {_APPLICATION}")
        base.execute("COMMIT")

    def _guarded(self, work: Callable[[], T]) -> T:
        with self._lock, _explained(self.path):
            return work()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn SQLite's complaints into sentences."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says more than a sentence needs
        # A full disk shows as a failed write of SQLite's own side files, too.
        if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _full(path)):
            text = say("The disk of {path} is full; free some space and go on: results so far are kept.", path=path)
        elif code == sqlite3.SQLITE_NOTADB:
            text = say("{path} is no result store; choose another file.", path=path)
        elif code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            text = say("{path} is in use by another program; close that or choose another file.", path=path)
        else:
            text = say("{path} can't be used ({reason}); choose another file.", path=path, reason=error)
        raise StoreError(text) from error


def _full(path: Path) -> bool:
    """Whether the disk has no room for a few pages more."""
    try:
        return shutil.disk_usage(path.parent).free < _SPARE
    except OSError:
        return False


def _name(scheme: Scheme) -> str:
    """Written out, not by a preset's name: what a name stands for may change."""
    return encode(scheme).decode()


def _scheme(text: str, path: Path) -> Scheme:
    try:
        return msgspec.json.decode(text.encode(), type=Scheme)
    except msgspec.MsgspecError as error:
        raise StoreError(say("{path} holds a scheme that can't be read; choose another file.", path=path)) from error


def _figures(row: tuple[float | None, ...]) -> Figures:
    """Rows hold NULL for NaN, which only required figures can have been: they count as lost."""
    values = dict(zip(_COLUMNS, row, strict=True))
    for name, worst in (("sqnr_db", -inf), ("cosine", 0.0), ("mse", inf), ("max_abs", inf), ("seconds", 0.0)):
        if values[name] is None:
            values[name] = worst
    return Figures(**values)  # type: ignore[arg-type]
