from math import inf, nan

import pytest

from gui import format as form

N, M = form.NARROW, form.MINUS


@pytest.mark.parametrize(
    ("us", "shown"),
    [
        (5.04, f"5.0{N}µs"),
        (999.94, f"999.9{N}µs"),
        (999.96, f"1.00{N}ms"),
        (2460.0, f"2.46{N}ms"),
        (9994.0, f"9.99{N}ms"),
        (9996.0, f"10.0{N}ms"),
        (11_800.0, f"11.8{N}ms"),
        (12_000_000.0, f"12.0{N}s"),
        (None, "–"),
    ],
)
def test_run_latency_changes_unit_and_decimals_with_size(us, shown):
    assert form.run_latency(us) == shown


def test_kernel_latency_stays_in_microseconds_with_thin_spaces_between_thousands():
    assert form.latency_us(12_345.67) == f"12{N}345.7{N}µs"


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, f"0{N}B"),
        (1023, f"1{N}023{N}B"),
        (24_576, f"24.0{N}KiB"),
        (2_705_326, f"2.58{N}MiB"),
        (1024**3, f"1.00{N}GiB"),
        (1024**2, f"1.00{N}MiB"),
        (None, "–"),
    ],
)
def test_bytes(count, shown):
    assert form.bytes_(count) == shown


@pytest.mark.parametrize(
    ("db", "shown"),
    [
        (21.24, "21.2"),
        (90.0, "90.0"),
        (90.1, f">{N}90"),
        (inf, f">{N}90"),
        (-3.0, f"{M}3.0"),
        (-0.04, "0.0"),
        (nan, "NaN"),
    ],
)
def test_sqnr_is_capped_and_never_shows_a_negative_zero(db, shown):
    assert form.sqnr_figure(db) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.999999, "0.99999"), (1.0, "1.00000"), (0.99935, "0.99935"), (0.9, "0.90000"), (None, "–")],
)
def test_cosine_is_rounded_down_so_that_one_means_exact(value, shown):
    assert form.cosine(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (8.4e-3, "8.4×10⁻³"),
        (9.96e-5, "1.0×10⁻⁴"),
        (0.0, "0"),
        (0.214, "0.21"),
        (12.0, "12"),
        (2.5e7, "2.5×10⁷"),
        (-8.4e-3, f"{M}8.4×10⁻³"),
    ],
)
def test_scientific(value, shown):
    assert form.scientific(value) == shown


def test_shares_lose_their_decimal_from_ten_percent_up():
    assert [form.percent(x) for x in (0.0, 0.018, 0.0994, 0.0996, 0.171, 1.0)] == [
        f"{x}{N}%" for x in ("0", "1.8", "9.9", "10", "17", "100")
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(-4.3, f"{M}4.3{N}µs"), (12.04, f"+12.0{N}µs"), (0.0, f"0.0{N}µs"), (0.02, f"0.0{N}µs"), (None, "–")],
)
def test_a_delta_has_sign_and_unit(value, shown):
    assert form.delta(value, form.latency_us) == shown


def test_a_band_takes_unit_and_decimals_of_its_value():
    assert form.run_latency_parts(340.0, like=2460.0) == ("0.34", "ms")
    assert form.bytes_parts(24_576, like=3_000_000) == ("0.02", "MiB")


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.041, f"41{N}ms"), (0.4, f"0.4{N}s"), (12.3, f"12{N}s"), (125.0, "2:05")]
)
def test_job_time(seconds, shown):
    assert form.job_time(seconds) == shown


def test_time_left():
    assert [form.clock_time(s) for s in (7, 750, 3750, None)] == ["0:07", "12:30", "1:02:30", "–"]


def test_counts_in_short():
    assert [form.count(n) for n in (950, 38_000, 3_540_000, 206_000)] == ["950", f"38{N}k", f"3.5{N}M", f"206{N}k"]


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "0.00"), (3.1e-5, "3.1×10⁻⁵"), (0.0049, "4.9×10⁻³"), (0.005, "0.01"), (1.25, "1.25")]
)
def test_a_small_figure_is_never_rounded_to_nothing(value, shown):
    assert form.small_figure(value) == shown


def test_a_change_that_is_larger_than_its_value_has_its_own_unit():
    assert form.bytes_parts(-2274.3 * 1024, 900 * 1024) == ("−2.22", "MiB")
    assert form.run_latency_parts(-2274.3, 400.0) == ("−2.27", "ms")
    assert form.bytes_parts(-10 * 1024, 3 * 1024**2) == ("−0.01", "MiB")


def test_a_share_that_is_not_nothing_never_reads_as_nothing():
    assert form.percent(0.0) == f"0{form.NARROW}%"
    assert form.percent(0.0004) == f"<{form.NARROW}0.1{form.NARROW}%"
    assert form.accuracy(0.0004) == f"<{form.NARROW}0.1{form.NARROW}%"
    assert form.percent(0.0006) == f"0.1{form.NARROW}%"
    assert form.delta(0.0004, form.percent).startswith("<")


def test_bytes_that_are_not_nothing_never_read_as_nothing():
    assert [form.kib_figure(n) for n in (0, 24, -24, 52)] == ["0.0", f"<{N}0.1", f">{N}{M}0.1", "0.1"]
    assert form.delta(24.0, form.kib_figure) == f"<{N}0.1"
    assert form.delta(-24.0, form.kib_figure) == f">{N}{M}0.1"
    assert form.bytes_(12.5) == f"12.5{N}B"
