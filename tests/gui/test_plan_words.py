"""Presets are called by their title wherever a plan is named, in the window's language; other plans by their name."""

import pytest

from engine.precision.presets import PRESET_TITLES
from engine.session.comparing import CURRENT
from gui.i18n import set_language, text
from gui.theme import LIGHT
from gui.views.compare_sources import source_words
from gui.views.error_profile import ErrorProfileView
from gui.views.plan_words import plan_word
from gui.views.plans import PlansView
from gui.views.summary import SummaryView


@pytest.fixture(params=["en", "zh"])
def preset_title(request, session):
    """The session with all INT8 as its plan, and what that is called."""
    set_language(request.param)
    session.apply_preset("int8")
    yield text(PRESET_TITLES["int8"])
    set_language("en")


def made(kind, session, qtbot):
    view = kind(session, LIGHT)
    qtbot.addWidget(view)
    view.show()
    view.refresh_now()
    return view


def test_names_of_presets_are_words(preset_title):
    assert plan_word("int8") == preset_title
    assert plan_word("night build") == "night build"
    assert plan_word("") == ""


def test_views_name_the_preset_by_its_title(preset_title, session, qtbot):
    summary = made(SummaryView, session, qtbot)
    assert "int8" not in summary.subtitle().split()
    error = made(ErrorProfileView, session, qtbot)
    keys = [key.text for key in error.caption._keys]
    assert any(preset_title in key for key in keys)
    assert not any("int8" in key for key in keys)
    title, _ = source_words(session, CURRENT, session.plan, None)
    assert title == preset_title


def test_a_preset_is_kept_by_its_title(preset_title, session, qtbot):
    view = made(PlansView, session, qtbot)
    view.keep()
    assert [plan.name for plan in session.kept.plans][-1] == preset_title
