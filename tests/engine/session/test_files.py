"""Writing: only an ordinary file is ever replaced, and a refusal is one sentence."""

from __future__ import annotations

import os

import pytest

from engine.errors import ExportError
from engine.files import write_atomically


def test_an_ordinary_file_is_replaced_and_nothing_is_left_beside(tmp_path):
    target = tmp_path / "a.json"
    target.write_bytes(b"old")
    write_atomically(target, b"new")
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_pipes_links_and_folders_are_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "kept").write_bytes(b"kept")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.iterdir())
    for name in ("pipe", "link", "dangling", "folder"):
        with pytest.raises(ExportError, match="no ordinary file"):
            write_atomically(tmp_path / name, b"new")
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "kept").read_bytes() == b"kept"


def test_a_long_name_is_written_and_a_too_long_one_refused(tmp_path):
    write_atomically(tmp_path / ("n" * 250), b"x")
    with pytest.raises(ExportError, match="can't be written"):
        write_atomically(tmp_path / ("n" * 300), b"x")
