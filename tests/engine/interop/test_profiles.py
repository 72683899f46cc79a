"""Measured profiles: read with their quirks, matched to kernels, held against the simulation, fitted to."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest

from engine.errors import Cancelled, DataError
from engine.interop.csv_table import LARGEST, number, read_table
from engine.interop.fit import PARAMETERS, Case, fit_device
from engine.interop.foreign_names import Goal, NameIndex
from engine.interop.msprof import read_fusions, read_static_memory, read_statistic
from engine.interop.profile_compare import compare_profile
from engine.interop.profile_open import open_profile
from engine.npu import load_device, save_device, simulate
from engine.precision.presets import preset
from engine.progress import CancelToken

OP_HEAD = " op name, start time, total time(us), device type\n"
OPS = [
    (" /stem/Conv(Convolution)&&/stem/act(Activation)", 41),
    (" transdata_for_nd_3(TransData)", 4),
    (" /dw/Conv, odd(ConvolutionDepthwise)", 25),
    (" graphop_data_cast_7(CastT)", 2),
    (" /head/Gemm__matmul_converted_MatMul(MatMul)", 17),
    (" zebra(Other)", 3),
]


def op_csv(runs=2, ops=OPS):
    rows = [f"{name}, 10:02:11.{120031 + r}, {us + r}, npu_aicore\n" for r in range(runs) for name, us in ops]
    return OP_HEAD + "".join(rows)


MODEL = """ item event, enter time, total time(us)
 load begin, 10:02:10.900010, 0
 load end, 10:02:10.921544, 21534
 inference begin, 10:02:11.120020, 0
 inference end, 10:02:11.121433, 500
 inference begin, 10:02:11.130020, 0
 inference end, 10:02:11.131433, 520
 unload begin, 10:02:12.004001, 0
 unload end, 10:02:12.015610, 11609
"""


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


# reading


def test_phone_tables_stand_beside_each_other(tmp_path):
    write(tmp_path / "n_20260101_100211_op.csv", op_csv())
    write(tmp_path / "n_20260101_100211_model.csv", MODEL)
    for name in ("n_20260101_100211_op.csv", "n_20260101_100211_model.csv"):
        found = open_profile(tmp_path / name)
        assert (found.origin, len(found.runs), found.load_us) == ("phone", 2, 21534)
        assert found.latencies_us == (500, 520)
        assert found.notes == ()
        ops = found.ops
        assert ops[0].name == "/stem/Conv&&/stem/act"
        assert (ops[2].name, ops[2].op_type, ops[2].unit) == ("/dw/Conv, odd", "ConvolutionDepthwise", "npu_aicore")
        assert ops[0].duration_us == 41.5
        assert found.total_us == 510


def test_a_phone_run_that_is_cut_off_is_left_out_and_told(tmp_path):
    text = op_csv(3).splitlines(keepends=True)
    found = open_profile(write(tmp_path / "x_op.csv", "".join(text[:-2])))
    assert len(found.runs) == 2
    assert "1 of 3 runs is incomplete" in str(found.notes[0])
    with pytest.raises(DataError, match="line 3 is no operator row"):
        open_profile(write(tmp_path / "y_op.csv", "".join(text[:2]) + " /a/Conv(Conv), 10:0"))


SUMMARY = (
    "Device_id,Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),"
    "Block Num,Input Shapes,Input Data Types,Output Shapes,Output Data Types\n"
    '0,1,7,2,{infer},/stem/Conv,Conv2D,AI_CORE,"17180000000{start}.5\t",{us},8,"""1,1,4,4,16;9,4,16,16""",'
    'FLOAT16;FLOAT16,"""1,4,2,2,16""",FLOAT16\n'
)


@pytest.mark.parametrize("dim", ["Block Num", "Block Dim"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_op_summary_of_any_version_and_encoding(tmp_path, dim, encoding):
    head, row = SUMMARY.splitlines()
    text = "\n".join([head.replace("Block Num", dim), row.format(infer=1, start="00", us=38.2),
                      row.format(infer=2, start="50", us=40.2), row.format(infer=2, start="40", us="12")])  # fmt: skip
    (tmp_path / "mindstudio_profiler_output").mkdir()
    write(tmp_path / "mindstudio_profiler_output" / "op_summary_0.csv", text, encoding)
    found = open_profile(tmp_path)
    assert (found.origin, [len(r.ops) for r in found.runs]) == ("msprof", [1, 2])
    first = found.runs[0].ops[0]
    assert (first.name, first.op_type, first.duration_us, first.unit) == ("/stem/Conv", "Conv2D", 38.2, "AI_CORE")
    assert first.nbytes == 2 * (16 * 16 + 9 * 4 * 16 * 16 + 4 * 2 * 2 * 16)
    assert [op.duration_us for op in found.runs[1].ops] == [12, 40.2]  # in order of their start


def test_other_tables_of_msprof(tmp_path):
    fusions = read_fusions(
        write(tmp_path / "fusion_op.csv", "Model Name,Model ID,Fusion Op,Original Ops,Memory Input(KB)\n"
              'm,1,f1,"/a/Conv,/a/Relu",3\nm,1,f2,/b/Gemm,N/A\n')
    )  # fmt: skip
    assert fusions == {"f1": ("/a/Conv", "/a/Relu"), "f2": ("/b/Gemm",)}
    memory = read_static_memory(
        write(tmp_path / "mem.csv", "Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)\n"
              "a,m,1,0,4,1.5\nb,m,1,2,4294967295,8\n")
    )  # fmt: skip
    assert [(m.name, m.first, m.last, m.nbytes) for m in memory] == [("a", 0, 4, 1536), ("b", 2, 2, 8192)]
    totals = read_statistic(
        write(tmp_path / "stat.csv", "Model Name,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),"
              "Max Time(us),Ratio(%)\nm,Conv2D,AI_CORE,3,30,9,10,11,100\n")
    )  # fmt: skip
    assert (totals[0].op_type, totals[0].count, totals[0].average_us) == ("Conv2D", 3, 10)


def test_mindspore_lite_benchmark(tmp_path):
    text = """Model = m.ms, numThreads = 2, MinRunTime = 1.2 ms, MaxRuntime = 1.9 ms, AvgRunTime = 1.4 ms
-------------------------------------------------------------------------
opName\tavg(ms)\tpercent\tcalledTimess\topTotalTime
/stem/Conv\t0.041000\t0.4100\t20\t0.820000
/head/Gemm\t0.017000\t0.1700\t20\t0.340000
-------------------------------------------------------------------------
opType\tavg(ms)\tpercent\tcalledTimess\topTotalTime
Conv2DFusion\t0.041000\t0.4100\t20\t0.820000
-------------------------------------------------------------------------
total time : 1.300000 ms, kernel cost : 1.200000 ms
"""
    found = open_profile(write(tmp_path / "out.txt", text))
    assert [(op.name, op.duration_us) for op in found.ops] == [("/stem/Conv", 41.0), ("/head/Gemm", 17.0)]
    assert found.total_us == 1400


def test_profile_of_onnx_runtime(tmp_path, cnn):
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "p")
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(str(cnn.graph.path), options, providers=["CPUExecutionProvider"])
    for _ in range(3):
        session.run(None, {"image": np.zeros((1, 3, 16, 16), np.float32)})
    found = open_profile(type(cnn.graph.path)(session.end_profiling()))
    assert (found.origin, len(found.runs)) == ("onnxruntime", 3)
    assert "/stem/Conv" in [op.name for op in found.ops]
    measured = compare_profile(found, cnn, simulate(cnn, preset(cnn, "fp16"), load_device("kirin9030")))
    assert measured.missing == ()
    assert {m.how for m in measured.matches if not m.kernel} <= {"none"}
    assert measured.total_us >= sum(k.measured_us for k in measured.kernels) > 0


def test_any_table_with_names_and_times(tmp_path):
    found = open_profile(write(tmp_path / "t.csv", "layer;time(ms)\n/a;0,041\n/b;1.5\n"))
    assert [(op.name, op.duration_us) for op in found.ops] == [("/a", pytest.approx(41)), ("/b", 1500)]


@pytest.mark.parametrize(
    ("title", "scale"), [("time_us", 1), ("Time [us]", 1), ("latency_us", 1), ("mean µs", 1), ("Duration_ms", 1000)]
)
def test_columns_of_times_are_known_however_they_are_spelled(tmp_path, title, scale):
    found = open_profile(write(tmp_path / "t.csv", f"Name,{title}\n/a,2.5\n"))
    assert [(op.name, op.duration_us) for op in found.runs[0].ops] == [("/a", 2.5 * scale)]


BAD = {
    "is empty": "",
    "no table": "hello",
    "It has: a, b": "a,b\n1,2\n",
    "line 2 has 3 columns and the header 2": "name,time(us)\na,1,2\n",
    "line 3: time\\(us\\) is 'x', and a number is expected": "name,time(us)\na,1\nb,x\n",
    "no profile of ONNX Runtime": "[{",
    "no kernel times": '[{"cat": "Session", "name": "model_run"}]',
    "no operator in it": "name,time(us)\n",
}


@pytest.mark.parametrize(("match", "text"), BAD.items())
def test_files_that_are_no_profiles(tmp_path, match, text):
    with pytest.raises(DataError, match=match):
        open_profile(write(tmp_path / "bad.csv", text))


def test_what_is_missing_or_too_large(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        open_profile(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="no op_summary"):
        open_profile(tmp_path)
    huge = tmp_path / "huge.csv"
    with huge.open("wb") as stream:
        stream.truncate(LARGEST + 1)
    with pytest.raises(DataError, match="more than the 512 MiB"):
        open_profile(huge)


@pytest.mark.parametrize(("text", "value"), [("1.5", 1.5), (' "2" ', 2), ("0,25", 0.25), ("N/A", None), ("", None)])
def test_numbers_as_tools_write_them(text, value):
    assert number(text) == value


def test_columns_of_the_same_name_are_told_apart(tmp_path):
    table = read_table(write(tmp_path / "r.csv", "Index,DataType,Shape,DataType\n0,FLOAT,1,HALF\n", "gb18030"))
    assert (table.rows[0].text("datatype"), table.rows[0].text("datatype 2")) == ("FLOAT", "HALF")


# against the simulation


def test_a_phone_profile_beside_the_simulation(tmp_path, cnn):
    write(tmp_path / "n_op.csv", op_csv())
    write(tmp_path / "n_model.csv", MODEL)
    simulation = simulate(cnn, preset(cnn, "int8"), load_device("kirin9030"))
    found = compare_profile(open_profile(tmp_path / "n_op.csv"), cnn, simulation)
    rows = {row.name: row for row in found.kernels}
    assert {"stem", "head"} <= set(rows)
    stem = next(k for k in cnn.kernels if k.name == "stem")
    assert (rows["stem"].measured_us, rows["stem"].simulated_us) == (41.5, simulation.kernels[stem.index].latency_us)
    assert rows["stem"].ratio == pytest.approx(41.5 / simulation.kernels[stem.index].latency_us)
    gaps = [abs(row.measured_us - row.simulated_us) for row in found.kernels]
    assert gaps == sorted(gaps, reverse=True)
    assert found.inserted_us == pytest.approx(4.5 + 2.5)
    listed = {m.op.name: m for m in found.matches}
    assert listed["zebra"].kernel == ""
    assert listed["transdata_for_nd_3"].inserted
    assert found.submit_us == pytest.approx(510 - sum(us + 0.5 for _, us in OPS))
    kernels = sum(row.measured_us for row in found.kernels)
    assert kernels + found.inserted_us + found.unmatched_us + found.submit_us == pytest.approx(found.total_us)
    corrected = compare_profile(found.profile, cnn, simulation, corrections={"zebra": cnn.kernels[-1].id})
    assert next(m for m in corrected.matches if m.op.name == "zebra").how == "user"


@pytest.mark.parametrize("name", ["mobile_vision_encoder", "swiglu_decoder", "page_orientation"])
def test_the_table_of_a_simulated_run_is_read_back_whole(tmp_path, name):
    from engine.interop.handover import Extras, Measured
    from engine.interop.op_summary import export_op_summary
    from engine.interop.order import Order
    from engine.session.samples import find_sample
    from engine.session.work import open_network

    network = open_network(find_sample(name).model)
    plan = preset(network, "int8")
    simulation = simulate(network, plan, load_device("kirin9030"))
    extras = Extras(measured=Measured(simulation=simulation))
    export_op_summary(Order(network, plan, tmp_path / "op_summary.csv", extras=extras))
    found = compare_profile(open_profile(tmp_path / "op_summary.csv"), network, simulation)
    assert [match.op.name for match in found.matches if not match.kernel] == []
    assert found.missing == ()
    assert all(row.ratio == pytest.approx(1.0, abs=0.06) for row in found.kernels)  # written with three decimals


def test_two_kernels_of_one_title_are_not_told_apart(cnn):
    from dataclasses import replace

    twins = replace(cnn, kernels=tuple(replace(kernel, name="twin") for kernel in cnn.kernels))
    index = NameIndex([Goal(kernel.id, kernel.name, (f"n{kernel.index}",)) for kernel in twins.kernels])
    assert index.find(["twin"]).key is None
    assert "fits several layers" in str(index.find(["twin"]).reason)
    outputs = NameIndex([Goal(("k", 0), "twin", ("a",)), Goal(("k", 1), "twin", ("b",))])
    assert outputs.find(["twin"]).key == ("k", 0)


# fitting


@pytest.fixture(scope="module")
def orientation():
    from engine.session.samples import find_sample
    from engine.session.work import open_network

    return open_network(find_sample("page_orientation").model)


FACTORS = {"launch.cube": 1.6, "launch.vector": 0.7, "launch.invocation": 1.3, "port.ddr": 0.6, "cube.efficiency": 0.7}


def measured(network, device, names=("fp16", "int8"), *, noise=0.0, missing=0.0, total=True, seed=0):
    rng = np.random.default_rng(seed)
    cases = []
    for name in names:
        plan = preset(network, name)
        run = simulate(network, plan, device)
        times = {
            i: c.latency_us * float(np.exp(rng.normal(0, noise)))
            for i, c in enumerate(run.kernels)
            if rng.random() >= missing
        }
        cases.append(Case(network, plan, times, run.latency_us if total else None))
    return cases


def test_constants_of_a_known_device_are_recovered(orientation, tmp_path):
    start = load_device("kirin9030")
    real = start.edited({key: start.number(key) * factor for key, factor in FACTORS.items()})
    found = fit_device(start, measured(orientation, real), name="mine", parameters=tuple(FACTORS))
    assert found.before > 0.15
    assert found.after < 0.01
    assert found.held_out < 0.01
    for each in found.parameters:
        assert each.value == pytest.approx(real.number(each.key), rel=0.05), each.key
        assert each.sentence is None
    device = found.device
    assert (device.name, device.values["launch.cube"].origin) == ("mine", "fitted")
    assert "standard error" in device.values["launch.cube"].note
    assert device.values["cube.fp16"].origin == start.values["cube.fp16"].origin
    assert device.number("band.convolution") == pytest.approx(max(found.band, 0.01))
    save_device(device, tmp_path / "mine.json")
    again = load_device(tmp_path / "mine.json")
    assert again.number("port.ddr") == pytest.approx(device.number("port.ddr"))


def test_noise_and_missing_rows_widen_the_error_and_the_band(orientation):
    start = load_device("kirin9030")
    real = start.edited({key: start.number(key) * factor for key, factor in FACTORS.items()})
    cases = measured(orientation, real, noise=0.04, missing=0.3)
    found = fit_device(start, cases, parameters=("launch.cube", "port.ddr", "cube.efficiency"))
    by_key = {each.key: each for each in found.parameters}
    assert by_key["launch.cube"].value == pytest.approx(real.number("launch.cube"), rel=0.05)
    assert 0.001 < by_key["launch.cube"].error < 0.1
    assert 0.02 < found.band < 0.5


def test_what_the_runs_do_not_tell_keeps_its_value_and_says_so(orientation):
    start = load_device("kirin9030")
    cases = measured(orientation, start, ("fp16",), total=False)
    found = fit_device(start, cases, parameters=("launch.cube", "launch.invocation"))
    invocation = found.parameters[1]
    assert (invocation.value, invocation.error) == (start.number("launch.invocation"), None)
    assert "changes nothing in these runs" in str(invocation.sentence)
    assert found.device.values["launch.invocation"] == start.values["launch.invocation"]


def test_refusals_of_a_fit(orientation, cnn):
    start = load_device("kirin9030")
    with pytest.raises(DataError, match="Only 2 kernels are measured"):
        fit_device(start, [Case(orientation, preset(orientation, "fp16"), {0: 3.0, 1: 4.0, 2: 0.0})])
    for bad in (-1.0, float("nan")):
        with pytest.raises(DataError, match="positive"):
            fit_device(start, [Case(orientation, preset(orientation, "fp16"), {0: 3.0, 1: bad})])
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        fit_device(start, measured(orientation, start, ("fp16",)), cancel=token)
    assert set(FACTORS) <= set(PARAMETERS)
