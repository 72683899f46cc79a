"""Names, bars and labels in little room, and lists that begin at their top."""

import numpy as np
import pytest
from fakes import with_model
from plot_hand import settle, show
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from engine.precision.scheme import FP16, INT4
from engine.session.changes import What
from engine.session.state import SensitivityCell
from gui.fonts import font
from gui.kernel_names import names_of, short_names
from gui.plots.frame import Frame
from gui.plots.free_place import Drawn, along, freest
from gui.plots.kernels import kernel_columns
from gui.views.compare import CompareView
from gui.views.fitting import fitting_name
from gui.views.fitting_ops import fitting_op, fitting_path
from gui.views.kernel import KernelView
from gui.views.layers import LayersView
from gui.views.layers_columns import COLUMNS, fit
from gui.views.layers_rows import shape_of, with_threshold
from gui.views.preflight_findings import findings
from gui.views.ranking import RankingView
from gui.views.ranking_model import ranking
from gui.views.summary_notes import explain

WORDS = ("query", "key", "value")


@pytest.mark.parametrize("room", [150, 190, 240])
def test_layers_of_a_transformer_stay_distinguishable(qapp, room):
    names = [f"/encoder/layer.{i}/attention/self/{word}/MatMul" for i in range(6) for word in WORDS]
    shown = {"".join(fitting_name(name, room)) for name in names}
    assert len(shown) == len(names)


def test_a_label_goes_where_nothing_is_drawn():
    frame = Frame(QRectF(0, 0, 400, 100), 0.0, 10.0, 0.0, 100.0)
    x = np.arange(11.0)
    low_then_high = Drawn(x, np.where(x < 6, 45.0, 95.0))
    place = freest(along(frame.area, 80, 14, (52.0,)), [low_then_high], frame)
    assert place.left() > 300


def test_all_small_sensitivities_have_short_bars(session):
    assert with_threshold(np.full(9, 3e-5), least=0.1) == 0.1
    session.sensitivity = {(k.id, FP16): SensitivityCell(k.id, FP16, 72.0, 2e-8) for k in session.network.tunable}
    assert max(row.bar for row in ranking(session, "FP16", "kl")) < 0.01
    assert max(row.bar for row in ranking(session, "FP16", "sqnr")) < 0.01


def test_a_ranking_appears_at_its_top(qtbot, session, theme):
    kernel = session.network.tunable[-1].id
    session.select((kernel,), kernel, who="LayersView")
    view = show(qtbot, RankingView, session, theme, 500, 200)
    assert view.list.verticalScrollBar().value() == 0
    other = view.kernels()[-1]
    session.select((other,), other, who="LayersView")
    settle(view)
    assert view.list.verticalScrollBar().value() > 0


def test_a_new_model_is_listed_from_its_top(qtbot, session, theme):
    view = show(qtbot, LayersView, session, theme, 900, 300)
    view.table.verticalScrollBar().setValue(20)
    session.select((), None)
    other = with_model()
    session.network = other.network
    session.emit(What.MODEL)
    settle(view)
    other.close()
    assert view.table.verticalScrollBar().value() == 0


def test_nothing_selected_is_nothing_compared_and_the_current_row_is_told_of(qtbot, session, theme):
    kernel = session.network.kernels[17].id
    session.select((kernel,), kernel)
    inspector = show(qtbot, KernelView, session, theme, 300, 700)
    compare = show(qtbot, CompareView, session, theme, 1100, 740)
    qtbot.waitUntil(lambda: (settle(compare), compare.subtitle() != "")[1], timeout=8000)
    session.select((), kernel)
    settle(inspector)
    settle(compare)
    assert inspector.kernel.id == kernel  # keys still work on its row in Layers
    assert inspector._pages.currentIndex() == 0
    assert compare.subtitle() == ""


def test_the_launches_have_one_share(session):
    notes = explain(session, "latency")
    share = next(note for note in notes if note.endswith("launch")).removesuffix(" launch")
    found = next(f for f in findings(session) if "launch-bound" in f.title)
    assert f"{share} of the run" in found.detail


def test_formats_that_run_as_fp16_are_named(session):
    kernels = [k.id for k in session.network.tunable if str(k.kind) == "depthwise"][:1]
    session.set_scheme(kernels, INT4)
    assert "INT4 of 1 kernel runs as FP16 here" in explain(session, "latency")


def test_what_most_names_end_with_gives_way_to_what_tells_kernels_apart():
    names = tuple(f"block_{i}.batch_norm_{i}.tmp_0" for i in range(12))
    shown = ["".join(fitting_name(name, 96, short=short_names(names).of(name))) for name in names]
    assert len(set(shown)) == len(names)
    assert not any("tmp_0" in words for words in shown)
    assert "".join(fitting_name(names[3], 400, short=short_names(names).of(names[3]))) == names[3]


def test_an_ending_is_left_out_only_where_the_rest_tells_kernels_apart():
    assert short_names(("relu_1.tmp_0", "relu_1.tmp_1", "relu_2.tmp_0")).short == ("tmp_0", "tmp_1", "relu_2")
    assert short_names(tuple(f"a{i}.b.MatMul" for i in range(9))).short[3] == "a3.b"


def test_a_kernel_has_one_short_name_in_all_views(qtbot, session, theme):
    names = names_of(session.network)
    shape, columns = shape_of(session.network), kernel_columns(session)
    assert shape.short == columns.short == names.short
    view = show(qtbot, RankingView, session, theme, 500, 200)
    assert [view.delegate.short(name) for name in columns.names] == list(names.short)


@pytest.mark.parametrize("room", [60, 90, 120, 158])
def test_operators_take_short_words_before_they_are_counted(qapp, room):
    shown = fitting_op("DWConv 3×3 s2 + HardSwish + Add", "52.3 µs", room)
    assert QFontMetricsF(font(11)).horizontalAdvance(shown) <= room
    assert shown.startswith("DWConv")
    assert "…" not in shown


def test_the_operator_stands_before_the_latency(qapp):
    assert fitting_op("Conv 1×1 + HardSwish", "4.0 µs", 400) == "Conv 1×1 + HardSwish · 4.0 µs"


def test_the_number_of_a_block_is_not_cut(qapp):
    assert fitting_path("model.auto_model.encoder.layer.1 … 29", 22, len) == "…encoder.layer.1 … 29"


def test_operators_are_whole_before_bars_are_comfortable():
    columns = [column for column in COLUMNS if column.shown]
    least = fit(columns, 3000, {"name": 120, "op": 160}, {})
    room = sum(c.least for c in columns if c.key in least and c.key not in ("name", "op", "local")) + 120 + 160
    widths = fit([c for c in columns if c.key != "local"], room, {"name": 120, "op": 160}, {})
    assert widths["op"] == 160


def test_a_name_without_a_path_has_no_mark_in_front_where_room_ends(qapp):
    seen = set()
    for name in ("transpose_47.tmp_0", "/transpose_47/tmp_0"):
        for room in range(10, 240, 5):
            path, last = fitting_name(name, room, short="transpose_47")
            seen.add(last)
            assert path in ("", "/" if last == "transpose_47/tmp_0" else "")
    assert {"transpose_47", "transpose_47.tmp_0", "transpose_47/tmp_0"} <= seen


def test_dots_that_stand_for_words_have_no_dots_beside_them(qapp):
    name = "jax2tf_get_logits_.pjit_get_logits_.MagikaV2.Dense_0.einsum"
    shown = {"".join(fitting_name(name, room)) for room in range(20, 500, 3)}
    assert len(shown) > 3
    assert not any("….".encode() in words.encode() or ".…" in words for words in shown)
    assert not any(words.startswith("2…") for words in shown)  # no number: a letter of jax2tf
