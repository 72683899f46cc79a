"""What is not saved outlives the process, is offered and never taken by itself, and two windows spare each other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from driving import Driver

from engine.asides import sweep
from engine.errors import ChangedElsewhereError, ExportError, PlanError
from engine.precision import INT4, INT8, preset
from engine.session.claim import claim, recoveries
from engine.session.project import read_project
from engine.session.state import Budgets

ROOT = Path(__file__).parents[3]
CHILD = ROOT / "tests" / "helpers" / "working_session.py"
MANY_S = 60
"""Longer than anything takes on a busy machine."""


@contextmanager
def window(folder: Path):
    driver = Driver(folder, recovery=True)
    try:
        yield driver
    finally:
        driver.session.close()


def crash(driver: Driver) -> None:
    """End a session as a crash does: nothing is saved, nothing tidied, the system takes the locks back."""
    assert driver.session.flush()
    autosave = driver.session._safe._autosave
    autosave.forget = lambda: None
    driver.session.close()


def until(what, *args):
    end = time.monotonic() + MANY_S
    while not (found := what(*args)):
        assert time.monotonic() < end, what
        time.sleep(0.01)
    return found


def written_plan(folder: Path) -> int:
    """How many kernels the unsaved work has in INT4."""
    for note in folder.glob("*.json"):
        try:
            work = msgspec.json.decode(note.read_bytes())["work"]
            project = msgspec.json.decode(Path(work).read_bytes())
        except (OSError, msgspec.DecodeError):
            continue
        return sum(entry["scheme"] == "int4" for entry in project["plan"]["kernels"])
    return 0


def start_child(folder: Path, model: Path, phase: str) -> subprocess.Popen:
    command = [sys.executable, str(CHILD), str(folder), str(model), phase]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env, start_new_session=True)


def kill(child: subprocess.Popen) -> None:
    os.killpg(child.pid, signal.SIGKILL)
    child.wait(MANY_S)
    child.stdout.close()


@pytest.mark.parametrize("phase", ["open", "evaluate", "sweep", "export"])
def test_a_killed_process_loses_nothing_whatever_it_was_doing(tmp_path, cnn_path, phase):
    child = start_child(tmp_path, cnn_path, phase)
    edits = 3 if phase == "open" else 1
    try:
        while child.stdout.readline().split() != ["in", phase]:
            assert child.poll() is None
        until(lambda: written_plan(tmp_path / "recovery") == edits)
    finally:
        kill(child)
    with window(tmp_path) as driver:
        session = driver.session
        assert session.network is None  # offered, never loaded by itself
        (offered,) = session.recoveries
        assert offered.name == cnn_path.name
        session.recover(offered)
        driver.settle()
        assert driver.errors() == []
        chosen = [k.id for k in session.network.tunable if session.plan[k.id] == INT4]
        assert chosen == [k.id for k in session.network.tunable[:edits]]
        assert session.modified
        assert session.recoveries == ()
    assert recoveries(tmp_path / "recovery") == ()
    assert list((tmp_path / "recovery").iterdir()) == []


def test_a_process_killed_while_it_saves_leaves_a_whole_project_and_the_edits_since(tmp_path, cnn_path):
    child = start_child(tmp_path, cnn_path, "save")
    try:
        for _ in range(40):
            child.stdout.readline()
    finally:
        kill(child)
    project = read_project(tmp_path / "work.mixbit")
    assert project.notes  # one of the last turns, whole
    sweep([tmp_path, tmp_path / "recovery"])
    assert [p.name for folder in (tmp_path, tmp_path / "recovery") for p in folder.glob(".*.part")] == []
    saved = int(next(iter(project.notes.values())).split()[1])
    with window(tmp_path) as driver:
        for offered in driver.session.recoveries:
            unsaved = int(next(iter(read_project(Path(offered.about.work)).notes.values())).split()[1])
            assert unsaved in (saved, saved + 1)
            driver.session.recover(offered)
            driver.settle()
            assert driver.errors() == []
            assert driver.session.project_path == tmp_path / "work.mixbit"


def test_everything_a_project_keeps_counts_as_an_edit(tmp_path, cnn_path):
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        kernel = session.network.tunable[0].id
        assert not session.modified
        edits = [
            (lambda: session.set_budgets(Budgets(min_sqnr_db=33.0)), lambda: session.set_budgets(Budgets())),
            (lambda: session.set_device("ascend310b1"), lambda: session.set_device("kirin9030")),
            (lambda: session.set_locked([kernel], True), lambda: session.set_locked([kernel], False)),
            (lambda: session.set_note(kernel, "why"), lambda: session.set_note(kernel, "")),
            (lambda: session.keep_plan("one"), lambda: session.kept.delete("one")),
            (lambda: session.set_scheme([kernel], INT8), lambda: session.undo()),
            (lambda: session.set_rules("cloud"), lambda: session.set_rules("edge")),
            (lambda: session.set_data(None, None, "percentile"), lambda: session.set_data(None, None, "minmax")),
        ]
        for there, back in edits:
            there()
            driver.settle()
            assert session.modified, there
            back()
            driver.settle()
            assert not session.modified, back
        session.save_project(tmp_path / "work.mixbit")
        assert not session.modified
        session.flush()
        assert list((tmp_path / "recovery").glob("*.json")) == []


def test_saved_and_given_up_work_is_not_offered(tmp_path, cnn_path):
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        session.apply_preset("int8")
        assert session.flush()
        session.save_project(tmp_path / "work.mixbit")
        session.apply_preset("int4")
        assert session.flush()
        (beside,) = tmp_path.glob(".work.mixbit.*.autosave")
        assert read_project(beside).model_path == cnn_path
        with window(tmp_path) as other:
            assert other.session.recoveries == ()  # its window lives
    assert not beside.exists()  # closed on purpose
    assert recoveries(tmp_path / "recovery") == ()


def test_recovered_work_of_a_project_is_saved_to_it(tmp_path, cnn_path):
    driver = Driver(tmp_path, recovery=True)
    session = driver.open(cnn_path)
    session.save_project(tmp_path / "work.mixbit")
    session.apply_preset("int8")
    crash(driver)
    with window(tmp_path) as again:
        session = again.session
        (offered,) = session.recoveries
        assert (offered.name, offered.about.project) == ("work.mixbit", str(tmp_path / "work.mixbit"))
        session.recover(offered)
        again.settle()
        assert session.project_path == tmp_path / "work.mixbit"
        assert session.plan == preset(session.network, "int8")
        session.save_project()
        assert not session.modified
    assert [p.name for p in tmp_path.glob(".work*")] == []


def test_recovered_work_that_is_neither_saved_nor_given_up_is_offered_again(tmp_path, cnn_path):
    for _ in range(2):
        driver = Driver(tmp_path, recovery=True)
        if not driver.session.recoveries:
            driver.open(cnn_path).apply_preset("int8")
        else:
            driver.session.recover(driver.session.recoveries[0])
            driver.settle()
        crash(driver)
    with window(tmp_path) as driver:
        (offered,) = driver.session.recoveries
        driver.session.discard(offered)
        assert driver.session.recoveries == ()
    assert list((tmp_path / "recovery").iterdir()) == []


def test_only_one_window_takes_unsaved_work_and_gives_it_back_if_its_model_does_not_open(tmp_path, cnn_path):
    driver = Driver(tmp_path, recovery=True)
    driver.open(cnn_path).apply_preset("int8")
    crash(driver)
    away = cnn_path.rename(tmp_path / "away.onnx")
    with window(tmp_path) as one, window(tmp_path) as two:
        (offered,) = two.session.recoveries
        one.session.recover(offered)
        with pytest.raises(PlanError, match="another window"):
            two.session.recover(offered)
        one.settle()
        assert one.errors()  # the model is gone
        away.rename(cnn_path)
        two.session.recover(offered)
        two.settle()
        assert two.errors() == []
        assert two.session.plan == preset(two.session.network, "int8")


def test_unsaved_work_stays_taken_while_a_larger_memory_limit_is_asked_for(tmp_path, cnn_path):
    driver = Driver(tmp_path, recovery=True)
    driver.open(cnn_path).apply_preset("int8")
    crash(driver)
    asked = []
    with window(tmp_path) as one, window(tmp_path) as two:
        (offered,) = two.session.recoveries
        one.session.memory_limit = 1000
        one.session.ask_memory = lambda error, answer: asked.append(answer)
        one.session.recover(offered)
        one.settle()
        asked.pop()(None)  # given up: others may have it
        two.session.memory_limit = 1000
        two.session.ask_memory = one.session.ask_memory
        two.session.recover(offered)
        two.settle()
        asked.pop()(10**9)
        with pytest.raises(PlanError, match="another window"):
            one.session.recover(offered)
        two.settle()
        with pytest.raises(PlanError, match="another window"):
            one.session.recover(offered)
        assert two.session.plan == preset(two.session.network, "int8")


def test_two_windows_on_one_project_do_not_overwrite_each_other(tmp_path, cnn_path):
    project = tmp_path / "work.mixbit"
    with window(tmp_path) as one, window(tmp_path) as two:
        one.open(cnn_path)
        one.session.save_project(project)
        two.session.open_project(project)
        two.settle()
        one.session.apply_preset("int8")
        two.session.apply_preset("int4")
        assert one.session.flush()
        assert two.session.flush()
        assert len(list(tmp_path.glob(".work.mixbit.*.autosave"))) == 2
        one.session.save_project()
        content = project.read_bytes()
        with pytest.raises(ChangedElsewhereError, match="another window"):
            two.session.save_project()
        assert project.read_bytes() == content
        assert two.session.modified
        two.session.save_project(tmp_path / "mine.mixbit")
        assert two.session.project_path == tmp_path / "mine.mixbit"
        one.session.apply_preset("int4")
        one.session.save_project()  # its own file: nobody else has written it
        two.session.save_project(project)  # another file than its own: asked about by whoever chose it


def test_overwriting_on_purpose(tmp_path, cnn_path):
    project = tmp_path / "work.mixbit"
    with window(tmp_path) as driver:
        driver.open(cnn_path)
        driver.session.save_project(project)
        project.write_bytes(project.read_bytes() + b"\n")
        driver.session.apply_preset("int8")
        with pytest.raises(ChangedElsewhereError):
            driver.session.save_project()
        driver.session.save_project(overwrite=True)
        assert not driver.session.modified
        project.unlink()
        driver.session.apply_preset("int4")
        driver.session.save_project()  # gone: nothing to lose
        assert project.exists()


def test_a_folder_that_cannot_be_written_is_told_once_and_stops_nothing(tmp_path, cnn_path):
    (tmp_path / "recovery").write_bytes(b"a file where the folder should be")
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        for name in ("int8", "int4", "int8"):
            session.apply_preset(name)
            session.flush()
            driver.settle()
        told = [str(e.text) for e in session.log if e.level == "warning" and "case of a crash" in str(e.text)]
        assert len(told) == 1
        assert session.plan == preset(session.network, "int8")


def test_a_project_beside_which_nothing_can_be_written_is_kept_in_the_own_folder(tmp_path, cnn_path, monkeypatch):
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        session.save_project(tmp_path / "work.mixbit")
        import engine.session.claim as module

        write = module.write_atomically

        def full(path, data):
            if path.suffix == ".autosave":
                raise ExportError("no room")
            write(path, data)

        monkeypatch.setattr(module, "write_atomically", full)
        session.apply_preset("int8")
        assert session.flush()
        (kept,) = (tmp_path / "recovery").glob("*.mixbit")
        assert read_project(kept).plan.kernels[0].scheme == "int8"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[" * 99_999, b'{"work":"/etc/hostname","model":""}', b'{"work":"\\u0000","model":"x"}']
)
def test_broken_claims_are_tidied_away_and_touch_no_other_file(tmp_path, content):
    folder = tmp_path / "recovery"
    folder.mkdir()
    precious = tmp_path / "precious.mixbit"
    precious.write_bytes(b"mine")
    (folder / "abc.lock").touch()
    (folder / "abc.json").write_bytes(content)
    (folder / "def.lock").touch()
    (folder / "def.json").write_bytes(msgspec.json.encode({"work": str(precious), "model": "x"}))
    assert recoveries(folder) == ()
    assert precious.read_bytes() == b"mine"
    assert list(folder.glob("*.lock")) == []


def test_a_claim_is_held_against_everybody_until_it_is_released(tmp_path):
    one = claim(tmp_path)
    assert claim(tmp_path, one.token) is None
    one.release()
    two = claim(tmp_path, one.token)
    assert two is not None
    two.release()


def test_another_spelling_of_a_project_is_the_same_file(tmp_path, cnn_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    path = tmp_path / "real" / "p.mixbit"
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        session.save_project(path)
        path.write_bytes(path.read_bytes() + b"\n")  # another window
        for spelling in (tmp_path / "link" / "p.mixbit", f"{tmp_path}/real/../link/p.mixbit"):
            with pytest.raises(ChangedElsewhereError, match="another window"):
                session.save_project(spelling)
        session.save_project(tmp_path / "link" / "p.mixbit", overwrite=True)
        session.save_project(path)  # nobody else has written it since


def test_work_on_a_disk_that_is_not_connected_is_offered_once_it_is_again(tmp_path, cnn_path):
    (tmp_path / "disk").mkdir()
    driver = Driver(tmp_path, recovery=True)
    session = driver.open(cnn_path)
    session.save_project(tmp_path / "disk" / "work.mixbit")
    session.apply_preset("int8")
    crash(driver)
    away = (tmp_path / "disk").rename(tmp_path / "away")
    assert recoveries(tmp_path / "recovery") == ()
    away.rename(tmp_path / "disk")
    (offered,) = recoveries(tmp_path / "recovery")
    Path(offered.about.work).unlink()
    assert recoveries(tmp_path / "recovery") == ()
    assert list((tmp_path / "recovery").iterdir()) == []


def told(session) -> list[str]:
    return [str(entry.text) for entry in session.log if entry.told]


def test_a_project_that_another_window_has_open_is_said_at_opening(tmp_path, cnn_path):
    project = tmp_path / "work.mixbit"
    with window(tmp_path) as one:
        one.open(cnn_path)
        one.session.save_project(project)
        assert told(one.session) == []
        with window(tmp_path) as two:
            two.session.open_project(project)
            two.settle()
            assert told(two.session) == ["This project is open in another window; saving asks first."]
            two.session.set_rules("cloud")
            two.settle()
            assert len(told(two.session)) == 1, "the same project, only fused anew"
        one.session.close_model()
        with window(tmp_path) as three:
            three.session.open_project(project)
            three.settle()
            assert told(three.session) == [], "nobody else has it any more"
    assert list((tmp_path / "recovery").glob("*.open")) == []


def test_a_killed_window_has_no_project_open(tmp_path, cnn_path):
    project = tmp_path / "work.mixbit"
    child = start_child(tmp_path, cnn_path, "save")
    try:
        while child.stdout.readline().strip() != "saved":
            assert child.poll() is None
        with window(tmp_path) as driver:
            driver.session.open_project(project)
            driver.settle()
            assert len(told(driver.session)) == 1
    finally:
        kill(child)
    (left,) = (tmp_path / "recovery").glob("*.open")
    with window(tmp_path) as driver:
        driver.session.open_project(project)
        driver.settle()
        assert told(driver.session) == []
    os.utime(left, (0, 0))
    with window(tmp_path) as driver:
        driver.session.open_project(project)
        driver.settle()
    assert list((tmp_path / "recovery").glob("*.open")) == [], "and its file is tidied away in time"
