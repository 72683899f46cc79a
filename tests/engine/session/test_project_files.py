"""Project files that somebody else has written: what makes no sense is left out, what is no project is refused."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from driving import Driver

from engine.errors import PlanError
from engine.interop.imports import import_plan
from engine.npu import load_device, save_device
from engine.numerics.learned import fits
from engine.precision import preset
from engine.session.project import read_or_mend, read_project


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
        (b'{"format": "mixbit-project", "version": 2}', "field model is missing"),
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


EVIL = {"weights": {"bits": 4, "granularity": "channel"}, "activations": {"bits": 8}, "method": "evil"}


def spoiled(path: Path, change) -> Path:
    content = msgspec.json.decode(path.read_bytes())
    change(content)
    path.write_bytes(msgspec.json.encode(content))
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: plan["kernels"][0].update(scheme="int5"),
        lambda plan: plan["kernels"][0].update(scheme=EVIL),
        lambda plan: plan["model"].update(sha256="0" * 64),
        lambda plan: plan.update(kernels="none"),
        lambda plan: plan.pop("model"),
        lambda plan: plan.update(version=99),
        lambda plan: plan["kernels"][0].update(scheme={**EVIL, "method": "rtn", "colour": 1}),
    ],
)
def test_a_kept_plan_that_cannot_be_used_is_left_out_and_the_rest_opens(tmp_path, cnn_path, change):
    path = tmp_path / "p.mixbit"
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        for name in ("first", "bad", "last"):
            session.keep_plan(name)
        session.save_project(path)
        spoiled(path, lambda project: change(project["kept"][1]["plan"]))
        session.open_project(path)
        driver.settle()
        assert driver.errors() == []
        assert session.project_path == path
        assert [kept.name for kept in session.kept.plans] == ["first", "last"]
        assert sum("Kept plan bad is left out." in str(entry.text) for entry in session.log) == 1


@pytest.mark.parametrize("entry", [5, None, [], {"name": "bad"}, {"name": 7, "plan": {}}, {"name": "bad", "plan": 1}])
def test_what_is_no_kept_plan_at_all_is_left_out_and_the_project_opens(tmp_path, cnn_path, entry):
    path = tmp_path / "p.mixbit"
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        session.keep_plan("first")
        session.keep_plan("last")
        spoiled(session.save_project(path) or path, lambda project: project["kept"].insert(1, entry))
        session.open_project(path)
        driver.settle()
        assert driver.errors() == []
        assert [kept.name for kept in session.kept.plans] == ["first", "last"]
        name = "bad" if isinstance(entry, dict) and entry["name"] == "bad" else "2"
        assert sum(f"Kept plan {name} is left out." in str(e.text) for e in session.log) == 1


def with_method(plan: dict, layer: str, method: str) -> None:
    entry = next(entry for entry in plan["kernels"] if entry["name"] == layer)
    entry["scheme"] = {**EVIL, "method": method}


@pytest.mark.parametrize("method", ["evil", "gptq"])
def test_a_weight_method_that_cannot_be_used_is_refused_and_changes_nothing(tmp_path, cnn_path, method):
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        session.apply_preset("int8")
        session.keep_plan("kept")
        driver.settle()
        network = session.network
        layer = next(k.name for k in network.tunable if method == "evil" or not fits(network, k, method))
        session.export_kept("kept", tmp_path / "plan.json")
        session.save_project(tmp_path / "p.mixbit")
        before = (session.plan, session.history, session.network)
        spoiled(tmp_path / "plan.json", lambda plan: with_method(plan, layer, method))
        with pytest.raises(PlanError, match=rf"plan\.json: layer {layer} .*'{method}'"):
            session.import_plan(tmp_path / "plan.json")
        with pytest.raises(PlanError, match=layer):
            import_plan(tmp_path / "plan.json", session.network, session.plan)
        spoiled(tmp_path / "p.mixbit", lambda project: with_method(project["plan"], layer, method))
        session.open_project(tmp_path / "p.mixbit")
        driver.settle()
        assert f"p.mixbit: layer {layer} can't be rounded by the weight method '{method}'" in driver.errors()[-1]
        assert (session.plan, session.history, session.network) == before
        assert not session.staleness.stale


def test_locked_layers_hold_against_a_plan_file(tmp_path, cnn_path):
    with window(tmp_path) as driver:
        session = driver.open(cnn_path)
        session.apply_preset("int4")
        session.keep_plan("int4")
        session.export_kept("int4", tmp_path / "plan.json")
        session.apply_preset("int8")
        first = session.network.tunable[0].id
        session.set_locked([first], True)
        before, wanted = session.plan, session.kept.find("int4").plan
        session.import_plan(tmp_path / "plan.json")
        assert session.plan == wanted.with_schemes({first: before.scheme(first)})
        assert "1 locked layer keeps its precision." in [str(entry.text) for entry in session.log]


def saved_with_plans(driver, cnn_path: Path, path: Path) -> bytes:
    session = driver.open(cnn_path)
    kernel = session.network.tunable[0].id
    session.set_note(kernel, 'a "note"\n  "kept": [')
    session.set_locked([kernel], True)
    for name in ("first", 'b"ad\n    {', "last"):
        session.keep_plan(name)
    session.save_project(path)
    return path.read_bytes()


def test_broken_json_inside_a_kept_plan_costs_that_plan_alone(tmp_path, cnn_path):
    path = tmp_path / "p.mixbit"
    with window(tmp_path) as driver:
        whole = saved_with_plans(driver, cnn_path, path)
        second = whole.index(b'"name": "b\\"ad')
        at = whole.index(b'"scheme": ', second) + 3
        for damage in (b"\x00\x00\xff", b"\n    {\n", b'"scheme": }'):
            path.write_bytes(whole[:at] + damage + whole[at + 9 :])
            project, lost = read_or_mend(path)
            assert lost is not None
            kept, dropped = project.kept_plans(driver.session.network)
            assert ([entry.name for entry in kept], len(dropped) > 0) == (["first", "last"], True)
        session = driver.session
        session.open_project(path)
        driver.settle()
        assert driver.errors() == []
        assert session.project_path == path
        assert [kept.name for kept in session.kept.plans] == ["first", "last"]
        assert session.locked == {session.network.tunable[0].id}
        assert session.notes
        said = [str(entry.text) for entry in session.log if entry.level == "warning"]
        assert sum('Kept plan b"ad' in text for text in said) == 1
        assert sum(text.startswith(f"{path} is damaged; what can be read of it is opened") for text in said) == 1
        session.save_project()
        assert read_or_mend(path)[1] is None


def test_a_project_that_was_cut_off_opens_with_what_is_whole_or_says_why_not(tmp_path, cnn_path):
    path = tmp_path / "p.mixbit"
    with window(tmp_path) as driver:
        whole = saved_with_plans(driver, cnn_path, path)
        plan = driver.session.plan
    network = driver.session.network
    opened, refused = [], []
    for length in range(0, len(whole) - 2, 7):
        path.write_bytes(whole[:length])
        try:
            project, lost = read_or_mend(path)
        except PlanError as error:
            refused.append((length, "is not a Mixbit project" in str(error)))
            continue
        assert lost is not None
        document = project.document(network)
        assert document.plan == plan
        opened.append((len(document.locked), len(document.notes), len(document.kept)))
    assert opened == sorted(opened)  # the more is there, the more is read
    assert opened[0] == (0, 0, 0)
    assert opened[-1] in ((1, 1, 2), (1, 1, 3))
    assert all(named for _, named in refused)
    assert max(refused)[0] < len(whole) - 7 * len(opened)  # whatever is cut off behind the plan opens
    assert whole.index(b'"plan": ') < len(whole) - 7 * len(opened) < whole.index(b'\n  "locked"') + 14
