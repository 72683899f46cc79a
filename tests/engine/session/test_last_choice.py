"""The last choice wins: of quick changes of rules and data the session ends with what was chosen last."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from driving import Driver

from engine.interop.samples import DataSource
from engine.session.project import read_project


@pytest.fixture
def driver(tmp_path):
    made = Driver(tmp_path)
    yield made
    made.session.close()


def test_going_back_at_once_leaves_the_rules_as_they_were(driver, cnn_path):
    session = driver.open(cnn_path)
    network = session.network
    session.set_rules("cloud")
    session.set_rules("edge")
    driver.settle()
    assert session.network is network
    assert (session.rules, session.network.rules) == ("edge", "edge")
    session.set_rules("cloud")
    session.set_rules("edge")
    session.set_rules("cloud")
    driver.settle()
    assert (session.rules, session.network.rules) == ("cloud", "cloud")


@pytest.mark.parametrize("first", [True, False])
def test_rules_chosen_while_a_model_opens_are_for_that_model(driver, tmp_path, cnn_path, first):
    other = tmp_path / "other.onnx"
    shutil.copy(cnn_path, other)
    session = driver.session if first else driver.open(cnn_path)
    session.open_model(other)
    session.set_rules("edge")
    session.set_rules("cloud")
    driver.settle()
    assert session.path == other
    assert (session.rules, session.network.rules) == ("cloud", "cloud")
    assert driver.errors() == []


def test_rules_chosen_while_a_project_opens_are_an_edit_of_it(driver, tmp_path, cnn_path):
    session = driver.open(cnn_path)
    session.save_project(tmp_path / "p.mixbit")
    session.close_model()
    session.open_project(tmp_path / "p.mixbit")
    session.set_rules("cloud")
    driver.settle()
    assert session.network.rules == "cloud"
    assert session.project_path == tmp_path / "p.mixbit"
    assert session.modified


def test_data_chosen_a_moment_ago_is_what_a_project_holds(driver, tmp_path, cnn_path):
    session = driver.open(cnn_path)
    path = tmp_path / "p.mixbit"
    session.save_project(path)
    model_input = session.network.graph.inputs[0]
    np.savez(tmp_path / "d.npz", **{model_input.name: np.ones((4, *model_input.shape[1:]), np.float32)})
    source = DataSource("arrays", str(tmp_path / "d.npz"))
    session.set_data(source, source, "percentile")
    assert session.modified
    session.save_project()  # before it is read
    assert not session.modified
    assert (read_project(path).calibration.path, read_project(path).observer) == (source.path, "percentile")
    driver.settle()
    assert not session.modified
    assert session.data.observer == "percentile"


def test_data_that_cannot_be_read_or_is_given_up_is_not_what_a_project_holds(driver, tmp_path, cnn_path):
    session = driver.open(cnn_path)
    before = session.data_sources
    missing = DataSource("arrays", str(tmp_path / "missing.npz"))
    session.set_data(missing, missing)
    assert session.modified
    driver.settle()
    assert session.data_sources == before
    assert not session.modified
    session.set_data(None, None, "percentile")
    session.jobs.cancel_all()
    driver.settle()
    assert session.data_sources == before
    assert session.data.observer == "minmax"
