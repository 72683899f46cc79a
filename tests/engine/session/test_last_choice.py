"""The last choice wins: of quick changes of rules and data the session ends with what was chosen last."""

from __future__ import annotations

import shutil

import pytest
from driving import Driver


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
