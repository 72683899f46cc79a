"""Sizes of free dimensions: the usual ones are tried before a model is refused, and the refusal says what was tried."""

import queue
import time

import pytest
from build import N, ints, model, save, weights

from engine.cli import main
from engine.errors import ModelError, SizesRefusedError
from engine.graph import read_inputs
from engine.graph.proposals import alternatives
from engine.graph.runtime import reason
from engine.session import Session
from engine.session.work import open_network


def recogniser(folder, name="line.onnx", area=48 * 320):
    """Takes pictures of one area only, as a recogniser of text lines does."""
    nodes = [N("Reshape", ["x", "flat"], ["r"], name="flatten"), N("MatMul", ["r", "w"], ["y"])]
    constants = {"flat": ints(-1, 3, area), "w": weights(area, 4)}
    return save(model(nodes, {"x": ("batch", 3, "h", "w_")}, ["y"], constants), folder, name)


def test_other_usual_sizes_are_tried_where_the_proposal_does_not_run(tmp_path):
    network = open_network(recogniser(tmp_path))
    assert network.graph.inputs[0].shape == (1, 3, 48, 320)
    note = str(network.graph.notes[0])
    assert "x=1,3,224,224" in note
    assert "x=1,3,48,320" in note


def test_sizes_that_were_chosen_are_not_changed_and_stand_in_the_refusal(tmp_path):
    with pytest.raises(SizesRefusedError, match=r"flatten.*At x=1,3,64,64; other sizes may do"):
        open_network(recogniser(tmp_path), {"x": (1, 3, 64, 64)})


def test_no_size_that_runs(tmp_path):
    with pytest.raises(SizesRefusedError, match=r"At x=1,3,224,224; say which sizes it runs at"):
        open_network(recogniser(tmp_path, area=23 * 29))


def test_a_model_without_free_dimensions_is_refused_without_a_word_about_sizes(tmp_path):
    nodes = [N("Reshape", ["x", "shape"], ["y"])]
    path = save(model(nodes, {"x": (7, 3), "half": (3,)}, ["y"], {"shape": ints(5, 5)}), tmp_path)
    with pytest.raises(ModelError) as refused:
        open_network(path)
    assert not isinstance(refused.value, SizesRefusedError)
    assert "sizes" not in str(refused.value)


def test_alternatives_differ_from_the_proposal_and_from_each_other(tmp_path):
    inputs = {i.name: (i.dtype, i.dims) for i in read_inputs(recogniser(tmp_path))}
    found = [tuple(shapes.items()) for shapes in alternatives(inputs, "line")]
    assert (("x", (1, 3, 224, 224)),) not in found
    assert len(found) == len(set(found)) > 5
    fixed = {"x": (inputs["x"][0], (1, 3, 8, 8))}
    assert list(alternatives(fixed, "line")) == []


def test_the_command_line_says_which_sizes_were_taken(tmp_path, capsys):
    assert main(["inspect", str(recogniser(tmp_path)), "--quiet"]) == 0
    assert "x=1,3,48,320 is taken" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "[ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running Reshape node. Name:'flat' "
            "Status Message: /src/core/reshape_helper.h:47 onnxruntime::ReshapeHelper::ReshapeHelper(const "
            "onnxruntime::TensorShape&, onnxruntime::TensorShapeVector&, bool) "
            "input_shape_size == requested_shape_size was false. "
            "The input tensor cannot be reshaped to the requested shape. Input shape:{1,2}, requested shape:{3}",
            "the Reshape node flat fails: The input tensor cannot be reshaped to the requested shape. "
            "Input shape:{1,2}, requested shape:{3}",
        ),
        (
            "[ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running Op node. Name:'a' Status "
            "Message: x > 3 was false. ",
            "the Op node a fails: x > 3 was false",
        ),
    ],
)
def test_what_the_runtime_says_is_told_without_its_own_code(said, told):
    assert reason(Exception(said)) == told


class Asked:
    """Answers questions about sizes with what it was given, in turn; then gives up."""

    def __init__(self, *answers):
        self.answers, self.questions = list(answers), []

    def __call__(self, question, proceed):
        self.questions.append(question)
        proceed(self.answers.pop(0) if self.answers else None)


@pytest.fixture
def opened(tmp_path):
    calls = queue.Queue()
    session = Session(dispatch=calls.put, settings=tmp_path / "settings")

    def open_model(path, ask):
        session.open_model(path, ask=ask)
        end = time.monotonic() + 60
        while session.jobs.active or not calls.empty():
            try:
                calls.get(timeout=0.05)()
            except queue.Empty:
                assert time.monotonic() < end
        return session

    yield open_model
    session.close()


def test_a_refused_answer_is_asked_for_again_with_the_reason_and_sizes_that_run(opened, tmp_path):
    ask = Asked({"x": (1, 3, 224, 224)}, {"x": (2, 3, 48, 320)})
    session = opened(recogniser(tmp_path), ask)
    first, second = ask.questions
    assert first.refusal is None
    assert first.inputs[0].proposal == (1, 3, 224, 224)
    assert "x=1,3,224,224" in str(second.refusal)
    assert second.proven
    assert second.inputs[0].proposal == (1, 3, 48, 320)
    assert session.network.graph.inputs[0].shape == (2, 3, 48, 320)
    assert not [entry for entry in session.log if entry.level == "error"]


def test_where_no_usual_size_runs_the_question_keeps_what_was_chosen(opened, tmp_path):
    ask = Asked({"x": (1, 3, 10, 10)})
    session = opened(recogniser(tmp_path, area=23 * 29), ask)
    assert len(ask.questions) == 2
    assert ask.questions[1].inputs[0].proposal == (1, 3, 10, 10)
    assert not ask.questions[1].proven
    assert session.network is None


def test_the_usual_size_is_found_again_after_another_was_chosen(opened, tmp_path):
    ask = Asked({"x": (1, 3, 10, 10)}, {"x": (1, 3, 224, 224)})
    session = opened(recogniser(tmp_path, area=224 * 224), ask)
    assert ask.questions[1].proven
    assert ask.questions[1].inputs[0].proposal == (1, 3, 224, 224)
    assert session.network is not None
