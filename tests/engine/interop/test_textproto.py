"""Text protos against protobuf's own reader and writer."""

from __future__ import annotations

import pytest
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st
from schemas import CALIBRATION, RECORD, read

from engine.interop.textproto import Word, parse, text_proto

NAMES = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)


@given(st.lists(NAMES, max_size=4), st.integers(0, 1000), st.booleans())
@settings(max_examples=80, deadline=None)
def test_protobuf_reads_what_is_written_and_the_other_way_round(names, number, flag):
    message = [
        ("batch_num", number),
        ("activation_offset", flag),
        *[("skip_layers", name) for name in names],
        ("common_config", [("arq_quantize", []), ("ifmr_quantize", [("dst_type", Word("INT16"))])]),
    ]
    text = text_proto(message)
    found = read(CALIBRATION, "AMCTConfig", text)
    assert list(found.skip_layers) == names
    assert (found.batch_num, found.activation_offset) == (number, flag)
    assert found.common_config.ifmr_quantize.dst_type == 2
    assert parse(text) == message
    theirs = text_format.MessageToString(found)  # escapes all that is not ASCII as octal numbers
    assert [value for name, value in parse(theirs) if name == "skip_layers"] == names


@given(st.floats(1e-30, 1e30), st.integers(-(2**31), 2**31 - 1))
@settings(max_examples=60, deadline=None)
def test_numbers_come_through_as_floats_of_32_bits(scale, offset):
    text = text_proto([("record", [("key", "a"), ("value", [("scale_d", scale), ("offset_d", offset)])])])
    value = read(RECORD, "ScaleOffsetRecord", text).record[0].value
    assert value.scale_d == pytest.approx(scale, rel=1e-6)
    assert value.offset_d == offset
    assert dict(dict(parse(text)[0][1])["value"])["offset_d"] == offset


def test_other_spellings_are_read():
    text = """
    # a comment
    a: 1 b { c: 'x' "y" } ; d: { e: 0x10, f: -2.5f } g < h: true > i: [1, 2] j: "\\101\\x42\\n"
    """
    assert parse(text) == [
        ("a", 1), ("b", [("c", "xy")]), ("d", [("e", 16), ("f", -2.5)]), ("g", [("h", True)]), ("i", 1), ("i", 2),
        ("j", "AB\n"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["a {", "a: }", "a", "a: 1 }", ": 1", 'a: "x', "a: [1", "{}", "a {" * 100])
def test_what_is_no_message_is_refused_with_a_reason(text):
    with pytest.raises(ValueError, match=r"line|ends|not understood"):
        parse(text)
