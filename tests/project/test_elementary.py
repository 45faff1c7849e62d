"""exp, log and pow of cpp/tengen/base/elementary.h: near to the truth, the same everywhere, and no others are used."""

import decimal
import math
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path

import pytest

from tengen import _core

REPOSITORY = Path(__file__).parents[2]
HEADER = REPOSITORY / "cpp/tengen/base/elementary.h"
LEAST_NORMAL = 2.2250738585072014e-308
COUNT = 3_000  # of each sample

# 100 million inputs stayed below these (docs/search.md); half a unit is the least possible.
NORMAL, SUBNORMAL = 0.515, 0.76


def error(got: float, true: Decimal) -> float:
    """In units of the last place."""
    return float(abs(Decimal(got) - true) / Decimal(math.ulp(float(true))))


def check(cases: Iterable[tuple[float, ...]], own: Callable[..., float], true: Callable[..., Decimal]) -> None:
    """True results to 60 digits: the decimal module rounds exp, ln and products correctly."""
    with decimal.localcontext(decimal.Context(prec=60, Emin=-5000, Emax=5000)):
        for case in cases:
            got, want = own(*case), true(*map(Decimal, case))
            bound = NORMAL if float(want) == 0 or abs(float(want)) >= LEAST_NORMAL else SUBNORMAL
            assert error(got, want) <= bound, (case, got.hex(), float(want).hex())


def power(x: Decimal, y: Decimal) -> Decimal:
    return (x.ln() * y).exp()


def near_one(draw: random.Random) -> float:
    return 1 + math.ldexp(draw.uniform(-1, 1), -draw.randrange(3, 50))


def test_exp_is_near_the_truth() -> None:
    draw = random.Random(0)
    ranges = [(-30.0, 0.0), (-744.0, 709.7), (-745.0, -708.0), (-1e-3, 1e-3)]
    check(((draw.uniform(*ends),) for ends in ranges for _ in range(COUNT)), _core.exp, Decimal.exp)
    check(((n * math.log(2) / 256,) for n in range(-600, 600)), _core.exp, Decimal.exp)


def test_log_is_near_the_truth() -> None:
    draw = random.Random(1)
    check(((draw.uniform(0.5, 2),) for _ in range(COUNT)), _core.log, Decimal.ln)
    check(((x,) for _ in range(COUNT) if (x := near_one(draw)) != 1), _core.log, Decimal.ln)
    check(
        ((math.ldexp(draw.uniform(0.5, 1), draw.randrange(-1070, 1024)),) for _ in range(COUNT)), _core.log, Decimal.ln
    )
    check(((float(n),) for n in range(2, COUNT)), _core.log, Decimal.ln)


def test_pow_is_near_the_truth() -> None:
    draw = random.Random(2)
    check(((1 - draw.random(), draw.uniform(1, 100)) for _ in range(COUNT)), _core.pow, power)  # as draws need it
    check(((0.9 + draw.random() / 10, float(draw.randrange(300))) for _ in range(COUNT)), _core.pow, power)
    bases = [math.ldexp(draw.uniform(0.5, 1), draw.randrange(-1070, 1024)) for _ in range(COUNT)]
    bases += [x for _ in range(COUNT) if (x := near_one(draw)) != 1]
    check(((x, draw.uniform(-744, 709) / math.log(x)) for x in bases), _core.pow, power)


INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("x", "result"),
    [
        *((0, 1), (-0.0, 1), (5e-324, 1), (INF, INF), (-INF, 0), (NAN, NAN)),
        *((709.782712893384, 1.7976931348622732e308), (709.79, INF), (1e308, INF)),
        *((-745.13, 5e-324), (-745.14, 0), (-746.1, 0), (-1e308, 0)),
    ],
)
def test_exp_at_the_ends(x: float, result: float) -> None:
    assert _core.exp(x) == pytest.approx(result, rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize(
    ("x", "result"),
    [
        *((1, 0), (0, -INF), (-0.0, -INF), (INF, INF), (-1, NAN), (-INF, NAN), (NAN, NAN)),
        *((5e-324, -744.4400719213812), (1.7976931348623157e308, 709.782712893384)),
    ],
)
def test_log_at_the_ends(x: float, result: float) -> None:
    assert _core.log(x) == pytest.approx(result, rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize("x", [0.0, 5e-324, 0.5, 1.0, 1.5, 1.7976931348623157e308, INF, NAN])
@pytest.mark.parametrize("y", [-INF, -1e308, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e308, INF, NAN])
def test_pow_at_the_ends_is_what_c_says(x: float, y: float) -> None:
    try:
        result = math.pow(x, y)
    except (OverflowError, ValueError):  # Python raises them where C has an infinity
        result = INF
    assert _core.pow(x, y) == pytest.approx(result, rel=0, abs=0, nan_ok=True)


def test_pow_of_a_negative_number_is_not_defined() -> None:
    assert math.isnan(_core.pow(-2, 2)) and _core.pow(-2, 0) == 1 and _core.pow(-0.0, 3) == 0


@pytest.mark.parametrize(
    ("name", "numbers", "bits"),
    [
        ("exp", (1,), "0x1.5bf0a8b145769p+1"),
        ("exp", (-0.6,), "0x1.18fdd6b9604e4p-1"),  # glibc has its neighbour, nearer by a thousandth of a unit
        ("exp", (-11.66,), "0x1.21a6dc677d6f0p-17"),  # here too
        ("exp", (-740,), "0x0.0000000000055p-1022"),
        ("log", (0.3,), "-0x1.34378fcbda721p+0"),
        ("log", (1.001,), "0x1.060354f8c3cc4p-10"),
        ("log", (19653,), "0x1.3c59fdcbe5742p+3"),
        ("pow", (0.99, 30), "0x1.7aba01e115537p-1"),
        ("pow", (0.45, 42.6), "0x1.e5f38ec816b3ep-50"),  # here too
        ("pow", (1.0001, 1e5), "0x1.57fdd2fe62a3dp+14"),
    ],
)
def test_the_last_bits_are_these(name: str, numbers: tuple[float, ...], bits: str) -> None:
    assert getattr(_core, name)(*numbers).hex() == bits


# Over a million inputs of all sizes, whatever compiles it.
CHECKSUM = 15106256875147619577
PROGRAM = """
#include <bit>
#include <cstdio>
#include "tengen/base/elementary.h"
#include "tengen/base/rng.h"
using namespace tengen;
int main() {
  std::uint64_t sum = 0;
  const auto take = [&](double result) { sum = mix64(sum ^ std::bit_cast<std::uint64_t>(result)); };
  for (std::uint64_t i = 0; i < 1000000; ++i) {
    const double u = static_cast<double>(mix64(i) >> 11) * 0x1p-53;
    const double x = std::bit_cast<double>(mix64(~i) % 0x7ff0000000000000);
    take(elementary::exp(u * 1500 - 750));
    take(elementary::log(x));
    take(elementary::log(1 + u / 64));
    take(elementary::pow(x, u * 4 - 2));
  }
  std::printf("%llu", static_cast<unsigned long long>(sum));
}
"""
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


@pytest.mark.slow
@pytest.mark.parametrize("options", ["-O0", "-O3 -march=native"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_compiler_makes_the_same_of_it(compiler: str, options: str, tmp_path: Path) -> None:
    source, program = tmp_path / "sum.cpp", tmp_path / "sum"
    source.write_text(PROGRAM)
    flags = ["-std=c++20", "-ffp-contract=off", f"-I{REPOSITORY / 'cpp'}", *options.split()]
    subprocess.run([compiler, *flags, str(source), "-o", str(program)], check=True, timeout=120)
    assert int(subprocess.run([str(program)], check=True, capture_output=True, timeout=60).stdout) == CHECKSUM


# Functions that differ between C libraries; sqrt, floor and the like are exact in all of them.
LIBRARY = "exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|fma|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|atan2"
LIBRARY += "|erf|erfc|tgamma|lgamma"
INEXACT = re.compile(rf"(?<!elementary::)\b((?:std::|__builtin_)?(?:{LIBRARY})[fl]?)\s*\(")
INEXACT_PYTHON = re.compile(rf"\b(?:math|cmath|np|numpy)\.(?:{LIBRARY}|power)\b|\*\*\s*[^\s\d]")


def found(pattern: re.Pattern[str], comment: str, text: str) -> list[str]:
    return [match.group() for line in text.splitlines() for match in pattern.finditer(line.split(comment)[0])]


def test_the_core_uses_no_others() -> None:
    files = [
        file for file in (REPOSITORY / "cpp/tengen").rglob("*") if file.suffix in (".h", ".cpp") and file != HEADER
    ]
    assert {file.name: names for file in files if (names := found(INEXACT, "//", file.read_text()))} == {}
    assert found(INEXACT, "//", "x = std::log1p(y) + powf (2, y) + elementary::exp(z);  // exp(z)") == [
        "std::log1p(",
        "powf (",
    ]


def test_the_reference_uses_no_others() -> None:
    files = sorted((REPOSITORY / "src/tengen/reference").glob("*.py"))
    assert {file.name: names for file in files if (names := found(INEXACT_PYTHON, "#", file.read_text()))} == {}
    assert found(INEXACT_PYTHON, "#", "math.exp(x) + math.sqrt(2**64) + c**y") == ["math.exp", "**y"]
