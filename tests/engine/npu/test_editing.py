"""Profiles edited as text: every field survives, every impossible value is refused by name."""

from __future__ import annotations

import pytest

from engine.errors import DeviceError
from engine.npu import list_devices, load_device, save_device, simulate
from engine.npu.editing import Edit, check_name, free_name, parse_value, range_text, value_text, with_edits
from engine.npu.fields import BY_KEY, FIELDS
from engine.precision.plan import Plan

DEVICE = load_device("kirin9030")


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.key)
def test_every_value_survives_the_way_through_text(field):
    value = DEVICE.values[field.key].value
    assert parse_value("f", field.key, value_text(value)) == value
    assert range_text(field)


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        ("core.clock", "fast", "field core.clock must be a number, not fast"),
        ("core.clock", "", 'field core.clock must be a number, not ""'),
        ("core.clock", "nan", "field core.clock must be a number"),
        ("core.clock", "1e9", "field core.clock is 1000000000.0 MHz, but must be between 1 and 10000"),
        ("core.count", "1.5", "field core.count must be a whole number, not 1.5"),
        ("core.fixpipe", "maybe", "field core.fixpipe must be a number"),
        ("cube.fp16", "16 16", "field cube.fp16 must be a list of 3 numbers"),
        ("cube.fp16", "16, x, 8", "field cube.fp16 must be a number, not x"),
        ("dvfs.governor", "turbo", "field dvfs.governor must be one of step-wise"),
        ("no.such", "1", "field no.such is not known"),
    ],
)
def test_impossible_values_are_refused_by_field(key, text, words):
    with pytest.raises(DeviceError) as refused:
        parse_value("mine", key, text)
    assert words in str(refused.value)


@pytest.mark.parametrize(("text", "value"), [("16;16,8", (16.0, 16.0, 8.0)), (" 16  16 8 ", (16.0, 16.0, 8.0))])
def test_lists_take_blanks_commas_semicolons(text, value):
    assert parse_value("f", "cube.fp16", text) == value


def test_flags_take_words():
    assert parse_value("f", "core.fixpipe", "yes") == 1.0
    assert parse_value("f", "core.fixpipe", "Off") == 0.0


def test_a_copy_has_its_edits_their_origin_and_everything_else(tmp_path):
    edits = {"core.clock": Edit("1200", "measured", "read off the device"), "port.ddr": Edit("51.2")}
    mine = with_edits(DEVICE, edits, name="mine", title=" My phone ")
    assert (mine.name, mine.title) == ("mine", "My phone")
    clock = mine.values["core.clock"]
    assert (clock.value, clock.unit, clock.origin, clock.note) == (1200.0, "MHz", "measured", "read off the device")
    rest = set(BY_KEY) - set(edits)
    assert all(mine.values[key] == DEVICE.values[key] for key in rest)
    save_device(mine, tmp_path / "mine.json")
    again = load_device(tmp_path / "mine.json")
    assert dict(again.values) == dict(mine.values)
    assert again.refusals == DEVICE.refusals
    assert "mine" in {info.name for info in list_devices(tmp_path)}


def test_a_faster_memory_makes_a_run_faster():
    from zoo import mobilenetv1

    mine = with_edits(DEVICE, {"port.ddr": Edit("100")}, name="mine", title="")
    network = mobilenetv1(1)
    assert simulate(network, Plan(), mine).latency_us < simulate(network, Plan(), DEVICE).latency_us


def test_values_that_contradict_each_other_are_refused_and_the_old_profile_is_untouched():
    before = dict(DEVICE.values)
    with pytest.raises(DeviceError, match=r"mine: field dvfs.voltages has 6 entries, but dvfs.clocks has 2"):
        with_edits(DEVICE, {"dvfs.clocks": Edit("500 960")}, name="mine", title="")
    assert dict(DEVICE.values) == before


@pytest.mark.parametrize("name", ["", "  ", "a/b", "..", "x" * 61, "a\nb", 'say "hi"', "Kirin9030"])
def test_names_that_a_profile_cannot_have(name):
    with pytest.raises(DeviceError):
        check_name(name)


def test_a_free_name_is_found():
    assert free_name(DEVICE, frozenset()) == "kirin9030-copy"
    assert free_name(DEVICE, frozenset({"Kirin9030-Copy", "kirin9030-copy-2"})) == "kirin9030-copy-3"
