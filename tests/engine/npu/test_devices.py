"""Device profiles: what ships is whole, what is broken is refused with file and field."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.errors import DeviceError, ExportError
from engine.npu import list_devices, load_device, save_device
from engine.npu.fields import FIELDS

NAMES = [info.name for info in list_devices()]


def edited(tmp_path: Path, change: Any, name: str = "kirin9030") -> Path:
    document = json.loads(next(i.path for i in list_devices() if i.name == name).read_text(encoding="utf-8"))
    change(document)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_two_families_ship():
    assert {"kirin9030", "ascend310b1"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_value_has_unit_and_origin(name):
    device = load_device(name)
    assert set(device.values) == {field.key for field in FIELDS}
    for field in FIELDS:
        quantity = device.values[field.key]
        assert quantity.unit == field.unit
        assert quantity.origin in ("vendor", "measured", "fitted", "assumed")
    assert device.name == name
    assert all(refusal.reason.endswith(".") for refusal in device.refusals)


@pytest.mark.parametrize("name", NAMES)
def test_written_and_read_again_is_the_same(name, tmp_path):
    device = load_device(name)
    path = tmp_path / "copy.json"
    save_device(device, path)
    again = load_device(path)
    assert dict(again.values) == dict(device.values)
    assert again.refusals == device.refusals
    assert (again.name, again.title, again.operators) == (device.name, device.title, device.operators)


def test_own_profiles_are_listed_and_broken_ones_left_out(tmp_path):
    save_device(load_device("kirin9030").edited({"core.clock": 750.0}, name="mine"), tmp_path / "mine.json")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    assert [info.name for info in list_devices(tmp_path)] == [*NAMES, "mine"]


def test_peaks_of_the_310b1_are_those_of_its_configuration():
    device = load_device("ascend310b1")
    m, k, n = device.numbers("cube.fp16")
    assert 2 * m * k * n * device.number("core.clock") * 1e6 == pytest.approx(10.0e12, rel=0.01)
    m, k, n = device.numbers("cube.int8")
    assert 2 * m * k * n * device.number("core.clock") * 1e6 == pytest.approx(20.05e12, rel=0.01)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda d: d["values"].pop("core.clock"), r"mine.json: field core.clock \(MHz\) is missing"),
        (lambda d: d["values"]["core.clock"].update(value=-5), r"mine.json: field core.clock is -5"),
        (lambda d: d["values"]["core.clock"].update(value="fast"), r"field core.clock must be a number"),
        (lambda d: d["values"]["core.clock"].update(unit="GHz"), r"field core.clock is given in GHz.*MHz"),
        (lambda d: d["values"]["core.clock"].update(origin="dream"), r"core.clock"),
        (lambda d: d["values"]["core.count"].update(value=1.5), r"field core.count must be a whole number, not 1.5"),
        (lambda d: d["values"]["core.fixpipe"].update(value=2), r"field core.fixpipe"),
        (lambda d: d["values"]["cube.fp16"].update(value=[16, 16]), r"field cube.fp16 must be a list of 3"),
        (lambda d: d["values"]["cube.fp16"].update(value=[256, 256, 256]), r"field buffer.l0a .*too small"),
        (lambda d: d["values"]["buffer.l2"].update(value=4096), r"field port.l2_read is 0"),
        (lambda d: d["values"]["port.l2_read"].update(value=64), r"field buffer.l2 is 0 although port.l2_read is not"),
        (lambda d: d["values"]["port.l2_write"].update(value=64), r"field buffer.l2 is 0 although port.l2_write is"),
        (lambda d: d["values"]["dvfs.voltages"].update(value=[0.8]), r"field dvfs.voltages has 1 entries"),
        (lambda d: d["values"]["dvfs.trips"].update(value=[45, 44, 43, 42, 41]), r"dvfs.trips must rise"),
        (lambda d: d["values"]["dvfs.levels"].update(value=[9, 3, 2, 1, 0]), r"field dvfs.levels"),
        (lambda d: d["values"]["dvfs.governor"].update(value="hope"), r"dvfs.governor must be one of"),
        (lambda d: d["values"]["power.leakage"].update(value=20), r"field power.leakage.*itself up"),
        (lambda d: d["values"].update(extra={"value": 1, "unit": "", "origin": "assumed"}), r"field extra"),
        (lambda d: d.update(operators="other"), r"field operators must be one of"),
        (lambda d: d.update(version=99), r"format is mixbit-device 99"),
        (lambda d: d.pop("title"), r"mine.json: field title is missing; add it"),
        (lambda d: d.pop("values"), r"mine.json: field values is missing; add it"),
        (lambda d: d.update(values=[]), r"field values must be an object with named fields, not a list"),
        (lambda d: d.update(colour="red"), r"mine.json: field colour is not known; remove it"),
        (lambda d: d["values"]["core.clock"].pop("unit"), r"field core.clock.unit is missing; add it"),
        (lambda d: d["values"]["core.clock"].update(x=1), r"field core.clock.x is not known; remove it"),
        (
            lambda d: d["values"]["core.clock"].update(value=None),
            r"core.clock.value must be a number, .* not null",
        ),
        (lambda d: d["values"]["core.clock"].update(origin="dream"), r"origin must be one of vendor, .*, not dream"),
        (lambda d: d["values"].update({"core.clock": 5}), r"core.clock must be an object .*, not a whole number"),
        (lambda d: d.update(refusals=[{"reason": "x", "kinds": ["y"]}]), r"refusals\[0\].kinds\[0\] .*conv, .* not y"),
    ],
)
def test_broken_profiles_name_file_and_field(tmp_path, change, sentence):
    with pytest.raises(DeviceError, match=sentence) as caught:
        load_device(edited(tmp_path, change))
    assert "mine.json" in str(caught.value)
    assert not re.search("Object|Expected|`|enum", str(caught.value))  # words of the decoder, not of a person


@pytest.mark.parametrize(("content", "held"), [(b"[]", "a list"), (b'"x"', "a text"), (b"7", "a whole number")])
def test_files_of_something_else_say_what_they_hold(tmp_path, content, held):
    (tmp_path / "mine.json").write_bytes(content)
    with pytest.raises(DeviceError, match=rf"mine\.json is not a device profile: it holds {held} instead of fields"):
        load_device(tmp_path / "mine.json")


@pytest.mark.parametrize(
    "content", [b"", b"not json", b"\xff\xfe\x00", b"[]", b'{"format": 3}', b'{"format":' + b"[" * 100_000]
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    with pytest.raises(DeviceError, match=r"mine\.json"):
        load_device(path)


def test_a_value_nested_beyond_all_measure_is_refused(tmp_path):
    path = edited(tmp_path, lambda d: None)
    path.write_bytes(path.read_bytes().replace(b'"values":', b'"values": {"deep": ' + b"[" * 100_000, 1))
    with pytest.raises(DeviceError, match=r"mine\.json.*nested too deeply"):
        load_device(path)


@pytest.mark.parametrize("name", ["x" * 5000, "a/" * 3000 + "b.json", "nul\0byte", ""])
def test_names_that_no_file_can_have_are_unknown(name):
    with pytest.raises(DeviceError, match="There is no device"):
        load_device(name)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(DeviceError, match="kirin9030"):
        load_device("nokia3310")


def test_an_edit_leaves_the_old_profile_as_it_was():
    device = load_device("kirin9030")
    changed = device.edited({"core.clock": 750.0}, name="slower")
    assert (device.number("core.clock"), changed.number("core.clock")) == (960.0, 750.0)
    assert changed.values["core.clock"].origin == "assumed"
    assert changed.chip.cycle_us == pytest.approx(1 / 750)
    with pytest.raises(DeviceError, match=r"core\.clock"):
        device.edited({"core.clock": 0.0})
    with pytest.raises(DeviceError, match=r"core\.speed"):
        device.edited({"core.speed": 1.0})


def test_unwritable_path_is_refused(tmp_path):
    with pytest.raises(ExportError, match="can't be written"):
        save_device(load_device("kirin9030"), tmp_path / "missing" / "mine.json")
