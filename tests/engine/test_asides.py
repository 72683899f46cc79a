"""What a killed process leaves half written is swept, and nothing that anybody still writes or owns."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from driving import Driver
from small_models import small_cnn

from engine.asides import BESIDE, aside_in, scratch, sweep
from engine.errors import DataError
from engine.numerics.buffers import Store, on_disk

ROOT = Path(__file__).parents[2]
MANY_S = 60


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def killed(tmp_path, work):
    """Run some lines until they say that they are there, and kill the process."""
    program = f"import sys, time\nfrom pathlib import Path\n{work}\nprint('there', flush=True)\ntime.sleep({MANY_S})\n"
    command = [sys.executable, "-c", program, str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as child:
        assert child.stdout.readline() == "there\n"
        yield child
        child.send_signal(signal.SIGKILL)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_folders_of_a_killed_process_go_and_those_of_a_living_one_stay(tmp_path, temporary):
    work = """
from engine.asides import aside_in, scratch
from engine.files import written_aside
target = Path(sys.argv[1])
writing = written_aside(target / "big.bin")
writing.__enter__().write_bytes(bytes(1000))
left, temporary = aside_in(target), scratch()
(temporary.path / "data.bin").write_bytes(bytes(1000))
"""
    for _ in killed(tmp_path, work):
        before = names(tmp_path), names(temporary)
        assert [len(found) for found in before] == [3, 1]
        sweep([tmp_path])
        assert (names(tmp_path), names(temporary)) == before  # it lives
    sweep([tmp_path])
    assert (names(tmp_path), names(temporary)) == (["tmp"], [])


def test_activations_on_disk_are_gone_with_the_process(temporary, tmp_path):
    work = """
from engine.numerics.buffers import Store
slab = Store(0)._slab(1 << 20)
slab[:] = 1
"""
    for _ in killed(tmp_path, work):
        pass
    assert names(temporary) == []


def test_nothing_is_swept_that_others_own(tmp_path, temporary):
    old = time.time() - 3600
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "data").write_bytes(b"mine")
    (tmp_path / ".mixbit-link.part").symlink_to(precious)
    (tmp_path / ".mixbit-file.part").write_bytes(b"mine")
    for name in ("mixbit-mine", "mixbit-young", "mixbit-empty"):
        (temporary / name).mkdir()
    (temporary / "mixbit-mine" / "data").write_bytes(b"mine")
    for name in ("mixbit-mine", "mixbit-empty"):
        os.utime(temporary / name, (old, old))
    sweep([tmp_path, tmp_path / "nowhere", Path("a\0b")])
    assert names(temporary) == ["mixbit-mine", "mixbit-young"]
    assert names(tmp_path) == [".mixbit-file.part", ".mixbit-link.part", "precious", "tmp"]
    assert names(precious) == ["data"]


def test_a_folder_aside_goes_with_its_content_and_twice_does_no_harm(tmp_path):
    with aside_in(tmp_path) as folder:
        assert folder.name.startswith(BESIDE[0])
        (folder / "deep").mkdir()
        (folder / "deep" / "file").write_bytes(b"x")
    assert names(tmp_path) == ["tmp"]
    held = scratch()
    held.close()
    held.close()
    assert not held.path.exists()


def test_a_full_temporary_disk_is_a_sentence_and_no_crash(monkeypatch):
    def full(handle, start, size):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(DataError, match="no room for 4096 bytes"):
        on_disk(4096)
    with pytest.raises(DataError):
        Store(0)._slab(4096)


@pytest.mark.parametrize(("kind", "name"), [("qdq", "out.onnx"), ("report", "out.html")])
def test_an_export_sweeps_what_the_last_one_left(tmp_path, kind, name):
    for _ in killed(tmp_path, "from engine.asides import aside_in\nleft = aside_in(Path(sys.argv[1]))"):
        pass
    driver = Driver(tmp_path)
    session = driver.open(small_cnn(tmp_path / "net.onnx"))
    driver.settle()
    session.export(kind, tmp_path / name)
    driver.settle()
    assert driver.errors() == []
    session.close()
    assert not any(name.startswith(BESIDE[0]) for name in names(tmp_path))
