"""Numbers as people read them: one convention for the whole window.

A narrow no-break space stands between number and unit and between thousands, the minus is U+2212, a missing value is
"–". The functions that end in `_figure` give the number alone, for columns whose header names the unit.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor, isfinite, isinf, isnan, log10

NARROW = "\u202f"
MINUS = "\u2212"
MISSING = "–"
SQNR_CAP_DB = 90.0
"""Above this an SQNR says no more than "exact for all purposes"."""
_BELOW_TENTH = f"<{NARROW}0.1"
_ABOVE_TENTH = f">{NARROW}{MINUS}0.1"
_SUPERSCRIPT = str.maketrans("-0123456789", "\u207b⁰¹²³⁴⁵⁶⁷⁸⁹")


def fixed(value: float | None, decimals: int = 1) -> str:
    """A number with fixed decimals; "–" for None, a word for NaN and infinities."""
    if value is None:
        return MISSING
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{abs(value):,.{decimals}f}".replace(",", NARROW)
    negative = value < 0 and any(c in text for c in "123456789")
    return f"{MINUS}{text}" if negative else text


def with_unit(figure: str, unit: str) -> str:
    """A figure and its unit with a narrow space between; a missing figure has no unit."""
    return figure if figure == MISSING or not unit else f"{figure}{NARROW}{unit}"


def integer(value: float | None) -> str:
    """An integer with thin spaces between thousands."""
    return fixed(value, 0)


def signed(figure: str) -> str:
    """A figure with its sign always written (a zero stays bare)."""
    if figure == MISSING or figure.startswith((MINUS, "<", _ABOVE_TENTH)) or not any(c in figure for c in "123456789∞"):
        return figure
    return f"+{figure}"


def latency_figure(us: float | None) -> str:
    """Kernel latency in µs without the unit."""
    return fixed(us, 1)


def latency_us(us: float | None) -> str:
    """Kernel latency: always µs, one decimal."""
    return with_unit(latency_figure(us), "µs")


def _larger(value: float, like: float | None) -> float:
    return abs(value) if like is None else max(abs(value), abs(like))


def run_latency_parts(us: float | None, like: float | None = None) -> tuple[str, str]:
    """Latency of a run as (figure, unit).

    A delta or band goes with its value, `like`: it has the same unit and decimals unless it is larger itself.
    """
    if us is None:
        return MISSING, ""
    size = _larger(us, like)
    if not isfinite(size):
        return fixed(us), ""
    if size < 999.95:
        return fixed(us, 1), "µs"
    if size < 9_995:
        return fixed(us / 1e3, 2), "ms"
    if size < 9_999_500:
        return fixed(us / 1e3, 1), "ms"
    return fixed(us / 1e6, 1), "s"


def run_latency(us: float | None) -> str:
    """Latency of a run: µs below 1 ms, then ms, then s."""
    return with_unit(*run_latency_parts(us))


def bytes_parts(count: float | None, like: float | None = None) -> tuple[str, str]:
    """Bytes as (figure, unit); a delta has the unit of its value, `like`, unless it is larger itself."""
    if count is None:
        return MISSING, ""
    size = _larger(count, like)
    if size < 1024 and like is None and (float(count).is_integer() or size < 0.05 * 1024):
        return fixed(count, 0 if float(count).is_integer() else 1), "B"
    if size < 1024**2 * 0.99995:
        return fixed(count / 1024, 1), "KiB"
    if size < 1024**3 * 0.99999:
        return fixed(count / 1024**2, 2), "MiB"
    return fixed(count / 1024**3, 2), "GiB"


def bytes_(count: float | None) -> str:
    """Bytes: B, KiB with one decimal, MiB and GiB with two."""
    return with_unit(*bytes_parts(count))


def kib_figure(count: float | None) -> str:
    """Bytes in KiB without the unit, for a column; what would round to nothing is "< 0.1" or "> −0.1"."""
    if count is not None and 0 < abs(count) < 0.05 * 1024:
        return _BELOW_TENTH if count > 0 else _ABOVE_TENTH
    return fixed(None if count is None else count / 1024, 1)


def sqnr_figure(db: float | None) -> str:
    """SQNR in dB without the unit; "> 90" above 90 dB."""
    if db is not None and db > SQNR_CAP_DB:
        return f">{NARROW}{SQNR_CAP_DB:.0f}"
    return fixed(db, 1)


def sqnr(db: float | None) -> str:
    """SQNR with its unit."""
    return with_unit(sqnr_figure(db), "dB")


def cosine(value: float | None) -> str:
    """Cosine similarity: five decimals, rounded down, 1.00000 only when exact."""
    if value is None or not isfinite(value):
        return fixed(value)
    return fixed(floor(round(value * 1e5, 6)) / 1e5 if value < 1 else 1.0, 5)


def scientific(value: float | None, digits: int = 2) -> str:
    """A small number as 8.4×10⁻³; plain where it is within 0.01 and 10 000."""
    if value is None or not isfinite(value):
        return fixed(value)
    if value == 0:
        return "0"
    exponent = floor(log10(abs(value)))
    mantissa = round(value / 10**exponent, digits - 1)
    if abs(mantissa) >= 10:
        exponent, mantissa = exponent + 1, mantissa / 10
    if -2 <= exponent < 4:
        return fixed(value, max(0, digits - 1 - exponent))
    return f"{fixed(mantissa, digits - 1)}×10{str(exponent).translate(_SUPERSCRIPT)}"


def small_figure(value: float | None, decimals: int = 2) -> str:
    """A figure with fixed decimals for a column; one that they would round to zero as 3.1×10⁻⁵."""
    if value is not None and isfinite(value) and 0 < abs(value) < 0.5 * 10**-decimals:
        return scientific(value)
    return fixed(value, decimals)


def milli_figure(value: float | None) -> str:
    """KL or MSE in units of 10⁻³ without the unit, for a column; what two decimals would round to zero as 3.1×10⁻⁵."""
    return small_figure(None if value is None else value * 1e3)


def percent_figure(share: float | None) -> str:
    """A share in %: integer from 10 up, else one decimal; "< 0.1" for a share that would round to nothing."""
    if share is None or not isfinite(share):
        return fixed(share)
    value = share * 100
    if 1e-12 <= value < 0.05:
        return _BELOW_TENTH
    whole = abs(value) >= 9.95 or abs(value) < 1e-12
    return fixed(value, 0 if whole else 1)


def percent(share: float | None) -> str:
    """A share with its sign."""
    return with_unit(percent_figure(share), "%")


def accuracy(share: float | None) -> str:
    """An accuracy or agreement in % with one decimal."""
    tiny = share is not None and 0 < share * 100 < 0.05
    return with_unit(_BELOW_TENTH if tiny else fixed(None if share is None else share * 100, 1), "%")


def energy_uj(uj: float | None) -> str:
    """Energy of a kernel: µJ, integer (one decimal below 10)."""
    return with_unit(energy_uj_figure(uj), "µJ")


def energy_uj_figure(uj: float | None) -> str:
    """Energy of a kernel in µJ without the unit."""
    return fixed(uj, 0 if uj is None or abs(uj) >= 9.95 else 1)


def energy_mj(uj: float | None) -> str:
    """Energy of a run, given in µJ: mJ with two decimals (three below 0.1)."""
    return with_unit(*energy_parts(uj))


def energy_parts(uj: float | None, like: float | None = None) -> tuple[str, str]:
    """Energy of a run, given in µJ, as (figure, unit); a delta is at home where its value, `like`, is."""
    if uj is None:
        return MISSING, ""
    size = _larger(uj, like)
    return (fixed(uj, 1), "µJ") if size < 99.95 else (fixed(uj / 1e3, 2), "mJ")


def temperature(celsius: float | None) -> str:
    """A temperature in °C with one decimal."""
    return with_unit(fixed(celsius, 1), "°C")


def power(watts: float | None) -> str:
    """Power in W with two decimals."""
    return with_unit(fixed(watts, 2), "W")


def bandwidth(bytes_per_second: float | None) -> str:
    """Bandwidth in GB/s (powers of ten) with one decimal."""
    return with_unit(fixed(None if bytes_per_second is None else bytes_per_second / 1e9, 1), "GB/s")


def tops(operations_per_second: float | None) -> str:
    """Compute rate in TOPS with two digits."""
    return with_unit(
        MISSING if operations_per_second is None else scientific(operations_per_second / 1e12, 2),
        "TOPS",
    )


def count(value: float | None) -> str:
    """A large count in short: 38 k, 3.5 M, 1.7 G."""
    if value is None:
        return MISSING
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit * 0.9995:
            scaled = value / limit
            return with_unit(fixed(scaled, 0 if abs(scaled) >= 9.95 else 1), unit)
    return integer(value)


def dims(shape: tuple[int | str, ...]) -> str:
    """A shape as 1×3×224×224; "scalar" has no dimensions and gives "[]"."""
    return "×".join(str(d) for d in shape) or "[]"


def job_time(seconds: float | None) -> str:
    """Time a job took: 41 ms, 0.4 s, 12 s, 2:05."""
    if seconds is None:
        return MISSING
    if seconds < 0.0995:
        return with_unit(fixed(seconds * 1e3, 0), "ms")
    if seconds < 9.95:
        return with_unit(fixed(seconds, 1), "s")
    return with_unit(fixed(seconds, 0), "s") if seconds < 59.5 else clock_time(seconds)


def clock_time(seconds: float | None) -> str:
    """Time left as 0:07, 12:30, 1:02:30."""
    if seconds is None:
        return MISSING
    total = max(0, round(seconds))
    hours, minutes = total // 3600, total // 60 % 60
    return f"{hours}:{minutes:02d}:{total % 60:02d}" if hours else f"{minutes}:{total % 60:02d}"


_WORTH_TELLING_S = 0.5


def time_left(seconds: float | None) -> str:
    """Time left as 0:07; '' where it isn't known or the end is too near to tell."""
    return clock_time(seconds) if seconds is not None and seconds > _WORTH_TELLING_S else ""


def delta(value: float | None, form: Callable[[float], str]) -> str:
    """A difference in the given form, always with its sign."""
    return MISSING if value is None else signed(form(value))
