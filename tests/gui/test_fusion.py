"""What fusion saves, which layers are tied, and how much memory a model may take."""

import numpy as np
import onnx
import pytest
from fakes import FakeSession
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import quantize_dynamic
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea

from engine.fusion import fuse
from engine.graph import load
from engine.graph.limits import TooBigError
from engine.precision import INT4, INT8, Plan
from engine.session.samples import find_sample
from engine.session.sharing import sharing_sentences, split_note
from engine.session.work import open_network
from gui.dialogs.fusion import FusionDialog
from gui.dialogs.memory_limit import MemoryLimitDialog
from gui.settings import Settings
from gui.theme import LIGHT
from gui.views.kernel import KernelView
from gui.views.kernel_data import stored_facts
from gui.views.layers_rows import shape_of


@pytest.fixture
def cloud():
    session = FakeSession(open_network(find_sample("mobile_vision_encoder").model, rules="cloud"))
    session.rules = "cloud"
    yield session
    session.jobs.close()


def tied_model(path, *, transposed):
    """An embedding and a head that read one table, and a layer of its own."""
    rng = np.random.default_rng(0)
    node = helper.make_node
    nodes = [node("Gather", ["table", "ids"], ["e"], "embed"), node("MatMul", ["e", "w"], ["h"], "layer")]
    if transposed:
        nodes += [node("Transpose", ["table"], ["t"], perm=[1, 0]), node("MatMul", ["h", "t"], ["y"], "head")]
    else:
        nodes.append(node("MatMul", ["h", "w"], ["y"], "again"))
    constants = {"table": (50, 16), "w": (16, 16)}
    graph = helper.make_graph(
        nodes,
        "tied",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, [4])],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(rng.standard_normal(s).astype(np.float32), n) for n, s in constants.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return fuse(load(path))


def cells(dialog):
    grid = dialog.grid
    places = (grid.itemAtPosition(row, column) for row in range(4) for column in range(6))
    return [item.widget().text() for item in places if item is not None and isinstance(item.widget(), QLabel)]


def test_launches_before_and_after_and_what_stayed_apart(cloud, qtbot):
    dialog = FusionDialog(cloud, None)  # deletes itself when it is closed
    dialog.show()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() > 0, timeout=5000)
    words = cells(dialog)
    assert words[6:9] == ["Node by node", "18", "0"]
    assert words[12:15] == ["Cloud: conservative", "14", "4"]
    assert words[18:21] == ["Edge: all that can fuse", "6", "12"]
    assert "% of the latency" in dialog.sentence.text().replace("\u202f", "").replace(" %", "%")
    item = dialog.list.topLevelItem(0)
    assert item.text(3)
    dialog.list.setCurrentItem(item)
    assert cloud.network.by_id(cloud.current).name == item.text(1)
    (use,) = [b for b in dialog.findChildren(QPushButton) if b.text() == "Use"]
    use.click()
    assert cloud.calls[-1] == ("set_rules", "edge") or cloud.rules == "edge"
    dialog.reject()


def test_the_kernel_view_says_what_stayed_apart_and_what_launches_it_saves(cloud, qtbot):
    chosen = next(k for k in cloud.network.kernels if "Conv" in k.op)
    cloud.select((chosen.id,), chosen.id)
    view = KernelView(cloud, LIGHT)
    qtbot.addWidget(view)
    view.resize(316, 860)
    view.show()
    qtbot.waitExposed(view)
    view.refresh_now()
    qtbot.waitUntil(lambda: view.refresh_now() or "Not fused with " in view.apart.text(), timeout=5000)
    edge = fuse(cloud.network.graph, "edge")
    cloud.show(edge)
    cloud.select((edge.kernels[0].id,), edge.kernels[0].id)
    view.refresh_now()
    nodes = len(edge.kernels[0].nodes)
    assert view.apart.text().startswith(f"Saves {nodes - 1} launches, ")
    page = view.findChild(QScrollArea).widget()
    assert page.minimumSizeHint().width() <= 316  # nothing is cut off at the right
    view.dispose()


@pytest.mark.parametrize("transposed", [False, True])
def test_tied_weights_are_told(transposed, tmp_path, qtbot, request):
    network = tied_model(tmp_path / "tied.onnx", transposed=transposed)
    embed, layer, last = network.tunable
    told = sharing_sentences(network)
    assert set(told) == ({embed.id, last.id} if transposed else {layer.id, last.id})
    assert ("in another layout" in str(told[last.id])) is transposed
    rows = shape_of(network)
    assert [text is not None for text in rows.shared] == [kernel.id in told for kernel in network.kernels]
    session = FakeSession(network)
    request.addfinalizer(session.jobs.close)
    session.select((last.id,), last.id)
    view = KernelView(session, LIGHT)
    qtbot.addWidget(view)
    view.show()
    view.refresh_now()
    assert (embed if transposed else layer).name in view.shared.text()
    view.dispose()


def test_a_change_of_one_of_tied_layers_says_what_the_others_do(tmp_path):
    network = tied_model(tmp_path / "tied.onnx", transposed=False)
    _, layer, again = network.tunable
    plan = Plan({kernel.id: INT8 for kernel in network.tunable})
    note = split_note(network, plan.with_schemes({layer.id: INT4}), {layer.id})
    assert str(note).startswith(f"{again.name} reads the same weight")
    assert split_note(network, plan.with_schemes({layer.id: INT4, again.id: INT4}), {layer.id, again.id}) is None
    assert split_note(network, plan, {layer.id}) is None


def test_a_layer_on_codes_shows_the_precision_of_the_file(tmp_path, cnn_file, qtbot, request):
    quantize_dynamic(cnn_file, tmp_path / "dynamic.onnx")
    session = FakeSession(fuse(load(tmp_path / "dynamic.onnx")))
    request.addfinalizer(session.jobs.close)
    kernel = next(k for k in session.network.kernels if k.stored is not None)
    assert not kernel.tunable
    facts = stored_facts(kernel)
    assert [fact.remark for fact in facts] == ["in the file", "in the file"]
    assert facts[0].value.startswith("INT8")
    assert facts[1].value.endswith("dynamic")


@pytest.fixture
def cnn_file(tmp_path):
    """A Gemm whose weight a quantizer takes."""
    weight = np.random.default_rng(0).standard_normal((16, 8)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], "layer")],
        "layer",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 8])],
        [numpy_helper.from_array(weight, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "layer.onnx")
    return tmp_path / "layer.onnx"


def test_a_model_that_no_limit_would_open_offers_none(tmp_path, qtbot):
    answers = []
    error = TooBigError(tmp_path / "big.onnx", 10**18, 4_000_000_000)
    dialog = MemoryLimitDialog(4_000_000_000, answers.append, None, refusal=error.text, need=error.need)
    dialog.show()
    assert [button.text() for button in dialog.findChildren(QPushButton) if button.isVisible()] == ["Cancel"]
    assert not dialog.field.isVisible()
    dialog.reject()
    assert answers == [None]


def test_the_memory_limit_is_asked_for_and_remembered(tmp_path, qtbot):
    answers = []
    error = TooBigError(tmp_path / "big.onnx", 6_000_000_000, 4_000_000_000)
    dialog = MemoryLimitDialog(4_000_000_000, answers.append, None, refusal=error.text, need=error.need)
    assert dialog.field.value() == 7.5
    assert "big.onnx" in dialog.sentence.text()
    dialog.accept()
    other = MemoryLimitDialog(4_000_000_000, answers.append, None)
    other.reject()
    assert answers == [7_500_000_000, None]
    settings = Settings(tmp_path / "settings")
    assert settings.memory_limit is None
    settings.memory_limit = 7_500_000_000
    settings.sync()
    assert Settings(tmp_path / "settings").memory_limit == 7_500_000_000
    settings.memory_limit = 5
    assert settings.memory_limit is None
