// exp, log and pow with the same last bit on every machine. A C library's differ from version to version and from
// processor to processor, and one bit is enough to change a visit; these take only +, -, *, which IEEE 754 fixes, and
// integers. `sqrt` is fixed there too and stays the library's.
//
// The method is P. T. P. Tang's: reduce by a table, finish with a short polynomial (exp: ACM TOMS 15(2), 1989; log: ACM
// TOMS 16(4), 1990), with the reductions of S. Nagy's Arm Optimized Routines, which need neither a division nor a fused
// multiply-add. The tables are worked out by the compiler in double-double arithmetic (T. J. Dekker, 1971). Errors and
// their measurement: section 12 of docs/search.md.
#pragma once

#include <array>
#include <bit>
#include <cfloat>
#include <cstdint>
#include <limits>

#ifdef __FAST_MATH__
#error "with -ffast-math sums are taken in another order, and the results are no longer fixed"
#endif

namespace tengen::elementary {

static_assert(std::numeric_limits<double>::is_iec559 && FLT_EVAL_METHOD == 0, "needs plain IEEE 754 doubles");

// The unevaluated sum of two doubles, the second below the last bit of the first: 106 bits.
struct Pair {
  double hi, lo;
};

namespace detail {

// For |a| >= |b|, or a == 0.
constexpr Pair sum(double a, double b) {
  const double hi = a + b;
  return {hi, (a - hi) + b};
}

constexpr Pair product(double a, double b) {
  constexpr double kHalf = 0x1p27 + 1;  // cuts 53 bits into two halves, whose products are exact
  const double a1 = kHalf * a - (kHalf * a - a), a2 = a - a1, b1 = kHalf * b - (kHalf * b - b), b2 = b - b1;
  const double hi = a * b;
  return {hi, ((a1 * b1 - hi) + a1 * b2 + a2 * b1) + a2 * b2};
}

// For |a| >= |b|, or a == 0.
constexpr Pair add(Pair a, Pair b) {
  const Pair s = sum(a.hi, b.hi);
  return sum(s.hi, s.lo + a.lo + b.lo);
}

constexpr Pair multiply(Pair a, Pair b) {
  const Pair p = product(a.hi, b.hi);
  return sum(p.hi, p.lo + a.hi * b.lo + a.lo * b.hi);
}

constexpr Pair divide(Pair a, double b) {
  const double q = a.hi / b;
  const Pair p = product(q, b);
  return sum(q, ((a.hi - p.hi) - p.lo + a.lo) / b);
}

constexpr Pair kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

// `value` without its bits below those of `unit`.
constexpr double rounded(double value, double unit) { return (value + unit * 0x1.8p52) - unit * 0x1.8p52; }

// 2^(j/128): its bits, from which 128ths of an exponent are taken off because exp() adds them; and the rest of it that
// these bits lack, as a fraction.
struct Power {
  std::uint64_t bits;
  double rest;
};
constexpr int kPowerBits = 7, kPowers = 1 << kPowerBits;
constexpr auto kPowerTable = [] {
  Pair root{1, 0};  // 2^(1/128), by its Taylor series
  const Pair x{kLn2.hi / kPowers, kLn2.lo / kPowers};
  for (int n = 14; n > 0; --n) root = add({1, 0}, divide(multiply(x, root), n));
  std::array<Power, kPowers> table{};
  Pair power{1, 0};
  for (std::uint64_t j = 0; j < kPowers; ++j, power = multiply(power, root))
    table[j] = {std::bit_cast<std::uint64_t>(power.hi) - (j << (52 - kPowerBits)), power.lo / power.hi};
  return table;
}();

// For each of 128 intervals from 11/16 to 11/8: a factor near the inverse of its middle, in 512ths so that products
// with it are exact; and minus the factor's logarithm, its upper part a whole number of 2^-43.
struct Inverse {
  double factor, log, rest;
};
constexpr int kInverseBits = 7, kInverses = 1 << kInverseBits, kFactorUnit = 512;
constexpr double kLogUnit = 0x1p-43;
constexpr std::uint64_t kFirst =
    0x3fe6000000000000;  // 11/16: around 1 no power of two is taken off, so nothing cancels
constexpr auto kInverseTable = [] {
  constexpr int kLeast = kFactorUnit * 8 / 11, kMost = kFactorUnit * 16 / 11;
  std::array<Pair, kMost + 1> logs{};  // -log(n / 512), from one n to the next by 2 artanh(1 / (2n + 1))
  const auto step = [](int n) {
    const double d = 2 * n + 1;
    Pair term = divide({2, 0}, d), total = term;
    for (int k = 3; k < 16; k += 2) {
      term = divide(divide(term, d), d);
      total = add(total, divide(term, k));
    }
    return total;
  };
  for (int n = kFactorUnit; n > kLeast; --n) logs[n - 1] = add(logs[n], step(n - 1));
  for (int n = kFactorUnit; n < kMost; ++n) {
    const Pair s = step(n);
    logs[n + 1] = n == kFactorUnit ? Pair{-s.hi, -s.lo} : add(logs[n], {-s.hi, -s.lo});
  }
  std::array<Inverse, kInverses> table{};
  for (std::uint64_t i = 0; i < kInverses; ++i) {
    const std::uint64_t from = kFirst + (i << (52 - kInverseBits)), to = from + (1ull << (52 - kInverseBits));
    const double low = std::bit_cast<double>(from), high = std::bit_cast<double>(to);
    // Around 1 the logarithm is as small as the remainder: there nothing may be added to it.
    const bool at_one = low == 1 || high == 1;
    const int n = at_one ? kFactorUnit : static_cast<int>(2 * kFactorUnit / (low + high) + 0.5);
    const Pair log = logs[n];
    const double upper = rounded(log.hi, kLogUnit);
    table[i] = {static_cast<double>(n) / kFactorUnit, upper, (log.hi - upper) + log.lo};
  }
  return table;
}();

// 2^(j/128) 2^m (1 + p), j and m from the nearest 128th, where nothing overflows or underflows.
struct Scaled {
  std::uint64_t scale;
  double p;
};
constexpr Scaled reduced_exp(double x, double rest) {
  constexpr double kShift = 0x1.8p52;  // the sum's last bits are the nearest whole number
  constexpr double kInverse = kPowers / kLn2.hi, kUpper = rounded(kLn2.hi / kPowers, 0x1p-43);
  constexpr double kLower = (kLn2.hi / kPowers - kUpper) + kLn2.lo / kPowers;
  const double shifted = x * kInverse + kShift, n = shifted - kShift;
  const std::uint64_t k = std::bit_cast<std::uint64_t>(shifted);
  const Power& power = kPowerTable[k % kPowers];
  const double r = ((x - n * kUpper) - n * kLower) + rest, r2 = r * r;
  const double p = (power.rest + r) + r2 * (1.0 / 2 + r * (1.0 / 6)) + (r2 * r2) * (1.0 / 24 + r * (1.0 / 120));
  return {power.bits + (k << (52 - kPowerBits)), p};
}

// Where the exponential or, in the last sum, a part of it is no normal number.
constexpr double extreme_exp(double x, double rest) {
  if (x != x) return x;
  if (x > 710) return std::numeric_limits<double>::infinity();
  if (x < -746) return 0;
  const Scaled s = reduced_exp(x, rest);
  constexpr std::uint64_t kAway = 128ull << 52;  // so many powers of two nearer to 1; the last product rounds
  const double scale = std::bit_cast<double>(x > 0 ? s.scale - kAway : s.scale + kAway);
  return (scale + scale * s.p) * (x > 0 ? 0x1p128 : 0x1p-128);
}

// exp(x + rest), for a rest far below x.
constexpr double exp(double x, double rest) {
  if (!(x > -690 && x < 709)) [[unlikely]]
    return extreme_exp(x, rest);
  const Scaled s = reduced_exp(x, rest);
  const double scale = std::bit_cast<double>(s.scale);
  return scale + scale * s.p;
}

// The logarithm of a positive finite number, to about 68 bits. This and pow stay out of line: the loops that now and
// then need them are the hottest ones, and exp alone is needed for every edge.
[[gnu::noinline]] constexpr Pair log(double x) {
  constexpr double kUpper = rounded(kLn2.hi, kLogUnit), kLower = (kLn2.hi - kUpper) + kLn2.lo;
  constexpr std::uint64_t kMantissa = (1ull << 52) - 1;
  const bool subnormal = x < std::numeric_limits<double>::min();
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(subnormal ? x * 0x1p52 : x), offset = bits - kFirst;
  // x = 2^k z with z from 11/16 to 11/8; z * factor = 1 + r, and r = r1 + r2 exactly.
  const auto exponent = static_cast<std::int64_t>(offset) >> 52;
  const double k = static_cast<double>(exponent - (subnormal ? 52 : 0));
  const std::uint64_t mantissa = bits - (offset & ~kMantissa);
  const Inverse& inverse = kInverseTable[(offset >> (52 - kInverseBits)) % kInverses];
  const double z = std::bit_cast<double>(mantissa);
  const double z1 = std::bit_cast<double>((mantissa + (1ull << 31)) & ~((1ull << 32) - 1)), z2 = z - z1;
  const double r1 = z1 * inverse.factor - 1, r2 = z2 * inverse.factor, r = r1 + r2;
  // k log 2 - log(factor) + r - r^2/2 in two parts; r1 is so short that its square is exact.
  const Pair first = sum(k * kUpper + inverse.log, r), second = sum(first.hi, -0.5 * (r1 * r1));
  const double rest = (k * kLower + inverse.rest) + ((r1 - r) + r2) + first.lo + second.lo - 0.5 * (r2 * (r + r1));
  const double s = r * r;
  const double series = (1.0 / 3 - r * (1.0 / 4)) + s * (1.0 / 5 - r * (1.0 / 6)) +
                        (s * s) * ((1.0 / 7 - r * (1.0 / 8)) + s * (1.0 / 9 - r * (1.0 / 10)));
  return sum(second.hi, rest + (r * s) * series);
}

}  // namespace detail

constexpr double exp(double x) { return detail::exp(x, 0); }

// -inf for 0, NaN for a negative number.
constexpr double log(double x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (x > 0 && x < kInfinity) [[likely]]
    return detail::log(x).hi;
  if (x == 0) return -kInfinity;
  return x < 0 ? std::numeric_limits<double>::quiet_NaN() : x;
}

// x^y for x >= 0, as C has it, except that -0 counts as 0, and that a negative x gives NaN unless y is 0.
[[gnu::noinline]] constexpr double pow(double x, double y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (y == 0 || x == 1) return 1;
  if (x < 0 || x != x || y != y) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0 || x == kInfinity) return (x == 0) == (y > 0) ? 0 : kInfinity;
  const Pair log = detail::log(x);
  const double whole = y * log.hi;
  if (!(whole > -746 && whole < 710)) return whole > 0 ? kInfinity : 0;
  // Both numbers are cut short, so that the product of their upper parts is exact.
  constexpr auto upper = [](double v) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) & (~0ull << 27));
  };
  const double y1 = upper(y), y2 = y - y1, l1 = upper(log.hi), l2 = (log.hi - l1) + log.lo;
  return detail::exp(y1 * l1, y2 * l1 + y * l2);
}

}  // namespace tengen::elementary
