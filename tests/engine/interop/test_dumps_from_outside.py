"""Dumps of other tools: layouts come back to logical order, names find kernels, damage is one sentence."""

from __future__ import annotations

import json
import struct
from contextlib import suppress

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from dump_layouts import counting, fractal_z_of_groups, nc1hwc0
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import numpy_helper

from engine.cli import main
from engine.errors import DataError
from engine.interop.dump_ascend import read_header
from engine.interop.dump_matching import match_dump
from engine.interop.dump_open import open_dump
from engine.interop.dump_weights import WEIGHT
from engine.numerics import synthetic_samples
from engine.quant.packing import pack_int4

STAMP = 1718000000000123


@pytest.fixture(scope="module")
def messages():
    file = descriptor_pb2.FileDescriptorProto(name="dump.proto", package="toolkit.dump", syntax="proto3")
    kinds = {"s": 9, "u": 4, "i": 5, "b": 12}

    def message(name, *fields):
        made = file.message_type.add(name=name)
        for number, field, kind in fields:
            repeated = kind.endswith("*")
            kind = kind.rstrip("*")
            entry = made.field.add(name=field, number=number, label=3 if repeated else 1)
            if kind in kinds:
                entry.type = kinds[kind]
            else:
                entry.type, entry.type_name = 11, f".toolkit.dump.{kind}"

    message("Shape", (1, "dim", "u*"))
    message("OriginalOp", (1, "name", "s"), (2, "output_index", "u"), (3, "data_type", "i"), (4, "format", "i"))
    message("OpOutput", (1, "data_type", "i"), (2, "format", "i"), (3, "shape", "Shape"),
            (4, "original_op", "OriginalOp"), (5, "data", "b"), (6, "size", "u"),
            (7, "original_shape", "Shape"), (8, "sub_format", "i"))  # fmt: skip
    message("OpInput", (1, "data_type", "i"), (2, "format", "i"), (3, "shape", "Shape"), (4, "data", "b"),
            (5, "size", "u"), (6, "original_shape", "Shape"), (7, "sub_format", "i"))  # fmt: skip
    message("DumpData", (1, "version", "s"), (2, "dump_time", "u"), (3, "output", "OpOutput*"),
            (4, "input", "OpInput*"), (6, "op_name", "s"))  # fmt: skip
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {n: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"toolkit.dump.{n}")) for n in
            ("DumpData", "OpOutput", "OpInput")}  # fmt: skip


@pytest.fixture
def raw(messages, tmp_path):
    def write(name, outputs, inputs=(), op_name=None, op_type="Conv2D", task=3):
        """outputs: (values as stored, data type, format, logical shape); values may be bytes with a shape."""
        dump = messages["DumpData"](version="2.0", dump_time=STAMP, op_name=name if op_name is None else op_name)
        payload = b""
        for values, kind, form, logical in inputs:
            data = values.tobytes()
            dump.input.add(data_type=kind, format=form, shape={"dim": values.shape}, size=len(data),
                           original_shape={"dim": logical})  # fmt: skip
            payload += data
        for values, kind, form, logical in outputs:
            shape = values.shape
            data = pack_int4(values).tobytes() if kind == 28 else values.tobytes()
            dump.output.add(data_type=kind, format=form, shape={"dim": shape}, size=len(data),
                            original_shape={"dim": logical})  # fmt: skip
            payload += data
        header = dump.SerializeToString()
        safe = name.replace("/", "_").replace(".", "_")
        path = tmp_path / "dump" / f"{op_type}.{safe}.{task}.2.{STAMP + task}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(struct.pack("<Q", len(header)) + header + payload)
        return path

    return write


def test_raw_dump_of_a_feature_map_behind_its_input(raw):
    x = np.random.default_rng(0).standard_normal((1, 20, 3, 5)).astype(np.float16)
    path = raw("/a/Conv", [(nc1hwc0(x, 16), 2, 3, x.shape)], inputs=[(np.arange(7, dtype=np.int8), 3, 2, (7,))])
    (tensor,) = open_dump(path.parent).tensors
    assert (tensor.name, tensor.shape, tensor.dtype, tensor.op_type) == ("/a/Conv", x.shape, np.float16, "Conv2D")
    np.testing.assert_array_equal(tensor.read(), x)
    both = open_dump(path.parent, inputs=True).tensors
    assert [(t.name, t.input) for t in both] == [("/a/Conv", 0), ("/a/Conv", None)]
    np.testing.assert_array_equal(both[0].read(), np.arange(7))


@pytest.mark.parametrize(
    ("values", "kind"),
    [(np.linspace(-3, 3, 15, dtype=np.float32), 1), (np.arange(15, dtype=np.uint8), 4), (np.arange(15) > 7, 11),
     (np.arange(15, dtype=np.int32), 7), (np.linspace(-1, 1, 15).astype(ml_dtypes.bfloat16), 27),
     (np.arange(-7, 8, dtype=np.int8), 28)],
)  # fmt: skip
def test_raw_dumps_of_any_type_at_any_offset(raw, values, kind):
    path = raw("op", [(values, kind, 2, values.shape)], inputs=[(np.zeros(3, np.int8), 3, 2, (3,))])
    (tensor,) = open_dump(path).tensors
    np.testing.assert_array_equal(tensor.read().astype(np.float64), values.astype(np.float64))


def test_raw_dump_in_channels_last_order(raw):
    x = counting((1, 4, 5, 6))
    path = raw("op", [(x.transpose(0, 2, 3, 1).copy(), 1, 1, (1, 5, 6, 4))])
    np.testing.assert_array_equal(open_dump(path).tensors[0].read(), x)


@pytest.mark.parametrize("cut", [1, 4, 12, 40, 200])
def test_truncated_raw_dumps_are_refused(raw, cut):
    path = raw("/a/Conv", [(nc1hwc0(counting((1, 20, 3, 5)), 16), 1, 3, (1, 20, 3, 5))])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - cut] if cut > 12 else whole[:cut])
    with pytest.raises(DataError, match="truncated"):
        open_dump(path)


@settings(max_examples=50)
@given(st.binary(max_size=80))
def test_no_bytes_crash_the_reader(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("d") / f"Conv2D.op.1.{STAMP}"
    path.write_bytes(struct.pack("<Q", len(content)) + content)
    with suppress(DataError):
        read_header(path)


def test_a_mixed_up_layout_is_told(raw):
    path = raw("op", [(np.zeros((1, 2, 3, 3, 16), np.float16), 2, 3, (1, 64, 3, 3))])
    with pytest.raises(DataError, match=r"NC1HWC0 \[1, 2, 3, 3, 16\] can't hold \[1, 64, 3, 3\]"):
        open_dump(path).tensors[0].read()


def test_unknown_types_are_told(raw):
    path = raw("op", [(np.zeros(4, np.int8), 99, 2, (4,))])
    with pytest.raises(DataError, match="data type 99"):
        open_dump(path)


# files by name


def test_names_of_converted_and_golden_files(tmp_path):
    values = counting((2, 3))
    for name in (f"Conv2D.stem_Conv.3.2.{STAMP}.output.1.npy", f"Conv2D.stem_Conv.3.{STAMP}.output.0.npy",
                 f"Conv2D.stem_Conv.3.2.{STAMP}.input.0.npy", f"head_Gemm.0.{STAMP}.npy", "a.name.npy"):  # fmt: skip
        np.save(tmp_path / name, values)
    found = {(t.name, t.output) for t in open_dump(tmp_path).tensors}
    assert found == {("stem_Conv", 0), ("stem_Conv", 1), ("head_Gemm", 0), ("a.name", 0)}


def test_mindspore_lite_files(tmp_path):
    x = counting((1, 4, 5, 3))
    (tmp_path / "0").mkdir()
    path = tmp_path / "0" / "stem_Conv_output_0_1_4_5_3_Float32_NHWC.bin"
    path.write_bytes(x.tobytes())
    (tmp_path / "0" / "stem_Conv_input_0_2_Float32_NHWC.bin").write_bytes(bytes(8))
    (tensor,) = open_dump(tmp_path).tensors
    assert (tensor.name, tensor.shape) == ("stem_Conv", (1, 3, 4, 5))
    np.testing.assert_array_equal(tensor.read(), x.transpose(0, 3, 1, 2))
    path.write_bytes(x.tobytes()[:-4])
    with pytest.raises(DataError, match="its name says float32"):
        open_dump(path)


def test_archives_and_onnx_test_data(tmp_path):
    x = counting((2, 3))
    np.savez(tmp_path / "o.npz", logits=x, **{"/a/b": x + 1})
    found = {t.name: t for t in open_dump(tmp_path / "o.npz").tensors}
    np.testing.assert_array_equal(found["/a/b"].read(), x + 1)
    (tmp_path / "pb").mkdir()
    (tmp_path / "pb" / "output_0.pb").write_bytes(numpy_helper.from_array(x, "logits").SerializeToString())
    (tensor,) = open_dump(tmp_path / "pb").tensors
    assert tensor.names == ("logits", "output_0")
    np.testing.assert_array_equal(tensor.read(), x)


def test_what_is_no_dump_is_refused_and_what_is_beside_one_is_counted(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(DataError, match="holds no dump"):
        open_dump(tmp_path)
    with pytest.raises(DataError, match="does not exist"):
        open_dump(tmp_path / "nowhere")
    np.save(tmp_path / "a.npy", counting((3,)))
    (tmp_path / "b.npy").write_bytes(b"\x93NUMPY")
    notes = [str(n) for n in open_dump(tmp_path).notes]
    assert any("b.npy is truncated" in n for n in notes)
    assert any("1 file is no dump" in n for n in notes)
    (tmp_path / "c.npz").write_bytes(b"PK\x03\x04nonsense")
    with pytest.raises(DataError, match="damaged"):
        open_dump(tmp_path / "c.npz")
    (tmp_path / "d.pb").write_bytes(b"\xff\xff\xff")
    with pytest.raises(DataError, match="no ONNX tensor"):
        open_dump(tmp_path / "d.pb")


def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path):
    np.save(tmp_path / "secret.npy", counting((3,)))
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.npy").symlink_to(tmp_path / "secret.npy")
    with pytest.raises(DataError, match="holds no dump"):
        open_dump(tmp_path / "d")


# matching


@pytest.fixture
def outputs(cnn):
    """All values of one run, by ONNX Runtime, and their names."""
    model = onnx.load(cnn.graph.path)
    names = [name for node in model.graph.node for name in node.output]
    model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names if n != "logits")
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = synthetic_samples(cnn.graph, 1, 3).feeds[0]
    return dict(zip(names, session.run(names, feeds), strict=True))


def by_name(table, cnn):
    return {m.tensor.name: (cnn.by_id(m.kernel).outputs[m.output], m.how) for m in table.matches if m.kernel}


def test_values_of_onnx_runtime_are_matched_by_tensor_name_and_inner_ones_are_listed(cnn, outputs, tmp_path):
    np.savez(tmp_path / "o.npz", **outputs)
    table = match_dump(open_dump(tmp_path / "o.npz"), cnn)
    found = by_name(table, cnn)
    kept = {name for k in cnn.kernels for name in k.outputs}
    assert {n for n in found if found[n] == (n, "exact")} == kept & set(outputs)
    assert table.missing == ()
    assert len(table.matches) == len(outputs)
    inner = {m.tensor.name: str(m.reason) for m in table.matches if not m.kernel}
    assert "which is fused" in inner["c2"]


def test_device_names_with_other_characters_joined_and_from_a_table(cnn, outputs, raw):
    form = {"stem": ("/stem/Conv/stem/act", "r1"), "dw": ("/dw/Conv", "r2"), "pw": ("fusedA_17", "c3")}
    for task, (name, tensor) in enumerate(form.values()):
        path = raw(name, [(nc1hwc0(outputs[tensor], 16), 1, 3, outputs[tensor].shape)], task=task, op_name="")
    raw("/head/Gemm__matmul_converted_MatMul", [(outputs["logits"], 1, 2, (1, 10))], task=9, op_name="")
    dump = open_dump(path.parent)
    found = by_name(match_dump(dump, cnn, fusions={"fusedA_17": ["/pw/Conv"]}), cnn)
    assert found == {"_stem_Conv_stem_act": ("r1", "fused"), "_dw_Conv": ("r2", "fused"), "fusedA_17": ("c3", "csv"),
                     "_head_Gemm__matmul_converted_MatMul": ("logits", "characters")}  # fmt: skip
    for match in match_dump(dump, cnn, fusions={"fusedA_17": ["/pw/Conv"]}).matches:
        tensor = cnn.by_id(match.kernel).outputs[match.output]
        np.testing.assert_array_equal(match.tensor.read(), outputs[tensor])


def test_unmatched_and_wrongly_shaped_are_listed_with_a_reason_and_can_be_corrected(cnn, tmp_path):
    np.savez(tmp_path / "o.npz", nonsense=counting((1, 10)), r1=counting((1, 3)))
    table = match_dump(open_dump(tmp_path / "o.npz"), cnn)
    reasons = {m.tensor.name: str(m.reason) for m in table.matches}
    assert all(not m.kernel for m in table.matches)
    assert "No layer has this name" in reasons["nonsense"]
    assert "another input shape, or another layer" in reasons["r1"]
    assert set(table.missing) == {k.id for k in cnn.kernels}
    head = cnn.kernels[-1]
    corrected = match_dump(open_dump(tmp_path / "o.npz"), cnn, corrections={"nonsense": (head.id, 0)})
    assert corrected.matches[0].how == "user"
    assert corrected.get(head.id) is not None


def test_a_name_that_fits_two_layers_fits_none(tmp_path, cnn_path):
    from engine.session.work import open_network

    model = onnx.load(cnn_path)
    for node in model.graph.node:
        renamed = {"/dw/Conv": "a/b", "/dw/act": "a b_", "/pw/Conv": "a.b"}
        node.name = renamed.get(node.name, node.name)
    onnx.save(model, cnn_path)
    network = open_network(cnn_path)
    np.save(tmp_path / "a_b.npy", counting((1, 16, 8, 8)))
    (match,) = match_dump(open_dump(tmp_path / "a_b.npy"), network).matches
    assert not match.kernel
    assert "fits several layers" in str(match.reason)


def test_part_of_a_name_is_the_last_resort_and_says_so(cnn, tmp_path, outputs):
    np.save(tmp_path / "model_head_Gemm.npy", outputs["logits"])
    (match,) = match_dump(open_dump(tmp_path), cnn).matches
    assert (cnn.by_id(match.kernel).outputs[0], match.how) == ("logits", "part")
    assert "check it" in str(match.reason)


def test_numbers_are_not_cut_in_two():
    from engine.interop.foreign_names import Goal, NameIndex

    index = NameIndex([Goal(1, "conv1", ("layer_conv1",)), Goal(2, "conv12", ("layer_conv12",))])
    assert index.find(["net_layer_conv12"]).key == 2
    assert index.find(["net_layer_conv123"]).key is None


# weights


def weight_of(table, cnn, name):
    kernel = next(k for k in cnn.tunable if k.weight.origin == name)
    tensor = table.weight(kernel, cnn)
    return None if tensor is None else tensor.read()


def test_weights_are_found_by_name_by_other_signs_and_by_hand(cnn, tmp_path):
    rng = np.random.default_rng(0)
    dw, pw, head = (rng.standard_normal(s).astype(np.float32) for s in ((16, 1, 3, 3), (32, 16, 1, 1), (10, 32)))
    np.savez(tmp_path / "w.npz", **{"dw.weight": dw, "pw_weight": pw.reshape(32, 16), "q": head.T, "r2": dw})
    dump = open_dump(tmp_path / "w.npz")
    table = match_dump(dump, cnn)
    np.testing.assert_array_equal(weight_of(table, cnn, "dw.weight"), dw)
    np.testing.assert_array_equal(weight_of(table, cnn, "pw.weight"), pw)
    assert weight_of(table, cnn, "head.weight") is None
    reasons = {m.tensor.name: str(m.reason) for m in table.matches if not m.kernel}
    assert set(reasons) == {"q", "r2"}  # an output's name stays that of the output, whatever it holds
    assert "another layer" in reasons["r2"]
    assert len(table.missing) == len(cnn.kernels)
    (kernel,) = [k for k in cnn.tunable if k.weight.origin == "head.weight"]
    table = match_dump(dump, cnn, corrections={"q": (kernel.id, WEIGHT)})
    np.testing.assert_array_equal(weight_of(table, cnn, "head.weight"), head)  # [in, out] there, [out, in] here


def test_what_a_device_reads_where_a_weight_goes_in_is_the_weight(cnn, outputs, raw):
    rng = np.random.default_rng(0)
    weight = rng.standard_normal((16, 1, 1, 3, 3)).astype(np.float16)
    stored = fractal_z_of_groups(weight, 16, 16)
    image = np.zeros((1, 1, 8, 8, 16), np.float16)
    path = raw("/dw/Conv", [(nc1hwc0(outputs["r2"], 16), 1, 3, outputs["r2"].shape)],
               inputs=[(image, 2, 3, (1, 16, 8, 8)), (stored, 2, 4 | 16 << 8, (16, 1, 3, 3))])  # fmt: skip
    table = match_dump(open_dump(path.parent, inputs=True), cnn)
    np.testing.assert_array_equal(weight_of(table, cnn, "dw.weight"), weight[:, :, 0])
    assert len(table.matches) == 2  # the other input is another operator's output, and stands there


def test_a_fusion_table_goes_before_names_on_either_side(cnn, outputs, raw, tmp_path, capsys):
    """The device calls Conv + Relu by its first part, which in the reference is the value before Relu."""
    np.savez(tmp_path / "a.npz", **{"/dw/Conv": outputs["c2"], "/dw/act": outputs["r2"], "/pw/Conv": outputs["c3"]})
    raw("/dw/Conv", [(nc1hwc0(outputs["r2"], 16), 1, 3, outputs["r2"].shape)], task=1)
    path = raw("fusedA_17", [(nc1hwc0(outputs["c3"], 16), 1, 3, outputs["c3"].shape)], task=2)
    table = tmp_path / "fusion_op_1.csv"
    table.write_text(
        "Model Name,Model ID,Fusion Op,Original Ops\nm,1,/dw/Conv,/dw/Conv;/dw/act\nm,1,fusedA_17,/pw/Conv\n"
    )
    a, b = str(tmp_path / "a.npz"), str(path.parent)
    for sides in ((a, b), (b, a)):
        assert main(["compare", *sides, "--fusions", str(table), "--metrics", "max_abs", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert {frozenset((x["name"], x["other_name"])) for x in found["layers"]} == {
            frozenset(("/dw/Conv", "/dw/act")), frozenset(("fusedA_17", "/pw/Conv"))}  # fmt: skip
        assert {x["matched"] for x in found["layers"]} == {"csv"}
        assert [x["figures"]["max_abs"] for x in found["layers"]] == [0, 0]
    table.write_text("Name,Parts\na,b\n")
    assert main(["compare", a, b, "--fusions", str(table)]) == 1
    assert "fusion op" in capsys.readouterr().err


# comparing
