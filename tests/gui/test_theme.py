import pytest
from PySide6.QtGui import QColor

from gui.paint import contrast, map_color, readable_on
from gui.paint.colour import luminance
from gui.theme import DARK, LIGHT, palette

THEMES = pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda t: t.name)


def test_contrast_agrees_with_known_values():
    assert contrast(QColor("#000"), QColor("#FFF")) == pytest.approx(21.0)
    assert contrast(QColor("#777777"), QColor("#FFFFFF")) == pytest.approx(4.478, abs=0.001)


@THEMES
@pytest.mark.parametrize("ground", ["panel", "raised", "sunken"])
@pytest.mark.parametrize("ink", ["text", "text2", "muted"])
def test_text_is_readable(look, ground, ink):
    assert contrast(getattr(look, ink), getattr(look, ground)) >= 4.5


@THEMES
def test_data_colours_stand_out_from_the_panel(look):
    colors = [look.precision(f).main for f in ("INT4", "INT8", "FP16", "CPU")] + [look.bar, look.ghost]
    assert min(contrast(c, look.panel) for c in colors) >= 3.0


@THEMES
def test_text_on_soft_precision_colours_is_readable(look):
    assert min(contrast(p.text, p.soft) for p in map(look.precision, ("INT4", "INT8", "FP16", "CPU"))) >= 4.5


@THEMES
@pytest.mark.parametrize("state", ["good", "warn", "bad"])
def test_state_colours_are_readable_as_text(look, state):
    assert contrast(getattr(look, state), look.panel) >= 4.5


@THEMES
def test_muted_becomes_text2_on_a_selected_row(look):
    assert contrast(look.text2, look.selection) >= 4.5
    assert contrast(look.on_accent, look.accent) >= 4.5


@THEMES
@pytest.mark.parametrize("name", ["heat", "cool"])
def test_lightness_of_a_map_runs_one_way(look, name):
    steps = [luminance(map_color(getattr(look, name), i / 40)) for i in range(41)]
    assert steps == sorted(steps, reverse=not look.dark)


@THEMES
def test_text_on_heat_cells_is_readable_everywhere(look):
    for index in range(51):
        ground = map_color(look.heat, index / 50)
        assert contrast(readable_on(ground), ground) >= 4.5


def test_map_color_meets_its_stops_and_clamps():
    stops = LIGHT.heat
    assert [map_color(stops, i / 5) for i in range(6)] == list(stops)
    assert map_color(stops, -1) == stops[0]
    assert map_color(stops, 7) == stops[-1]
    assert map_color(stops, float("nan")) == stops[0]


@THEMES
def test_palette_has_no_colour_of_the_style(qapp, look):
    made = palette(look)
    assert made.window().color() == look.panel
    assert made.color(made.ColorGroup.Disabled, made.ColorRole.Text) == look.faint
