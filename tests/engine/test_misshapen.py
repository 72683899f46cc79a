"""What a decoder says of a file is said in words of ours, wherever a file of somebody's is read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.errors import MixbitError, PlanError
from engine.interop.aimet_read import decode_encodings
from engine.interop.amct_qat import decode_bits
from engine.interop.dopt_lm import decode_strategies
from engine.interop.profile_open import open_profile
from engine.interop.rules_file import decode_rules
from engine.misshapen import form_words
from engine.numerics.dumps.read import read_manifest
from engine.precision.planfile import decode_plan
from engine.session.project import read_project


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    bits: int
    kind: str = ""


class _Whole(msgspec.Struct, forbid_unknown_fields=True):
    parts: list[_Part]
    size: float | str = 0.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "field parts is missing"),
        ('{"parts": [{"kind": "x"}]}', "field parts[0].bits is missing"),
        ('{"parts": [], "colour": 1}', "field colour is not known"),
        ('{"parts": [{"bits": "4"}]}', "field parts[0].bits must be a whole number, not a text"),
        ('{"parts": {}}', "field parts must be a list, not an object with named fields"),
        ('{"parts": [], "size": null}', "field size must be one of the kinds float, str, not null"),
        ("[]", "it holds a list, not an object with named fields"),
        ("{", "it is no JSON: Input data was truncated"),
    ],
)
def test_the_fault_stands_there_with_its_field(text, words):
    with pytest.raises(msgspec.DecodeError) as caught:
        msgspec.json.decode(text, type=_Whole)
    assert str(form_words(caught.value)) == words


def test_another_encoding_is_called_by_its_name():
    with pytest.raises(UnicodeDecodeError) as caught:
        "设备".encode("gbk").decode()
    assert str(form_words(caught.value)) == "it is not in UTF-8"


def _plan(path: Path) -> Any:
    return decode_plan(path.read_bytes(), str(path))


READERS: dict[str, tuple[str, Callable[[Path], object], dict[str, Any]]] = {
    "encodings": ("a.encodings", lambda path: decode_encodings(path.read_bytes(), str(path)), {"param_encodings": 5}),
    "bits": ("a.json", lambda path: decode_bits(path.read_bytes(), str(path)), {"layer": {"num_bits": "many"}}),
    "dopt_lm": ("a.json", lambda path: decode_strategies(path.read_bytes(), str(path)), {"layer_strategy": 5}),
    "rules": ("a.json", lambda path: decode_rules(path.read_bytes(), str(path)), {"format": "mixbit-rules"}),
    "plan": ("a.json", _plan, {"format": "mixbit-plan", "version": 1}),
    "project": ("a.mixbit", read_project, {"format": "mixbit-project", "version": 1}),
    "dump": ("manifest.json", lambda path: read_manifest(path.parent), {"format": "mixbit-dump", "version": 1}),
    "profile": ("a.json", open_profile, {"traceEvents": []}),
}


@pytest.mark.parametrize("name", READERS)
def test_no_reader_repeats_the_decoder(name, tmp_path):
    file, read, content = READERS[name]
    path = tmp_path / file
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(MixbitError) as caught:
        read(path)
    assert not re.search(r"Object |Expected |`|\$|enum", str(caught.value)), str(caught.value)


def test_what_an_encoding_lacks_is_named():
    with pytest.raises(PlanError, match=r"encoding of w makes no sense \(bw is missing or not known\)"):
        decode_encodings(b'{"version": "1.0.0", "param_encodings": [{"name": "w"}]}', "a.encodings")
