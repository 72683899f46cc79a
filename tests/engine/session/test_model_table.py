"""The tables of docs/models.md are what happens: every awkward kind of model, and the samples."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import model_table  # noqa: E402
from model_kinds import KINDS  # noqa: E402

PAGE = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")


def table(name: str) -> list[list[str]]:
    """Cells of a table of the page."""
    text = PAGE.partition(model_table.BEGIN.format(name))[2].partition(model_table.END.format(name))[0]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in text.strip().splitlines()[2:]]


WRITTEN = {row[0]: row for row in table("kinds")}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.group}: {kind.title}")
def test_kind(kind, tmp_path):
    row = model_table.examine(kind.title, kind.write(tmp_path))
    assert row.opened == kind.opens
    line = model_table.cells(f"{kind.group}: {row.name}", row)
    assert [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] == WRITTEN[f"{kind.group}: {kind.title}"]
    assert row.preview in (("same", "–") if kind.opens else ("",))
    assert row.exported in ("same", "")


def test_the_page_has_no_other_kinds():
    assert list(WRITTEN) == [f"{kind.group}: {kind.title}" for kind in KINDS]


@pytest.mark.parametrize("row", model_table.list_samples(), ids=lambda sample: sample.name)
def test_sample(row):
    written = {line[0]: line for line in table("samples")}[row.name]
    found = model_table.examine(row.name, row.model, export=False)
    assert [str(found.kernels), str(found.switches), found.preview] == written[2:5]
    assert written[1] == "opens"


def test_the_page_names_no_folder_of_a_machine():
    assert not re.search(r"/(home|root|tmp|Users|work)\b", PAGE)


def test_a_difference_shows():
    import numpy as np

    one, other = {"y": np.float32([1, 2, 3])}, {"y": np.float32([1, 2, 3.001])}
    assert model_table.distance(one, one) == "same"
    assert model_table.distance(other, one) == "3e-04"
    assert model_table.distance({"y": np.float32([1, 2, np.nan])}, one) == "differs"
    assert model_table.sqnr_db(one["y"], one["y"]) == np.inf
    assert 70 < model_table.sqnr_db(other["y"], one["y"]) < 80
