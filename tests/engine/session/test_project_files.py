"""Project files that somebody else has written: what makes no sense is left out, what is no project is refused."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from driving import Driver

from engine.errors import PlanError
from engine.npu import load_device, save_device
from engine.precision import preset
from engine.session.project import read_project


@contextmanager
def window(folder: Path):
    driver = Driver(folder)
    try:
        yield driver
    finally:
        driver.session.close()


def spoil(project: dict) -> None:
    """Put nonsense into every value that can hold some."""
    project["scenario"].update(minutes=1e300, runs_per_second=-1.0, ambient_c=1e9)
    project["budgets"].update(min_sqnr_db=-1e300, max_peak_bytes=-(2**62), max_latency_us=1500.0)
    project.update(observer="crystal ball")
    project["locked"] += ["nobody", "", "x" * 10_000]
    project["notes"].update({"nobody": "lost", "": "lost"})
    kept = project["kept"][0]
    project["kept"] += [{**kept, "name": "x" * 10_000}, {**kept, "name": ""}, *([kept] * 500)]
    project.update(view={"layout": [{}], "docks": {"layers": {"widths": {"name": 10**12}}, "log": 3}})


@pytest.mark.parametrize("device", ["kirin9030", "no such device", "gone/device.json", "x" * 9000])
def test_values_that_make_no_sense_are_left_out_and_all_others_taken(tmp_path, cnn_path, device):
    path = tmp_path / "work.mixbit"
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        first, second = (k.id for k in session.network.tunable[:2])
        session.set_note(first, "first")
        session.set_locked([second], True)
        session.apply_preset("int8")
        session.keep_plan("kept")
        session.save_project(path)
        content = msgspec.json.decode(path.read_bytes())
        spoil(content)
        content["device"] = device
        path.write_bytes(msgspec.json.encode(content))
        session.open_project(path)
        driver.settle()
        assert driver.errors() == []
        assert session.plan == preset(session.network, "int8").with_schemes({second: session.plan[second]})
        assert (session.scenario.minutes, session.scenario.ambient_c) == (30.0, 25.0)
        assert session.budgets.min_sqnr_db == 20.0
        assert session.budgets.max_peak_bytes is None
        assert session.budgets.max_latency_us == 1500.0
        assert (session.locked, session.notes) == ({second}, {first: "first"})
        names = [kept.name for kept in session.kept.plans]
        assert names[0] == "kept"
        assert len(set(names)) == len(names) == 64
        assert session.device.name == "kirin9030"
        assert any("kirin9030 is simulated instead" in str(e.text) for e in session.log) == (device != "kirin9030")
        session.save_project()
        assert read_project(path).device == "kirin9030"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is not a Mixbit project"),
        (b'{"view": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"format": "mixbit-project", "version": 99, "from": "the future"}', "newer Mixbit"),
        (b'{"format": "mixbit-project", "version": 2}', "missing required field"),
        (b'{"format": "mixbit-plan", "version": 1}', "is not a Mixbit project"),
        (b"\xff\xfe", "is not a Mixbit project"),
    ],
)
def test_other_files_are_no_projects(tmp_path, content, sentence):
    path = tmp_path / "work.mixbit"
    path.write_bytes(content)
    with pytest.raises(PlanError, match=sentence):
        read_project(path)
    for odd in (tmp_path / "missing.mixbit", tmp_path, tmp_path / ("x" * 5000), Path("nul\0.mixbit")):
        with pytest.raises(PlanError, match="can't be read"):
            read_project(odd)


def test_a_device_file_is_found_again_wherever_the_program_runs(tmp_path, cnn_path, monkeypatch):
    (tmp_path / "devices").mkdir()
    save_device(load_device("kirin9030").edited({"core.clock": 700.0}, name="mine"), tmp_path / "devices" / "mine.json")
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        monkeypatch.chdir(tmp_path)
        session.set_device("devices/mine.json")
        session.save_project(tmp_path / "work.mixbit")
        monkeypatch.chdir("/")
        session.set_device("kirin9030")
        session.open_project(tmp_path / "work.mixbit")
        driver.settle()
        assert session.device.number("core.clock") == 700.0
        assert not session.modified


@pytest.mark.parametrize("content", [b"[" * 99_999, b'["\\u0000", "' + b"x" * 9000 + b'", ""]', b"{}", b"\xff"])
def test_a_broken_list_of_recent_files_troubles_nobody(tmp_path, cnn_path, content):
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "recent.json").write_bytes(content)
    with window(tmp_path) as driver:
        assert driver.session.recent == []
        driver.open(cnn_path)
        assert driver.session.recent == [cnn_path]
