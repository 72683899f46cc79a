"""Tables of the command line: figures end below each other, words begin there, whatever the script."""

from engine.cli.show import _with_db
from engine.cli.table import print_table


def printed(capsys, columns, rows):
    print_table(columns, rows)
    return capsys.readouterr().out.splitlines()


def test_figures_stand_to_the_right_and_words_to_the_left(capsys):
    rows = [("0", "conv", "1,658,880", "41.3", "-0.50"), ("10", "a longer name", "0", "exact", "12.00")]
    assert printed(capsys, ("#", "name", "MACs", "SQNR dB", "change"), rows) == [
        " #  name                MACs  SQNR dB  change",
        " 0  conv           1,658,880     41.3   -0.50",
        "10  a longer name          0    exact   12.00",
    ]


def test_a_column_of_words_and_figures_is_one_of_words(capsys):
    assert printed(capsys, ("name",), [("12",), ("conv",)]) == ["name", "12", "conv"]
    assert printed(capsys, ("figure", "next"), [("–", "a"), ("–", "b")])[1] == "–       a"


def test_chinese_names_take_two_cells_each(capsys):
    lines = printed(capsys, ("name", "unit"), [("卷积层", "Cube"), ("conv", "Cube")])
    assert lines == ["name    unit", "卷积层  Cube", "conv    Cube"]


def test_an_exact_error_has_no_unit():
    assert _with_db(float("inf")) == "exact"
    assert _with_db(24.66) == "24.7 dB"
    assert _with_db(float("nan")) == "not measurable"
