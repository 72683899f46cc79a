"""An error that can't be measured is shown as that: in Preflight, in the flags, on the card and in the verdict."""

from dataclasses import replace

import pytest

from engine.session.state import Budgets
from gui.views.layers_flags import flags_of
from gui.views.layers_rows import rows_of, shape_of
from gui.views.preflight_findings import findings
from gui.views.summary_cards import cards
from gui.views.summary_verdict import statement


@pytest.fixture
def broken(session):
    """The reference of kernels 7 and 9, and the output behind them, hold NaN."""
    evaluation = session.figures.evaluation
    ids = [session.network.kernels[i].id for i in (7, 9)]
    hurt = {i: replace(evaluation.accumulated[i], unmeasured=40) for i in ids}
    output = replace(evaluation.output, sums=replace(evaluation.output.sums, unmeasured=40), top1_agreement=None)
    session.figures = replace(
        session.figures, evaluation=replace(evaluation, output=output, accumulated={**evaluation.accumulated, **hurt})
    )
    session.set_budgets(Budgets(min_sqnr_db=1.0, max_skin_c=90.0))
    return session


def test_preflight_names_the_first_layer(broken):
    found = next(f for f in findings(broken) if "full precision" in f.title)
    assert (found.severity, found.kernels) == ("bad", (7, 9))
    assert broken.network.kernels[7].name in found.title
    assert "errors of 2 kernels can't be measured" in found.detail


def test_rows_carry_a_flag(broken):
    rows = rows_of(broken, shape_of(broken.network))
    assert [i for i in range(len(rows)) if any(f.short == "not measurable" for f in flags_of(rows, i))] == [7, 9]


def test_a_budget_on_it_is_missed_and_says_why(broken):
    card = next(c for c in cards(broken) if c.key == "sqnr")
    assert (card.state, card.figure) == ("missed", "NaN")
    assert "the reference holds NaN" in card.note
    verdict = statement(cards(broken), "")
    assert (verdict.state, verdict.detail) == ("missed", "Output SQNR is not measurable")


def test_nothing_of_it_where_all_is_measured(session):
    assert not any("full precision" in f.title for f in findings(session))
    assert not rows_of(session, shape_of(session.network)).unmeasured.any()
