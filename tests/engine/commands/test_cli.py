"""The command line: its JSON is a contract; refusals are one sentence and exit code 1, wrong usage is 2."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from small_models import small_cnn

from engine.cli import COMMANDS, main
from engine.numerics.state import SampleState


@pytest.fixture
def run(capsys):
    def call(*arguments: object) -> dict:
        code = main([*map(str, arguments), "--json"])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return json.loads(out)

    return call


def test_inspect(run, cnn_path):
    found = run("inspect", cnn_path)
    assert found["model"]["inputs"] == [{"name": "image", "dtype": "float32", "shape": [1, 3, 16, 16]}]
    keys = {
        "id",
        "name",
        "op",
        "nodes",
        "tunable",
        "why_not",
        "params",
        "macs",
        "weight_bytes",
        "output_shapes",
        "unit",
    }
    for kernel in found["kernels"]:
        assert keys <= set(kernel)
        assert kernel["tunable"] is (kernel["why_not"] is None)
    stem = found["kernels"][0]
    assert stem["macs"] == 16 * 8 * 8 * 27
    assert stem["output_shapes"] == [[1, 16, 8, 8]]
    assert len({k["id"] for k in found["kernels"]}) == len(found["kernels"])


def test_a_weight_that_two_kernels_read_counts_once_in_the_model(run, tmp_path):
    rng, node = np.random.default_rng(0), onnx.helper.make_node
    table = onnx.numpy_helper.from_array(rng.standard_normal((40, 16)).astype(np.float32), "embed.weight")
    graph = onnx.helper.make_graph(
        [
            node("Gather", ["embed.weight", "ids"], ["h"], "/embed/Gather"),
            node("Transpose", ["embed.weight"], ["turned"], "/turn", perm=[1, 0]),
            node("MatMul", ["h", "turned"], ["logits"], "/head/MatMul"),
        ],
        "tied",
        [onnx.helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, [1, 4])],
        [onnx.helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, [1, 4, 40])],
        [table],
    )
    path = tmp_path / "tied.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
    found = run("inspect", path)
    assert [kernel["params"] for kernel in found["kernels"] if kernel["tunable"]] == [640, 640]
    assert found["model"]["params"] == 640


def test_evaluate_says_that_data_is_synthetic_and_real_data_is_not(run, cnn_path, tmp_path):
    found = run("evaluate", cnn_path, "--preset", "int8")
    assert found["synthetic_data"] is True
    assert {"sqnr_db", "cosine", "mse", "top1_agreement"} <= set(found["output"])
    assert 10 < found["output"]["sqnr_db"] < 70
    for kernel in found["kernels"]:
        assert set(kernel) == {"id", "name", "scheme", "local_sqnr_db", "accumulated_sqnr_db", "unmeasured"}
    images = np.random.default_rng(1).random((9, 3, 16, 16), np.float32)
    np.savez(tmp_path / "d.npz", image=images, labels=np.arange(9))
    real = run("evaluate", cnn_path, "--preset", "int8", "--data", tmp_path / "d.npz", "--samples", 5)
    assert (real["synthetic_data"], real["samples"], real["samples_available"]) == (False, 5, 9)
    assert real["output"]["accuracy"] is not None
    assert any("optimistic" in note for note in real["notes"])


@pytest.mark.parametrize("spelled", ["d.npz", "./sub/../d.npz"])
def test_the_same_samples_are_called_so_whether_they_are_named_once_or_twice(run, cnn_path, tmp_path, spelled):
    (tmp_path / "sub").mkdir()
    images = np.random.default_rng(1).random((9, 3, 16, 16), np.float32)
    np.savez(tmp_path / "d.npz", image=images)
    np.savez(tmp_path / "e.npz", image=images + 1)
    once = run("evaluate", cnn_path, "--preset", "int8", "--data", tmp_path / "d.npz")
    twice = run(
        "evaluate", cnn_path, "--preset", "int8", "--calib", f"{tmp_path}/{spelled}", "--data", tmp_path / "d.npz"
    )
    apart = run("evaluate", cnn_path, "--preset", "int8", "--calib", tmp_path / "e.npz", "--data", tmp_path / "d.npz")
    assert any("too optimistic" in note for note in once["notes"])
    assert twice["notes"] == once["notes"]
    assert not any("optimistic" in note for note in apart["notes"])


def test_more_bits_mean_less_error_and_more_bytes(run, cnn_path):
    found = {name: run("evaluate", cnn_path, "--preset", name) for name in ("int4", "int8", "fp16", "fp32")}
    assert found["fp32"]["output"]["sqnr_db"] is None  # exact
    assert found["fp16"]["output"]["sqnr_db"] > found["int8"]["output"]["sqnr_db"] > found["int4"]["output"]["sqnr_db"]
    assert (
        found["int4"]["size_bytes"]
        < found["int8"]["size_bytes"]
        < found["fp16"]["size_bytes"]
        < found["fp32"]["size_bytes"]
    )


def test_simulate(run, cnn_path):
    found = run("simulate", cnn_path, "--preset", "int8", "--device", "ascend310b1", "--minutes", 2)
    assert {"device", "latency_us", "peak_bytes", "energy_uj", "kernels", "sustained"} <= set(found)
    keys = {"id", "unit", "start_us", "latency_us", "cube_us", "vector_us", "mte_us", "launch_us", "bytes", "bound"}
    assert all(keys <= set(k) for k in found["kernels"])
    assert set(found["sustained"]) == {"minutes", "latency_us", "temperature_c", "throttled_at_s"}
    assert found["sustained"]["minutes"] == 2
    last = found["kernels"][-1]
    assert found["latency_us"] == pytest.approx(last["start_us"] + last["latency_us"])


def test_simulate_says_when_the_device_cannot_run_as_often_as_asked(run, cnn_path, capsys):
    arguments = ("simulate", cnn_path, "--preset", "int8", "--device", "kirin9030", "--minutes", 2)
    full, asked = run(*arguments), run(*arguments, "--rate", 100_000)
    assert full["notes"] == []
    assert asked["sustained"] == full["sustained"]
    assert "100000 runs per second" in asked["notes"][0]
    assert main([*map(str, arguments), "--rate", "100000"]) == 0
    assert asked["notes"][0] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "value"),
    [("--minutes", "-1"), ("--minutes", "0"), ("--minutes", "nan"), ("--minutes", "1e9"), ("--ambient", "-300"),
     ("--rate", "0"), ("--rate", "nan")],
)  # fmt: skip
def test_simulate_refuses_impossible_scenarios_in_one_line(cnn_path, capsys, option, value):
    arguments = ["simulate", str(cnn_path), "--preset", "int8", "--device", "kirin9030", option, value]
    assert main(arguments) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "must be" in line


def test_plan_then_export_gives_a_model_that_runs(run, cnn_path, tmp_path):
    written = run("plan", cnn_path, "--preset", "int4", "--out", tmp_path / "p.json")
    assert written["kernels"] == 4
    run("export", cnn_path, "--plan", tmp_path / "p.json", "--to", "qdq", "--out", tmp_path / "q.onnx")
    session = ort.InferenceSession(tmp_path / "q.onnx", providers=["CPUExecutionProvider"])
    assert session.run(None, {"image": np.zeros((1, 3, 16, 16), np.float32)})[0].shape == (1, 10)
    run("export", cnn_path, "--plan", tmp_path / "p.json", "--to", "csv", "--out", tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().startswith("index,id,name,op")


def test_a_target_that_can_not_do_the_plan_says_what_happens_instead(run, cnn_path, tmp_path):
    names = {t["name"] for t in run("targets")["targets"]}
    assert {"qdq", "csv", "plan", "amct_ptq", "atc", "dopt", "aimet", "report"} <= names
    found = run("export", cnn_path, "--preset", "int4", "--to", "dopt", "--out", tmp_path / "dopt")
    assert {(c["asked"], c["gets"]) for c in found["changes"]} == {("INT4", "INT8")}
    assert found["effect"]["gets_bytes"] > found["effect"]["asked_bytes"]
    assert found["effect"]["gets_sqnr_db"] > found["effect"]["asked_sqnr_db"]
    assert (tmp_path / "dopt").is_dir()


def test_sweeps_rank_estimated_and_exact_cells_alike(run, cnn_path, tmp_path):
    keys = {"kernel", "name", "scheme", "value", "kind", "seconds"}
    estimated = run("sweep", cnn_path, "--metric", "sqnr")
    exact = run("sweep", cnn_path, "--metric", "sqnr", "--mode", "one-in", "--out", tmp_path / "s.db")
    assert {c["kind"] for c in estimated["cells"]} == {"estimated"}
    assert {c["kind"] for c in exact["cells"]} == {"exact"}
    assert all(set(c) == keys for c in (*estimated["cells"], *exact["cells"]))
    assert len(exact["cells"]) == 12
    values = [c["value"] for c in exact["cells"]]
    assert values == sorted(values)  # dB, worst first
    first = {(c["kernel"], c["scheme"]): c["value"] for c in estimated["cells"]}
    for cell in exact["cells"]:
        assert first[cell["kernel"], cell["scheme"]] == pytest.approx(cell["value"], abs=6)
    again = run("sweep", cnn_path, "--metric", "sqnr", "--mode", "one-in", "--out", tmp_path / "s.db")
    assert {c["kind"] for c in again["cells"]} == {"stored"}
    assert [c["value"] for c in again["cells"]] == values


def test_an_estimate_says_how_many_probes_it_comes_from(run, capsys, cnn_path):
    found = run("sweep", cnn_path, "--metric", "sqnr", "--probes", "3")
    assert found["probes"] == 3
    assert run("sweep", cnn_path, "--metric", "sqnr", "--mode", "one-in")["probes"] is None
    assert main(["sweep", str(cnn_path), "--probes", "3"]) == 0
    assert ", 3 probes a sample" in capsys.readouterr().out


def test_a_limit_that_is_far_out_of_reach_is_missed_by_a_factor(capsys, cnn_path):
    assert main(["search", str(cnn_path), "--max-size-mb", "0.000001"]) == 0
    missed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("not met")]
    assert re.fullmatch(r"not met: model size, by a factor of [\d,]+; this is the nearest plan", missed[0])


@pytest.mark.parametrize("mode", ["estimated", "one-in"])
def test_a_sweep_takes_no_memory_for_whole_plans(run, cnn_path, monkeypatch, mode):
    """Which would be as much as the reference takes."""
    made = []
    monkeypatch.setattr(SampleState, "_buffers", lambda state: made.append(state) or {})
    run("sweep", cnn_path, "--metric", "sqnr", "--mode", mode)
    assert not made


def test_one_out_restores_one_kernel_of_a_plan(run, cnn_path):
    whole = run("evaluate", cnn_path, "--preset", "int4")["output"]["sqnr_db"]
    found = run("sweep", cnn_path, "--mode", "one-out", "--preset", "int4", "--metric", "sqnr")
    assert len(found["cells"]) == 4
    assert max(c["value"] for c in found["cells"]) > whole


def test_a_changed_best_class_can_only_be_measured(run, cnn_path):
    found = run("sweep", cnn_path, "--mode", "one-in", "--metric", "top1")
    assert len(found["cells"]) == 12
    assert all(0 <= cell["value"] <= 1 for cell in found["cells"])


def test_search_says_its_plan_in_words_and_limits_accuracy(run, cnn_path):
    found = run("search", cnn_path, "--max-accuracy-drop", 0)
    assert found["feasible"] == ("accuracy_drop" not in found["overdrawn"])
    assert found["rules"]
    assert isinstance(found["additive"], bool)


def test_search_keeps_budgets_and_measures_its_plan(run, cnn_path, tmp_path):
    sizes = {p: run("evaluate", cnn_path, "--preset", p)["size_bytes"] for p in ("int4", "fp16")}
    budget = (sizes["int4"] + sizes["fp16"]) / 2
    found = run("search", cnn_path, "--max-size-mb", budget / 1e6, "--out", tmp_path / "p.json", "--pareto", 4)
    assert found["feasible"]
    assert found["measured"]["size_bytes"] <= budget
    assert found["measured"]["value"] is not None
    latencies = [p["latency_us"] for p in found["pareto"]]
    assert latencies == sorted(latencies, reverse=True)
    real = run("evaluate", cnn_path, "--plan", tmp_path / "p.json")
    assert real["size_bytes"] == found["measured"]["size_bytes"]
    tight = run("search", cnn_path, "--max-size-mb", 0.00001)
    assert not tight["feasible"]
    assert tight["binding"] == ["size_bytes"]
    assert tight["overdrawn"]["size_bytes"] == pytest.approx(tight["measured"]["size_bytes"] / 10 - 1)  # MB is 10^6


def test_a_check_takes_megabytes_of_a_million_bytes(cnn_path, tmp_path, capsys):
    assert main(["plan", str(cnn_path), "--preset", "fp16", "--out", str(tmp_path / "fp16.json"), "--json"]) == 0
    size = json.loads(capsys.readouterr().out)["size_bytes"]
    found = []
    for allowed in (size, size - 1):
        main(["check", str(cnn_path), "--max-size-mb", str(allowed / 1e6), "--json"])
        found.append("package" in {f["code"] for f in json.loads(capsys.readouterr().out)["findings"]})
    assert found == [False, True]


def test_devices(run):
    assert {"kirin9030", "ascend310b1"} <= {d["name"] for d in run("devices")["devices"]}


def test_shapes_and_samples_by_name(run, tmp_path):
    path = small_cnn(tmp_path / "free.onnx", batch="batch")
    assert run("inspect", path, "--shape", "image=2,3,16,16")["model"]["inputs"][0]["shape"] == [2, 3, 16, 16]
    assert run("inspect", path)["model"]["inputs"][0]["shape"] == [1, 3, 16, 16]
    found = run("evaluate", "sample:mobile_vision_encoder", "--preset", "fp16", "--samples", 16)
    assert found["synthetic_data"] is False
    assert found["output"]["reference_accuracy"] > 0.8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["inspect", "{tmp}/missing.onnx"], ["missing.onnx"]),
        (["inspect", "{tmp}/text.onnx"], ["text.onnx"]),
        (["inspect", "{cnn}", "--shape", "image=1,3,16"], ["image"]),
        (["inspect", "{cnn}", "--shape", "picture=1,3,16,16"], ["picture"]),
        (["inspect", "sample:nothing"], ["nothing", "mobile_vision_encoder"]),
        (["evaluate", "{cnn}", "--plan", "{tmp}/text.onnx"], ["text.onnx", "plan"]),
        (["evaluate", "{cnn}", "--preset", "int8", "--data", "{tmp}/none"], ["none"]),
        (["simulate", "{cnn}", "--preset", "int8", "--device", "abacus"], ["abacus", "kirin9030"]),
        (["plan", "{cnn}", "--preset", "int8", "--out", "{tmp}/no/p.json"], ["no/p.json"]),
        (["sweep", "{cnn}", "--schemes", "int5"], ["int5", "int4"]),
        (["sweep", "{relu}"], ["nothing to sweep"]),
        (["sweep", "{relu}", "--mode", "one-in"], ["nothing to sweep"]),
        (["search", "{relu}"], ["precision can be set"]),
        (["sweep", "{cnn}", "--mode", "one-in", "--out", "{tmp}/text.onnx"], ["text.onnx", "no result store"]),
        (["sweep", "{cnn}", "--mode", "one-in", "--out", "{tmp}/no/s.db"], ["s.db"]),
        (["export", "{cnn}", "--preset", "int8", "--to", "qdq", "--out", "{tmp}/no/q.onnx"], ["no/q.onnx"]),
    ],
)
def test_refusals_are_one_sentence_and_exit_code_1(capsys, cnn_path, tmp_path, arguments, words):
    (tmp_path / "text.onnx").write_text("This is no model." * 9)
    info = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 4]) for name in ("x", "y")]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "g", info[:1], info[1:])
    relu = tmp_path / "relu.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)]), relu)
    code = main([a.format(tmp=tmp_path, cnn=cnn_path, relu=relu) for a in arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (1, "")
    assert err.startswith("mixbit: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


@pytest.mark.parametrize("kind", ["qdq", "csv", "plan"])
def test_the_model_itself_is_never_overwritten(capsys, cnn_path, kind):
    before = cnn_path.read_bytes()
    assert main(["export", str(cnn_path), "--preset", "int8", "--to", kind, "--out", str(cnn_path)]) == 1
    assert "never written" in capsys.readouterr().err
    assert main(["plan", str(cnn_path), "--preset", "int8", "--out", str(cnn_path)]) == 1
    assert cnn_path.read_bytes() == before


@pytest.mark.parametrize("kind", ["qdq", "matmul_nbits", "csv", "plan", "report"])
def test_a_link_is_never_replaced(capsys, cnn_path, tmp_path, kind):
    (tmp_path / "kept").write_bytes(b"kept")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    arguments = ["export", str(cnn_path), "--preset", "int8", "--to", kind, "--out", str(tmp_path / "link")]
    assert main(arguments) == 1
    assert "no ordinary file" in capsys.readouterr().err
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "kept").read_bytes() == b"kept"


def test_a_reader_that_has_seen_enough_gets_no_traceback(cnn_path):
    program = "import sys; from engine.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "inspect", str(cnn_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        started.stdout.close()
        error = started.stderr.read()
    assert error == b""
    assert started.returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["unknown"],
        ["inspect"],
        ["evaluate", "m.onnx"],
        ["evaluate", "m.onnx", "--preset", "int5"],
        ["evaluate", "m.onnx", "--preset", "int8", "--plan", "p.json"],
        ["inspect", "m.onnx", "--shape", "image"],
        ["inspect", "m.onnx", "--shape", "image=-1"],
        ["evaluate", "m.onnx", "--preset", "int8", "--samples", "0"],
        ["evaluate", "m.onnx", "--preset", "int8", "--samples", "-1"],
        ["sweep", "m.onnx", "--probes", "0"],
        ["sweep", "m.onnx", "--mode", "one-in", "--workers", "0"],
        ["search", "m.onnx", "--pareto", "0"],
        ["search", "m.onnx", "--max-accuracy-drop", "250"],
        ["export", "m.onnx", "--preset", "int8", "--to", "tflite", "--out", "x"],
    ],
)
def test_wrong_usage_exits_2(capsys, arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2  # a sentence, and where the rest stands
    assert told[1].startswith("mixbit ")
    assert told[1].endswith(" --help lists what there is.")


def test_tables_for_people(capsys, cnn_path):
    assert main(["simulate", str(cnn_path), "--preset", "int8", "--device", "kirin9030"]) == 0
    out = capsys.readouterr().out
    assert "latency µs" in out
    assert "(simulated)" in out
    assert main(["evaluate", str(cnn_path), "--preset", "int8"]) == 0
    assert "indicative only" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "words"), [(("--samples", "5"), "5 of 9 samples; --samples 9 for all"), ((), ", 9 samples")]
)
@pytest.mark.parametrize("command", [("evaluate", "--preset", "int8"), ("sweep",)])
def test_samples_that_are_left_out_are_said(capsys, cnn_path, tmp_path, command, given, words):
    np.savez(tmp_path / "d.npz", image=np.random.default_rng(1).random((9, 3, 16, 16), np.float32))
    name, *options = command
    assert main([name, str(cnn_path), *options, "--data", str(tmp_path / "d.npz"), *given]) == 0
    assert words in capsys.readouterr().out


@pytest.mark.parametrize(
    ("metric", "title", "means", "form"),
    [
        ("sqnr", "Output SQNR (dB)", "evaluate calls output SQNR", r"-?[0-9]+\.[0-9]"),
        ("kl", "KL divergence (nats)", "Kullback-Leibler", r"[0-9]\.[0-9]{3}e-?[+0-9]+"),
        ("cosine", "Cosine distance", "cosine similarity", r"[0-9]\.[0-9]{3}e-?[+0-9]+"),
    ],
)
def test_a_sweep_names_its_metric_and_keeps_the_decimals_of_a_column(capsys, cnn_path, metric, title, means, form):
    assert main(["sweep", str(cnn_path), "--metric", metric]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert title in head
    cells = [row[head.index(title) :].split()[0] for row in rows if row.endswith("estimated")]
    assert len(cells) == 12
    assert all(re.fullmatch(form, cell) for cell in cells)
    assert any(means in row for row in rows)


def test_a_search_says_the_unit_of_what_it_predicts_and_measures(capsys, cnn_path):
    assert main(["search", str(cnn_path), "--min-sqnr-db", "30"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"Output SQNR \(dB\): predicted [0-9.]+ dB, measured [0-9.]+ dB", out)
    assert "evaluate calls output SQNR" in out


def test_no_command_imports_qt(cnn_path):
    program = (
        "import sys; from gui.main import main; code = main(sys.argv[1:]);"
        "assert not [m for m in sys.modules if m.startswith(('PySide6', 'pyqtgraph'))]; sys.exit(code)"
    )
    arguments = ["inspect", str(cnn_path), "--json"]
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kernels"]


def test_every_command_has_help(capsys):
    for command in COMMANDS:
        with pytest.raises(SystemExit) as left:
            main([command, "--help"])
        assert left.value.code == 0
        assert command in capsys.readouterr().out


@pytest.mark.parametrize("value", ["nan", "inf", "0", "-1"])
def test_a_memory_limit_that_is_none_is_wrong_usage(capsys, value):
    with pytest.raises(SystemExit) as stopped:
        main(["inspect", "sample:mobile_vision_encoder", "--memory-limit", value])
    assert stopped.value.code == 2
    assert "--memory-limit" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["1e12", "1e300"])
def test_a_memory_limit_beyond_all_counting_is_none(run, cnn_path, value):
    assert run("inspect", cnn_path, "--memory-limit", value)["kernels"]


@pytest.mark.parametrize("budget", ["--max-latency-us", "--max-size-mb"])
def test_a_budget_of_nothing_is_wrong_usage(capsys, budget):
    with pytest.raises(SystemExit) as stopped:
        main(["search", "sample:mobile_vision_encoder", budget, "-1"])
    assert stopped.value.code == 2
    assert f"{budget}: must be above zero, not -1" in capsys.readouterr().err
